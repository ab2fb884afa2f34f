"""Lists over the loans of the newest count: which loans, their order, totals and corrections."""

import csv
import io
import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st

from lendingadmin.core import gateway
from lendingadmin.core.staff.models import User
from lendingadmin.core.worker.worker import Worker
from lendingadmin.desk.portfolio import loan_lists
from lendingadmin.desk.portfolio.loan_list_form import KINDS
from lendingadmin.desk.portfolio.loan_lists import LoanList
from lendingadmin.desk.portfolio.models import Snapshot, SnapshotLoan
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.desk.portfolio.views.loan_lists import COLUMNS
from lendingadmin.money.repayments.states import RepaymentState, Resolution
from lendingadmin.web import keyset
from lendingadmin.web.keyset import Slice
from tests import plans
from tests.conftest import ClientOf
from tests.people_index.conftest import Put, index, put  # noqa: F401
from tests.policies.setting import set_words
from tests.portfolio.conftest import LISTS, counted, list_pages, mark, read_page, words
from tests.portfolio.service import BookService, loan
from tests.repayments.rows import row as entry

Record = Callable[..., None]


def owing(number: int, overdue: str | None = "5.00", **fields: Any) -> dict[str, Any]:
    """An open loan with so much overdue of 60.00 outstanding."""
    one = loan(number, **fields)
    amount = None if overdue is None else Decimal(overdue)
    one["balances"]["repayment"] = one["balances"]["repayment"] | {"overdue": amount}
    return one


def due(number: int, days: int, amount: str = "10.00", **fields: Any) -> dict[str, Any]:
    """A loan that is not late, with an instalment due so many days from now in Nairobi."""
    app = gateway.lending_app("kenya")
    day = timezone.localdate(timezone=app.zone) + timedelta(days=days)
    coming = {
        "sequenceNo": 2,
        "dueDate": f"{day}T23:59:59.999Z",
        "amounts": {"repayment": Decimal(amount)},
    }
    schedule = {"daysLate": 0, "nextInstallment": coming}
    return owing(number, "0.00", schedule=schedule, **fields)


def read(query: str = "") -> LoanList:
    """The list of an address over the newest count."""
    found = loan_lists.open_list(gateway.lending_app("kenya"), QueryDict(query).dict())
    assert found is not None and found.is_valid, found and found.form.errors
    return found


def ids(query: str = "") -> list[str]:
    return [row.account_id for row in read(query).rows]


def read_csv(answer: Any) -> list[dict[str, str]]:
    """The rows of an export."""
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


@pytest.fixture
def record(support: User) -> Record:
    """Puts a repayment of now into the journal, recorded unless said otherwise."""

    def put_entry(account_id: str, amount: str, **fields: Any) -> None:
        entry(support, amount=amount, account_id=account_id, **fields)

    return put_entry


@pytest.mark.django_db
def test_each_kind_has_its_loans(service: BookService) -> None:
    today = timezone.localdate(timezone=gateway.lending_app("kenya").zone)
    paid_nothing = owing(2, "7.00")
    paid_nothing["balances"]["repayment"]["paid"] = Decimal("0.00")
    service.loans = [
        owing(0, "0.00"),
        owing(1, "9.00"),
        paid_nothing,
        due(3, 0),
        due(4, 6 - today.weekday()),
        due(5, 7 - today.weekday()),
        loan(6, status=3, settlementDate=f"{today - timedelta(days=30)}T10:00:00Z"),
        loan(7, status=3, settlementDate=f"{today - timedelta(days=32)}T10:00:00Z"),
        owing(8, None),
    ]
    counted()
    found = {kind: set(ids(f"show={kind}")) for kind in KINDS}
    assert found == {
        "": {f"L-00{n}" for n in (0, 1, 2, 3, 4, 5, 8)},
        "overdue": {"L-001", "L-002"},
        "due-today": {"L-003"} | ({"L-004"} if today.weekday() == 6 else set()),
        "due-this-week": {"L-003", "L-004"},
        "first-missed": {"L-002"},
        "closed": {"L-006"},
    }


@pytest.mark.django_db
def test_what_fell_due_since_the_count_is_due(service: BookService) -> None:
    service.loans = [due(0, -1), due(1, -4)]
    row = counted()
    began = timezone.now() - timedelta(days=2)
    Snapshot.objects.filter(pk=row.pk).update(began_at=began)
    assert ids("show=due-today") == ["L-000"]


@pytest.mark.django_db
def test_days_late_and_products_filter_and_any_column_sorts(service: BookService) -> None:
    def late(number: int, days: object, product: str) -> dict[str, Any]:
        schedule = {"daysLate": days, "nextInstallment": None}
        return owing(number, f"{number}.00", schedule=schedule, productId=product)

    service.loans = [
        *(late(1, 7, "P-1"), late(2, 8, "P-1"), late(3, 30, "P-2")),
        *(late(4, 31, "P-2"), late(5, 91, "P-2"), late(6, None, "P-3")),
    ]
    counted()
    assert ids("late=8-30&sort=loan") == ["L-002", "L-003"]
    assert ids("late=91") == ["L-005"] and ids("late=61-90") == []
    assert ids("product=P-1&sort=-overdue") == ["L-002", "L-001"]
    # A product that no open loan has any more is a list without loans, not a fault.
    assert ids("product=P-9") == []
    assert ids("sort=late")[:2] == ["L-001", "L-002"] and ids("sort=late")[-1] == "L-006"
    assert ids("sort=-late")[:2] == ["L-005", "L-004"] and ids("sort=-late")[-1] == "L-006"
    assert ids("sort=-product")[0] == "L-006"
    assert ids("show=overdue&sort=nothing") == ids("show=overdue&sort=-overdue")
    snapshot = find_with_loans("kenya")
    assert snapshot and loan_lists.list_products(snapshot) == [("P-1", 2), ("P-2", 3), ("P-3", 1)]


@settings(deadline=None)
@given(st.lists(st.decimals(-10, 10**12, places=7), max_size=20))
@pytest.mark.django_db
def test_totals_are_exact(amounts: list[Decimal]) -> None:
    row = Snapshot.objects.create(app_id="kenya", state="done", ended_at=timezone.now())
    loans = [
        SnapshotLoan(snapshot=row, account_id=f"L-{at}", is_open=True, outstanding=amount)
        for at, amount in enumerate(amounts)
    ]
    SnapshotLoan.objects.bulk_create(loans)
    totals = read().totals
    assert totals.loans == len(amounts)
    assert totals.sums["outstanding"] == (sum(amounts, Decimal(0)), 0)
    assert totals.sums["overdue"] == (Decimal(0), len(amounts))
    row.delete()


@pytest.mark.django_db
def test_what_was_recorded_since_corrects_the_list_at_once(
    service: BookService, record: Record
) -> None:
    service.loans = [owing(0, "9.00"), owing(1, "5.00"), owing(2, None)]
    counted()
    assert read("show=overdue").totals.sums["overdue"].amount == Decimal("14.00")
    record("L-000", "4.00")
    record("L-001", "5.00")
    record("L-009", "8.00")
    found = read("show=overdue")
    (left,) = found.rows
    row = found.build_row(left)
    assert (row.amounts["overdue"], row.amounts["outstanding"]) == (Decimal(5), Decimal(56))
    assert row.recorded and row.recorded.amount == Decimal("4.00")
    assert found.totals.loans == found.count_some() == 1
    assert found.totals.sums["overdue"].amount == Decimal("5.00")
    # In the list of all open loans it stays, with what is left.
    found = read()
    assert found.totals.loans == 3
    assert found.totals.sums["overdue"] == (Decimal("5.00"), 1)
    assert found.totals.sums["outstanding"].amount == Decimal("171.00")


@pytest.mark.django_db
def test_a_payment_goes_to_what_is_overdue_first_and_then_to_what_is_next(
    service: BookService, record: Record
) -> None:
    one = due(0, 3, "10.00")
    one["balances"]["repayment"]["overdue"] = Decimal("3.00")
    service.loans = [one, due(1, 3, "10.00")]
    counted()
    record("L-000", "8.00")
    found = read()
    amounts = found.build_row(found.rows.get(account_id="L-000")).amounts
    assert (amounts["overdue"], amounts["next_due_amount"]) == (Decimal(0), Decimal(5))
    assert found.totals.sums["overdue"].amount == 0
    assert found.totals.sums["next_due_amount"].amount == Decimal(15)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("show", "overdue", "coming", "paid", "stays"),
    [
        ("overdue", "5.00", "10.00", "4.99", True),
        ("overdue", "5.00", "10.00", "5.00", False),
        ("due-today", "0.00", "10.00", "9.99", True),
        ("due-today", "0.00", "10.00", "10.00", False),
        ("due-today", "2.00", "10.00", "11.00", True),
        # What was not reported is not known to be paid.
        ("due-today", "0.00", None, "1000.00", True),
        ("due-today", None, "10.00", "1000.00", True),
        # It may be due again within the week.
        ("due-this-week", "0.00", "10.00", "1000.00", True),
        ("", "5.00", "10.00", "1000.00", True),
    ],
)
def test_what_is_paid_takes_a_loan_off_the_lists_that_it_settles(
    service: BookService,
    record: Record,
    show: str,
    overdue: str | None,
    coming: str | None,
    paid: str,
    stays: bool,
) -> None:
    one = due(0, 0, coming or "1.00")
    one["balances"]["repayment"]["overdue"] = None if overdue is None else Decimal(overdue)
    if coming is None:
        del one["schedule"]["nextInstallment"]["amounts"]
    service.loans = [one]
    counted()
    record("L-000", paid)
    assert ids(f"show={show}") == (["L-000"] if stays else [])


@pytest.mark.django_db
def test_of_a_count_of_yesterday_nobody_is_known_to_owe_nothing_today(
    service: BookService, record: Record
) -> None:
    service.loans = [due(0, 0, "10.00")]
    row = counted()
    record("L-000", "10.00")
    assert ids("show=due-today") == []
    Snapshot.objects.filter(pk=row.pk).update(began_at=row.began_at - timedelta(days=1))
    assert ids("show=due-today") == ["L-000"]
    assert read("show=due-today").title == loan_lists.DUE_SINCE


@pytest.mark.django_db
def test_a_first_instalment_is_not_missed_once_anything_was_paid(
    service: BookService, record: Record
) -> None:
    one = owing(0, "7.00")
    one["balances"]["repayment"]["paid"] = Decimal(0)
    service.loans = [one]
    counted()
    assert ids("show=first-missed") == ["L-000"]
    record("L-000", "0.01")
    assert ids("show=first-missed") == []


@pytest.mark.django_db
def test_a_loan_that_left_takes_what_was_not_reported_of_it_along(
    service: BookService, record: Record
) -> None:
    one = due(0, 0, "10.00")
    one["balances"]["repayment"]["unpaid"] = None
    service.loans = [one]
    counted()
    assert read("show=due-today").totals.sums["outstanding"] == (0, 1)
    record("L-000", "10.00")
    assert read("show=due-today").totals.sums["outstanding"] == (0, 0)


@pytest.mark.django_db
def test_what_was_entered_while_the_loans_were_counted_is_said_and_not_taken_off(
    client_of: ClientOf, officer: User, service: BookService, record: Record
) -> None:
    service.loans = [owing(0, "5.00")]
    row = counted()
    began = row.began_at - timedelta(minutes=20)
    Snapshot.objects.filter(pk=row.pk).update(began_at=began)
    record("L-000", "5.00", created_at=row.began_at - timedelta(minutes=5))
    found = read("show=overdue")
    (loan,) = found.rows
    assert found.build_row(loan).amounts["overdue"] == Decimal("5.00")
    text = words(read_page(client_of(officer), f"{LISTS}?show=overdue"))
    assert "5.00 recorded during the update" in text
    assert "updated 20 min ago" in text


@pytest.mark.django_db
def test_only_what_is_surely_not_in_the_count_corrects_it(
    service: BookService, record: Record
) -> None:
    service.loans = [owing(0, "5.00")]
    row = counted()
    record("L-000", "5.00", created_at=row.began_at - timedelta(seconds=1))
    record("L-000", "5.00", state=RepaymentState.NOT_FOUND)
    record("L-000", "5.00", state=RepaymentState.RESOLVED, resolution=Resolution.NOT_RECORDED)
    record("L-000", "5.00", currency_code="USD")
    record("L-000", "5.00", app_id="ghana")
    assert ids("show=overdue") == ["L-000"]
    record("L-000", "5.00", state=RepaymentState.RESOLVED, resolution=Resolution.RECORDED)
    assert ids("show=overdue") == []


@pytest.mark.django_db
def test_the_page_names_people_and_has_pages_totals_and_the_age(
    client_of: ClientOf,
    officer: User,
    viewer: User,
    service: BookService,
    put: Put,  # noqa: F811
) -> None:
    put("B-1", surname="Kamau", othernames="Ann", phoneNumber="+254700186215")
    service.size = 1000
    service.loans = [owing(number, f"{number + 1}.00") for number in range(30)]
    counted()
    desk = client_of(officer)
    html = read_page(desk, f"{LISTS}?show=overdue&pageSize=25")
    text = words(html)
    assert f"<bdi>{KINDS['overdue'].title}</bdi>" in html and ">just now</time>" in html
    assert "Kamau Ann L-029 +254 700 186 215" in text
    assert "30 loans (KES) 465.00" in text and "L-004" not in text
    following = re.search(r'href="([^"]+)" rel="next"', html)
    assert following and 'aria-sort="descending"' in html
    html = read_page(desk, unescape(following[1]))
    assert "Kamau Ann L-004" in words(html) and "L-005" not in words(html)
    assert 'rel="next"' not in html and 'aria-sort="descending"' in html
    text = words(read_page(client_of(viewer), f"{LISTS}?show=overdue"))
    assert "K. A. L-029" in text and "186215" not in text


@pytest.mark.django_db
@pytest.mark.parametrize("longest", [-1, 5_000], ids=["past others", "sorted"])
@pytest.mark.parametrize(
    "query",
    [
        *("", "show=overdue", "show=due-this-week", "late=1-7", "product=P"),
        *("show=figure-overdue", "show=figure-performance:1"),
    ],
)
def test_the_pages_are_the_list_in_pieces(
    service: BookService, monkeypatch: pytest.MonkeyPatch, query: str, longest: int
) -> None:
    monkeypatch.setattr(keyset, "AT_MOST", longest)
    service.size = 1000
    service.loans = [due(number, number % 2, productId="QP"[number % 2]) for number in range(123)]
    for number, one in enumerate(service.loans):
        one["balances"]["repayment"]["overdue"] = Decimal(number % 3)
        one["schedule"]["daysLate"] = number % 9
    counted()
    for sort in ("-overdue", "overdue", "product", "-late", "late", "loan", "due", "-outstanding"):
        found = read(f"{query}&sort={sort}&pageSize=25")
        pieces = list_pages(found)
        assert pieces == list(found.rows) and len(pieces) == found.totals.loans > 50, sort
    assert read("product=none").read_page() == Slice([])


@pytest.mark.django_db(transaction=True)
def test_the_lists_of_a_count_are_added_up_before_somebody_asks(service: BookService) -> None:
    service.loans = [owing(number, f"{number % 3}.00") for number in range(9)]
    counted()
    Worker(once=True).run()
    found = read("show=overdue")
    with CaptureQueriesContext(connection) as queries:
        assert found.totals.loans == 6
    assert not any("snapshotloan" in one["sql"] for one in queries.captured_queries)


@pytest.mark.django_db
def test_a_later_page_counts_nothing_and_leaves_out_what_was_settled_since(
    service: BookService, record: Record
) -> None:
    service.size = 1000
    service.loans = [owing(number, f"{number % 3}.00") for number in range(60)]
    counted()
    before = str(read("show=overdue&pageSize=25").read_page().next)
    # The last one of the first page has left the list too.
    for paid in ("", "L-001", before):
        if paid:
            record(paid, "2.00")
        found = read("show=overdue&pageSize=25")
        found.sum_counted()
        with CaptureQueriesContext(connection) as queries:
            later = [row.loan.account_id for row in found.read_page(before).rows]
        listed = [loan.account_id for loan in found.rows]
        assert later == listed[-15:] and len(listed) == 40 - 1 * bool(paid) - (paid == before)
        assert not any("COUNT" in one["sql"] for one in queries.captured_queries)


@pytest.mark.django_db
def test_a_count_that_comes_meanwhile_begins_the_page_at_the_same_loan(
    service: BookService,
) -> None:
    service.size = 1000
    service.loans = [owing(number, f"{number}.00") for number in range(60)]
    counted()
    before = str(read("pageSize=25&sort=-overdue").read_page().next)
    service.loans = service.loans[:50]
    counted()
    assert before == "L-035"
    rows = read("pageSize=25&sort=-overdue").read_page(before).rows
    assert [row.loan.account_id for row in rows] == [f"L-{n:03}" for n in range(34, 9, -1)]


@pytest.mark.django_db
def test_a_list_over_the_count_that_its_address_names_is_as_it_was_counted(
    client_of: ClientOf, manager: User, service: BookService, record: Record
) -> None:
    service.loans = [owing(0, "9.00"), owing(1, "5.00")]
    old = counted()
    service.loans = [owing(0, "2.00")]
    newest = counted()
    record("L-000", "2.00")
    assert read(f"show=figure-overdue&count={old.pk}").totals.sums["overdue"].amount == 14
    found = read(f"show=figure-overdue&count={newest.pk}")
    assert (found.totals.sums["overdue"].amount, found.recorded) == (2, {})
    assert read("show=figure-overdue").totals.sums["overdue"].amount == 0
    desk = client_of(manager)
    # What is made of a list is made of the newest count.
    for query, leads_on in (("", True), (f"?count={old.pk}", False)):
        html = read_page(desk, f"{LISTS}{query}")
        assert ("/collections/queues/new?" in html) is leads_on
        assert ("/assignments/lists/new?" in html) is leads_on
        assert f"{LISTS}new?" in html
    answer = desk.get(f"{LISTS}export.csv?technical=1&show=figure-overdue&count={old.pk}")
    rows = read_csv(answer)
    assert [row["balances.repayment.overdue"] for row in rows] == ["9.00", "5.00"]
    assert [row["balances.principal.unpaid"] for row in rows] == ["50.00", "50.00"]
    assert [row["recordedSince"] for row in rows] == ["", ""]


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "sqlite", reason="the plan is SQLite's")
@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("longest", [-1, 5_000], ids=["past others", "sorted"])
@pytest.mark.parametrize(
    "query", ["", "show=overdue", "show=due-this-week", "show=closed", "sort=product"]
)
def test_a_page_comes_off_an_index_without_a_sort(
    service: BookService,
    monkeypatch: pytest.MonkeyPatch,
    query: str,
    longest: int,
    is_turned: bool,
) -> None:
    monkeypatch.setattr(keyset, "AT_MOST", longest)
    service.loans = [owing(number, f"{number}.00") for number in range(3)]
    counted()
    rows = read(query).first_rows
    sql, params = (rows.reverse() if is_turned else rows)[:50].query.sql_with_params()
    assert not [step for step in plans.explain(sql, params) if "TEMP B-TREE" in step]


@pytest.mark.django_db
def test_before_the_first_count_the_page_says_so(client_of: ClientOf, officer: User) -> None:
    assert mark("uncounted") in read_page(client_of(officer), LISTS)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "query",
    [
        *("show=nothing", "late=4", "pageSize=7", "pageSize=", "product=%00", "sort=%00"),
        *("before=x", "before=%00", "before=L-0%2F", f"before={'9' * 300}", "count=x", "count=-1"),
        *("show=figure-", "show=figure-par31", "show=figure-month:1", "show=figure-month:0000-01"),
        *(f"{name}={'x' * 1500}" for name in ("product", "sort", "show")),
        *("show=figure-performance:%00", f"show=figure-performance:{'x' * 1500}"),
    ],
)
def test_an_address_that_makes_no_sense_is_no_fault(
    client_of: ClientOf, officer: User, service: BookService, query: str
) -> None:
    counted()
    assert client_of(officer).get(f"{LISTS}?{query}").status_code == 200


@pytest.mark.django_db
def test_the_csv_has_all_of_the_list_with_names(
    client_of: ClientOf,
    officer: User,
    service: BookService,
    record: Record,
    put: Put,  # noqa: F811
) -> None:
    put("B-1", surname="Kamau", othernames="Ann")
    service.loans = [owing(0, "9.00"), owing(1, "0.00"), owing(2, "4.50")]
    counted()
    record("L-000", "1.00")
    answer = client_of(officer).get(f"{LISTS}export.csv?technical=1&show=overdue")
    rows = read_csv(answer)
    assert [row["accountId"] for row in rows] == ["L-000", "L-002"]
    assert rows[0]["balances.repayment.overdue"] == "8.00"
    assert rows[0]["recordedSince"] == "1" and rows[1]["recordedSince"] == ""
    assert rows[0]["borrowerName"] == "Kamau Ann"
    answer = client_of(officer).get(f"{LISTS}export.csv?show=overdue")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]
    head, *cells = csv.reader(io.StringIO(text))
    assert head == [column.write_head("KES") for column in COLUMNS]
    assert len(cells[0]) == len(head) and sum("(KES)" in one for one in head) == 8


@pytest.mark.django_db
@pytest.mark.parametrize(("show", "shown"), [("figure-outstanding", True), ("closed", False)])
def test_closed_loans_show_no_performance(
    client_of: ClientOf,
    officer: User,
    service: BookService,
    settings: Any,
    show: str,
    shown: bool,
) -> None:
    set_words(performance={"1": "in-good-health"})
    today = timezone.localdate(timezone=gateway.lending_app("kenya").zone)
    ended = today - timedelta(days=3)
    service.loans = [owing(0), loan(1, status=3, settlementDate=f"{ended}T10:00:00Z")]
    counted()
    desk, name = client_of(officer), "L-000" if shown else "L-001"
    page = read_page(desk, f"{LISTS}?show={show}")
    assert name in page and ("in-good-health" in page) == shown
    rows = read_csv(desk.get(f"{LISTS}export.csv?show={show}"))
    assert len(rows) == 1 and ("in-good-health" in rows[0].values()) == shown
    [row] = read_csv(desk.get(f"{LISTS}export.csv?technical=1&show={show}"))
    assert row["performanceStatus"] == "1"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "index_name"),
    [
        ("show=overdue", "overdue"),
        ("show=due-today", "portfolio_by_next_due_day"),
        ("show=due-this-week", "portfolio_by_next_due_day"),
        ("show=first-missed", "portfolio_first_missed"),
        ("show=closed", "portfolio_by_settlement_day"),
        ("late=31-60", "portfolio_by_days_late"),
        ("product=P-1", "by_product"),
    ],
)
def test_an_index_finds_the_loans_of_a_list(
    service: BookService, query: str, index_name: str
) -> None:
    row = counted()
    loans = [
        SnapshotLoan(
            snapshot=row,
            account_id=f"M-{n}",
            is_open=True,
            overdue_rank=None,
            outstanding_rank=float(n),
            product_id=f"P-{n % 50}",
            days_late=0,
        )
        for n in range(2_000)
    ]
    SnapshotLoan.objects.bulk_create(loans)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE portfolio_snapshotloan")
    assert index_name in read(query).rows.order_by().explain()
