"""What is added up, and that each figure is the sum of exactly the loans behind it."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lendingadmin.core import gateway
from lendingadmin.desk.portfolio import reading
from lendingadmin.desk.portfolio.amounts import exactly
from lendingadmin.desk.portfolio.figures import AT_RISK, OTHER_KINDS, Figures, months_to
from lendingadmin.desk.portfolio.loan_list_form import (
    FIGURE,
    LoanListForm,
    find_kind,
    list_figures,
)
from lendingadmin.desk.portfolio.loan_lists import LoanList
from lendingadmin.desk.portfolio.models import Snapshot, SnapshotLoan
from lendingadmin.lending.values import Loan, Malformed
from lendingadmin.web import keyset
from tests.portfolio.conftest import list_pages
from tests.portfolio.service import loan

NAIROBI = ZoneInfo("Africa/Nairobi")
TODAY = date(2026, 11, 20)
WORDS = {"1": "pending", "2": "open", "3": "closed"}


def read(*items: dict[str, Any]) -> list[SnapshotLoan]:
    found, _ = reading.read_rows([Loan(item) for item in items], NAIROBI, TODAY, WORDS)
    return [row for row, _ in found]


def figures_of(*items: dict[str, Any]) -> Figures:
    figures = Figures(TODAY)
    figures.add_all(read(*items))
    return figures


def open_figure(snapshot: Snapshot, by: str) -> LoanList:
    """The list behind a figure of a count."""
    form = LoanListForm({"show": f"{FIGURE}{by}", "count": str(snapshot.pk)}, [])
    found = LoanList(gateway.lending_app("kenya"), snapshot, form, {})
    assert found.is_valid and found.wanted["show"] == f"{FIGURE}{by}"
    return found


def late(days: object, number: int = 0) -> dict[str, Any]:
    return loan(number, schedule={"daysLate": days})


@pytest.mark.parametrize(
    ("days", "at_risk"),
    [
        (-1, ()),
        (0, ()),
        (1, ()),
        (2, (1,)),
        (29, (1,)),
        (30, (1,)),
        (31, (1, 30)),
        (60, (1, 30)),
        (61, (1, 30, 60)),
        (90, (1, 30, 60)),
        (91, (1, 30, 60, 90)),
        # More than 30 days is more than 30 days by half a day too.
        (Decimal("30.5"), (1, 30)),
        (Decimal("29.9"), (1,)),
        (Decimal("0.5"), ()),
    ],
)
def test_a_loan_is_at_risk_when_it_is_more_than_so_many_days_late(
    days: object, at_risk: tuple[int, ...]
) -> None:
    sums = figures_of(late(days)).sums
    assert tuple(n for n in AT_RISK if sums[f"par{n}"].amount) == at_risk
    assert sums["principal_outstanding"].amount == 50


LATER = "2026-11-21T00:00:00.000Z"
SETTLED = {"settlementDate": "2026-11-01T00:00:00.000Z"}
ENDED = {"result": {"type": "written_off", "reason": None, "message": None}}
# A status, what tells whether the loan is open, and whether it is.
STATUSES = {
    "open by word": ({"status": 2}, "word", True),
    "pending by word": ({"status": 1}, "word", False),
    "closed by word": ({"status": 3}, "word", False),
    "open by a word that came": ({"status": "Open"}, "word", True),
    "closed by a word that came": ({"status": "closed"}, "word", False),
    "open by word, in spite of its dates": ({"status": 2} | SETTLED | ENDED, "word", True),
    "no word, neither": ({"status": 7}, "dates", True),
    "no status, neither": ({"status": None}, "dates", True),
    "another word, neither": ({"status": "in arrears"}, "dates", True),
    "no word, settlement date": ({"status": 7} | SETTLED, "dates", False),
    "no word, a settlement date that is none": (
        {"status": 7, "settlementDate": "soon"},
        "dates",
        False,
    ),
    "no word, result": ({"status": 7} | ENDED, "dates", False),
    "no word, an empty result": ({"status": 7, "result": {}}, "dates", False),
    "no word, both": ({"status": 7} | SETTLED | ENDED, "dates", False),
    "no word, start in the future": ({"status": 7, "startDate": LATER}, "dates", False),
    "no word, starts today": (
        {"status": 7, "startDate": "2026-11-20T00:00:00.000Z"},
        "dates",
        True,
    ),
    "no word, no start": ({"status": 7, "startDate": None}, "dates", True),
}
AT_RISK_BY_DAYS = {0: (), 1: (), 29: (1,), 30: (1,), 31: (1, 30), 90: (1, 30, 60), 91: AT_RISK}


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("days", AT_RISK_BY_DAYS)
def test_only_open_loans_are_outstanding_overdue_at_risk_and_perform(
    days: int, status: str
) -> None:
    fields, by, is_open = STATUSES[status]
    figures = figures_of(loan(1, schedule={"daysLate": days}, **fields))
    found = {name: one.amount for name, one in figures.sums.items() if one.loans}
    assert found == (
        {"outstanding": 60, "overdue": 5, "principal_outstanding": 50}
        | {f"par{n}": 50 for n in AT_RISK_BY_DAYS[days]}
        if is_open
        else {}
    )
    assert {kind: one.loans for kind, one in figures.performance.items()} == (
        {"1": 1} if is_open else {}
    )
    assert figures.opened_by == {by: 1}


def test_what_is_disbursed_and_paid_is_of_loans_that_are_closed_too() -> None:
    rows = read(loan(1), loan(2, status=3), loan(3, status=3, loanAmount=None, balances=None))
    for row in rows[:2]:
        row.paid_since_last = Decimal(7)
    figures = Figures(TODAY)
    figures.add_all(rows)
    assert figures.months["2026-06"].amount == 180
    assert figures.sums["paid"].amount == 14
    # A loan that is not open lacks nothing of what it would not add to.
    assert figures.untold == {"paid": 1, "months": 1}
    closed = figures_of(loan(1, status=3, startDate=None))
    assert not closed.is_known("months") and closed.is_known("outstanding")


def test_the_share_at_risk_is_of_the_outstanding_principal() -> None:
    closed = late(95, 5) | {"status": 3}
    figures = figures_of(late(0, 1), late(31, 2), late(95, 3), late(10, 4), closed)
    shares = [figures.share_at_risk(days) for days in AT_RISK]
    assert shares == [Decimal("0.75"), Decimal("0.5"), Decimal("0.25"), Decimal("0.25")]
    assert Figures(TODAY).share_at_risk(30) is None


@pytest.mark.parametrize(
    ("starts", "month"),
    [
        ("2026-11-20T00:00:00.000Z", "2026-11"),
        # A moment that bounds no day is read in the lender's zone: already November there.
        ("2026-10-31T21:30:00.000Z", "2026-11"),
        ("2026-10-31T23:59:59.999Z", "2026-10"),
        ("2025-11-01T00:00:00.000Z", "2025-11"),
        # Before the first month, and after the day of the count.
        ("2025-10-31T00:00:00.000Z", None),
        ("2026-11-21T00:00:00.000Z", None),
    ],
)
def test_principal_counts_in_the_month_in_which_the_loan_began(
    starts: str, month: str | None
) -> None:
    months = figures_of(loan(1, startDate=starts)).months
    assert {name: one.amount for name, one in months.items() if one.loans} == (
        {month: Decimal("90.00")} if month else {}
    )


def test_thirteen_months_up_to_this_one() -> None:
    assert months_to(date(2026, 1, 31))[::12] == ["2025-01", "2026-01"]
    assert len(months_to(date(2026, 1, 31))) == 13
    assert months_to(date(1, 1, 1)) == ["0001-01"]


def test_what_is_not_told_is_counted_as_not_told() -> None:
    none = {"repayment": None, "principal": {"unpaid": "fifty"}}
    figures = figures_of(
        loan(1),
        loan(2, balances=none, loanAmount="90"),
        loan(3, schedule=None),
        loan(4, startDate=None),
    )
    assert figures.untold == {
        "outstanding": 1,
        "overdue": 1,
        "at_risk": 2,
        "months": 2,
        "paid": 4,
    }
    assert figures.sums["outstanding"].amount == 180


def test_a_loan_without_principal_to_pay_need_not_say_how_late_it_is() -> None:
    closed = loan(1, schedule=None)
    closed["balances"]["principal"] = {"unpaid": 0}
    assert "at_risk" not in figures_of(closed).untold


def test_items_without_an_id_are_told_and_the_first_of_two_counts() -> None:
    items = [
        Loan(loan(1)),
        Loan(loan(1, loanAmount=5)),
        Loan(loan(2, accountId=None)),
        Malformed(7),
    ]
    found, unreadable = reading.read_rows(items, NAIROBI, TODAY, WORDS)
    assert [row.principal for row, _ in found] == [Decimal("90.00")]
    assert unreadable == 2


NEXT = {"dueDate": "2026-11-30T23:59:59.999Z", "amounts": {"repayment": Decimal("12.50")}}


@pytest.mark.parametrize(
    ("fields", "kept"),
    [
        (
            {"productId": "term", "schedule": {"daysLate": 0, "nextInstallment": NEXT}},
            ("B-1", "term", date(2026, 11, 30), Decimal("12.50")),
        ),
        # A moment that bounds no day is read in the lender's zone.
        (
            {"schedule": {"nextInstallment": NEXT | {"dueDate": "2026-11-30T21:30:00.000Z"}}},
            ("B-1", "", date(2026, 12, 1), Decimal("12.50")),
        ),
        ({"schedule": {"nextInstallment": {"amounts": "many"}}}, ("B-1", "", None, None)),
        ({"schedule": {"nextInstallment": "soon"}}, ("B-1", "", None, None)),
        ({"borrowerId": None, "productId": 7, "schedule": None}, ("", "", None, None)),
        ({"borrowerId": "B\x001", "productId": ".."}, ("", "", None, None)),
        ({"borrowerId": "B" * 256, "productId": "p" * 256}, ("", "", None, None)),
        ({"borrowerId": "B" * 255}, ("B" * 255, "", None, None)),
    ],
)
def test_whose_a_loan_is_of_which_product_and_what_is_due_next(
    fields: dict[str, Any], kept: tuple[object, ...]
) -> None:
    (row,) = read(loan(1, **fields))
    assert (row.borrower_id, row.product_id, row.next_due_day, row.next_due_amount) == kept


def test_a_service_with_a_kind_for_each_loan_does_not_make_the_figures_grow() -> None:
    figures = figures_of(*(loan(n, performanceStatus=f"kind {n}") for n in range(100)))
    assert len(figures.performance) == 41
    assert figures.performance[OTHER_KINDS].loans == 60


def test_a_status_holds_nothing_that_a_database_refuses() -> None:
    """PostgreSQL takes no NUL in a text, nor in JSON: one such loan would end every counting."""
    (row,) = read(loan(1, status="o\x00d", performanceStatus="a\x00b"))
    assert (row.status, row.performance) == ("od", "ab")


@pytest.mark.parametrize("odd", [{"of": "Achieng"}, ["Achieng"], True])
def test_a_status_that_is_no_word_is_not_kept_for_what_may_be_in_it(odd: object) -> None:
    (row,) = read(loan(1, status=odd, performanceStatus=odd))
    assert (row.status, row.performance) == ("", "")


def test_nothing_is_lost_in_adding() -> None:
    tiny, huge = Decimal("0.0000000001"), Decimal("9" * 30)
    both = [loan(n, loanAmount=amount) for n, amount in enumerate((tiny, huge, tiny))]
    assert figures_of(*both).months["2026-06"].amount == Decimal("9" * 30 + ".0000000002")
    kept = figures_of(*both)
    assert Figures.from_json(kept.as_json()) == kept


money = st.one_of(
    st.none(),
    st.just("text"),
    st.decimals(min_value=-(10**12), max_value=10**12, places=2),
    st.just(Decimal("0.00")),
)
loans = st.lists(
    st.builds(
        lambda number, owed, principal, overdue, amount, days, kind, start, state: loan(
            number,
            **state,
            loanAmount=amount,
            performanceStatus=kind,
            startDate=start,
            schedule={"daysLate": days},
            balances={
                "repayment": {"unpaid": owed, "overdue": overdue, "paid": amount},
                "principal": {"unpaid": principal},
            },
        ),
        st.integers(0, 30),
        *(money,) * 4,
        st.sampled_from([None, -3, 0, *(days + more for days in AT_RISK for more in (0, 1))]),
        st.sampled_from([None, 1, 2, 7, "odd"]),
        st.sampled_from(
            [None, "2026-11-01T00:00:00.000Z", "2026-11-30T00:00:00.000Z", "2025-12-31T23:59:59Z"]
        ),
        st.fixed_dictionaries(
            {
                "status": st.sampled_from([None, 1, 2, 3, 7, "open"]),
                "settlementDate": st.sampled_from([None, "2026-06-01T00:00:00.000Z"]),
                "result": st.sampled_from([None, {"type": "paid"}]),
            }
        ),
    ),
    max_size=25,
)


@pytest.mark.django_db
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(loans)
def test_each_figure_is_the_sum_of_the_list_behind_it(items: list[dict[str, Any]]) -> None:
    Snapshot.objects.all().delete()
    rows = read(*items)
    before = {row.account_id: row.principal for row in rows if row.principal}
    with exactly():
        for row in rows:
            known = before.get(row.account_id)
            row.paid_since_last = None if known is None else known - 1
    figures = Figures(TODAY)
    figures.add_all(rows)
    ended = datetime.combine(TODAY, datetime.min.time(), UTC)
    snapshot = Snapshot.objects.create(
        app_id="kenya", state="done", figures=figures.as_json(), began_at=ended, ended_at=ended
    )
    for row in rows:
        row.snapshot = snapshot
        reading.set_ranks(row)
    SnapshotLoan.objects.bulk_create(rows)
    sums = figures.sums | {f"month:{month}": one for month, one in figures.months.items()}
    sums |= {f"performance:{kind}": one for kind, one in figures.performance.items()}
    for by, figure in sums.items():
        found = open_figure(snapshot, by)
        listed = list(found.rows)
        assert list_pages(found) == listed, by
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(keyset, "AT_MOST", -1)
            assert list_pages(open_figure(snapshot, by)) == listed, by
        column = found.kind.amount or found.kind.sort.removeprefix("-")
        amounts = [getattr(row, column) for row in listed]
        known = [x for x in amounts if x is not None]
        assert sum(known, Decimal(0)) == found.totals.sums[column].amount == figure.amount, by
        assert len(amounts) == found.totals.loans == figure.loans, by
        assert known == sorted(known, reverse=True) or by.startswith("performance:"), by
    for name in ("outstanding", "overdue", "at_risk", "paid", "months"):
        found = open_figure(snapshot, f"untold:{name}")
        assert found.rows.count() == figures.untold.get(name, 0), name
    assert {f"{FIGURE}{by}" for by in sums} <= set(list_figures(figures))


@pytest.mark.parametrize(
    "by",
    [
        *("", "all", "par31", "par", "untold:", "performance", "performance:\x00", "\x00"),
        *("month:", "month:2026-13", "month:2026-5", "month:0000-01", "2026-05"),
    ],
)
def test_no_figure_is_called_so(by: str) -> None:
    assert find_kind(f"{FIGURE}{by}") is None


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "sqlite", reason="others scan a table this small")
@pytest.mark.parametrize(
    ("by", "index"),
    [
        ("outstanding", "outstanding (snapshot_id=? AND outstanding_rank>?)"),
        ("overdue", "overdue (snapshot_id=? AND overdue_rank>?)"),
        ("paid", "paid (snapshot_id=? AND paid_since_last_rank>?)"),
        # Which loans, or, by a newer SQLite, in which order.
        ("par30", "days_late (snapshot_id=? AND days_late>?)|principal_owed (snapshot_id=?"),
        ("month:2026-06", "start_day (snapshot_id=? AND start_day>? AND start_day<?)"),
        ("performance:1", "performance (snapshot_id=? AND performance=? AND outstanding_rank>?)"),
    ],
)
def test_an_index_leads_to_the_loans_of_a_figure(by: str, index: str) -> None:
    found = open_figure(Snapshot(pk=1), by)
    plan = found.first_rows[:51].explain()
    assert any(f"INDEX portfolio_by_{one}" in plan for one in index.split("|")), plan


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("by", "index"),
    [
        *((name, name) for name in ("outstanding", "overdue", "paid")),
        ("principal_outstanding", "principal_owed"),
        ("performance:1", "performance"),
    ],
)
def test_the_largest_loans_of_a_figure_come_off_its_index(by: str, index: str) -> None:
    """Without a sort, on both databases."""
    found = open_figure(Snapshot(pk=1), by)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # It rightly sorts a table this small: so it may only where no index has the order.
            cursor.execute("SET LOCAL enable_sort = off; SET LOCAL enable_seqscan = off")
    plan = found.first_rows[:51].explain()
    # Of a table this small PostgreSQL may take the one of all loans, in the same order.
    others = ["outstanding"] if connection.vendor == "postgresql" else []
    assert any(f"portfolio_by_{one}" in plan for one in (index, *others)), plan
    assert "Sort" not in plan and "TEMP B-TREE" not in plan, plan
