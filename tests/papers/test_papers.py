"""The papers of a loan and of a borrower: what they say, to whom, and when there is none."""

import json
import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import escape

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import lending_app
from lendingadmin.core.policies.lender import LENDER
from lendingadmin.core.staff.erasure import erase_borrower
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import MAKE_PAPERS
from lendingadmin.desk.papers import services
from lendingadmin.desk.papers.models import Paper, PaperKind
from lendingadmin.desk.papers.services import Wanted
from lendingadmin.desk.statements.models import StatementFile, StatementLine
from lendingadmin.money.repayments.models import Mistake, Reading, Repayment
from lendingadmin.money.repayments.states import RepaymentState
from tests.conftest import ClientOf
from tests.faults.behaviours import refusal
from tests.papers.conftest import PaperService
from tests.plans import scans_of, watched_queries
from tests.policies.setting import set_policy
from tests.portfolio.conftest import counted
from tests.repayments.rows import row
from tests.repayments.threads import at_once
from tests.roles import hold_only

pytestmark = pytest.mark.django_db(transaction=True)
OCTOBER = datetime(2026, 10, 20, 9, tzinfo=UTC)
LETTERS = "/apps/kenya/papers/"
LOAN, BORROWER = "/apps/kenya/loans/L-1/papers/", "/apps/kenya/borrowers/B-1/papers/"


def make(
    desk: Client, address: str = LOAN, kind: PaperKind = PaperKind.STATEMENT, **fields: str
) -> Any:
    """Send the form as the page offers it; the answer."""
    found = re.search(r'name="token" value="([^"]+)"', desk.get(address).content.decode())
    assert found
    given = {"token": found[1], "kind": kind.value, "language": "en"}
    return desk.post(address, given | fields)


def find_suggested(desk: Client, address: str) -> dict[str, tuple[str, str]]:
    """Return the address and the token of each suggested paper, by kind."""
    page = desk.get(address).content.decode()
    rows = re.findall(r'data-suggested="([^"]+)"(.*?)</li>', page, re.DOTALL)
    found = {}
    for kind, row_of_kind in rows:
        url = re.search(r'(?:action|href)="([^"]+)"', row_of_kind)
        token = re.search(r'name="token" value="([^"]+)"', row_of_kind)
        assert url
        found[kind] = url[1], token[1] if token else ""
    return found


def finding(answer: Any) -> str:
    """Why there is no paper, by its mark."""
    assert not Paper.objects.exists()
    found = re.search(r'class="notice[^>]*data-finding="([^"]+)"', answer.content.decode())
    return found[1] if found else ""


def pay(
    by: User, service: PaperService, amount: str = "300", at: datetime = OCTOBER, **fields: Any
) -> Repayment:
    """Record a repayment on L-1, with the readings before and after."""
    loan = service.loans["L-1"]
    usual = {"account_id": "L-1", "borrower_id": "B-1", "sent_at": at, "created_at": at}
    made = row(by, amount=amount, **usual | fields)
    read(made, Reading.Kind.BASELINE, loan, at - timedelta(seconds=1))
    if made.is_recorded or made.state == RepaymentState.PRESUMED:
        loan["paid"] += Decimal(amount)
    read(made, Reading.Kind.AFTER, loan, at + timedelta(seconds=1))
    return made


def read(repayment: Repayment, kind: str, loan: dict[str, Any], at: datetime) -> None:
    unpaid = loan["total"] - loan["paid"]
    repayment.readings.create(kind=kind, taken_at=at, paid=loan["paid"], unpaid=unpaid)


def show(desk: Client, answer: Any) -> str:
    assert answer.status_code == 302, finding(answer)
    page = desk.get(answer.headers["Location"])
    assert page.status_code == 200
    return str(page.content.decode())


def fields_of(page: str) -> dict[str, str]:
    return dict(re.findall(r'data-field="(\w+)">([^<]*)<', page))


def lines_of(page: str) -> list[str]:
    return re.findall(r'data-line="(\w+)"', page)


def test_a_statement_has_every_repayment_and_adds_up(
    desk: Client, service: PaperService, loan: str, support: User
) -> None:
    set_policy(
        LENDER, name="Umoja Credit", licence="DCP 17", address="Moi Avenue", complaints="0800 1"
    )
    pay(support, service, external_id="QK7X42", receipt_year=2026, receipt_sequence=5)
    service.loans[loan]["paid"] += 200
    pay(support, service, "100", OCTOBER + timedelta(days=9))
    page = show(desk, make(desk))
    assert lines_of(page) == ["principal", "interest", "fees", "repayment", "other", "repayment"]
    assert fields_of(page) == {
        "opening": "0.00",
        "charged": "1,200.00",
        "paid": "600.00",
        "closing": "600.00",
        "owed": "KES 600.00",
    }
    for words in ("KENYA-2026-000005", "QK7X42", "ANNE WANJIRU", "L-1", "B-1", "officer"):
        assert words in page
    for words in ("Umoja Credit", "DCP 17", "Moi Avenue", "0800 1"):
        assert words in page
    # Between the first repayment and the reading before the second one.
    assert "20 Oct 2026" in page and "29 Oct 2026" in page and "200.00" in page
    assert "+254" not in page and "style=" not in page


def test_a_period_begins_with_the_figures_that_are_known(
    desk: Client, service: PaperService, loan: str, support: User
) -> None:
    pay(support, service)
    pay(support, service, "100", OCTOBER + timedelta(days=9))
    page = show(desk, make(desk, firstDay="2026-10-25"))
    assert (fields_of(page)["opening"], fields_of(page)["closing"]) == ("900.00", "800.00")
    assert lines_of(page) == ["repayment"]
    page = show(desk, make(desk, firstDay="2026-10-10", lastDay="2026-10-21"))
    assert (fields_of(page)["opening"], fields_of(page)["closing"]) == ("1,200.00", "900.00")
    page = show(desk, make(desk, firstDay="2026-10-01", lastDay="2026-10-21"))
    assert (fields_of(page)["opening"], fields_of(page)["closing"]) == ("0.00", "900.00")
    assert lines_of(page) == ["charged", "repayment"]


@pytest.mark.parametrize(
    ("days", "field"),
    [
        ({"firstDay": "2026-10-09", "lastDay": "2026-10-08"}, "lastDay"),
        ({"firstDay": "2999-01-01"}, "firstDay"),
        ({"lastDay": "31 October"}, "lastDay"),
        ({"language": "xx"}, "language"),
        ({"token": "made up"}, None),
    ],
)
def test_a_form_that_makes_no_sense_makes_no_paper(
    desk: Client, loan: str, days: dict[str, str], field: str | None
) -> None:
    answer = make(desk, **days)
    assert answer.status_code == 200
    assert list(answer.context["form"].errors) == [field or "__all__"]
    assert not Paper.objects.exists()


def test_a_paper_of_a_loan_reads_the_loan_once(
    desk: Client, service: PaperService, loan: str
) -> None:
    desk.get(LOAN)
    before = len(service.server.arrived)
    make(desk)
    read = [one for one in service.server.arrived[before:] if one.line.endswith(f"/loans/{loan}")]
    # One for the page with the form, and one for the paper.
    assert len(read) == 2


def test_a_letter_is_not_a_paper_of_a_borrower(desk: Client, loan: str) -> None:
    assert "kind" in make(desk, BORROWER, PaperKind.DISCHARGE).context["form"].errors


def test_all_loans_of_a_borrower_are_on_one_statement(
    desk: Client, service: PaperService, loan: str, support: User
) -> None:
    service.add("L-2", total=Decimal("700.55"), startDate="2026-11-01T00:00:00.000Z")
    service.add("L-9", borrower_id="B-2", startDate="2026-11-01T00:00:00.000Z")
    pay(support, service)
    page = show(desk, make(desk, BORROWER))
    assert "L-1" in page and "L-2" in page and "L-9" not in page
    assert fields_of(page)["owed"] == "KES 1,600.55"
    [paper] = Paper.objects.all()
    assert (paper.borrower_id, paper.account_id) == ("B-1", "")


ODD: list[tuple[str, dict[str, Any]]] = [
    ("unreadable", {"odd": {"repayment": None}}),
    ("unreadable", {"odd": {"repayment": {"paid": 0, "total": 1200}}}),
    ("unreadable", {"odd": {"repayment": {"paid": 0, "total": 1200, "unpaid": "much"}}}),
    ("unbalanced", {"odd": {"repayment": {"paid": 1, "total": 1200, "unpaid": 1200}}}),
    ("unbalanced", {"odd": {"repayment": {"paid": -1, "total": 1199, "unpaid": 1200}}}),
    ("unbalanced", {"odd": {"fees": {"total": 51, "paid": 0, "unpaid": 51}}}),
    ("no-start", {"startDate": None}),
]


@pytest.mark.parametrize(("code", "fields"), ODD)
@pytest.mark.parametrize("address", [LOAN, BORROWER])
def test_figures_that_can_t_be_read_or_do_not_add_up_are_on_no_paper(
    desk: Client, service: PaperService, loan: str, address: str, code: str, fields: Any
) -> None:
    service.loans[loan] |= fields
    assert finding(make(desk, address)) == code


def test_without_its_parts_a_total_is_one_line(
    desk: Client, service: PaperService, loan: str
) -> None:
    service.loans[loan]["odd"] = {"fees": None}
    assert lines_of(show(desk, make(desk))) == ["charged"]


def test_repayments_in_another_currency_are_on_no_paper(
    desk: Client, service: PaperService, loan: str, support: User
) -> None:
    pay(support, service, currency_code="USD")
    assert finding(make(desk)) == "currencies"


def test_a_borrower_without_loans_or_without_a_name_gets_no_paper(
    desk: Client, service: PaperService, loan: str
) -> None:
    assert finding(make(desk, "/apps/kenya/borrowers/B-7/papers/")) == "no-loans"
    service.people["B-1"] = ("", "")
    assert finding(make(desk)) == "unnamed"


def test_an_id_that_is_too_long_to_store_makes_no_paper(
    desk: Client, service: PaperService, loan: str
) -> None:
    service.loans[loan]["borrowerId"] = "B" * 256
    assert finding(make(desk)) == "unreadable"


def test_no_period_is_before_the_first_figures(
    desk: Client, service: PaperService, loan: str, support: User
) -> None:
    pay(support, service)
    assert finding(make(desk, lastDay="2026-10-05")) == "no-reading"


def test_a_service_that_is_gone_makes_no_paper_and_uses_no_number(
    desk: Client, service: PaperService, loan: str
) -> None:
    token = re.search(r'name="token" value="([^"]+)"', desk.get(BORROWER).content.decode())
    assert token
    service.server.on("GET ", refusal(500, "gone"))
    answer = desk.post(BORROWER, {"token": token[1], "kind": "statement", "language": "en"})
    assert answer.status_code == 502
    assert not Paper.objects.exists()


def test_a_payment_that_is_being_checked_is_named_and_not_counted(
    desk: Client, service: PaperService, loan: str, support: User
) -> None:
    pay(support, service, state=RepaymentState.UNKNOWN, external_id="DOUBT-1")
    page = show(desk, make(desk))
    assert "DOUBT-1" in page and fields_of(page)["closing"] == "1,200.00"
    assert "repayment" not in lines_of(page)


def test_a_letter_is_for_a_loan_that_is_settled_and_in_order(
    desk: Client, service: PaperService, loan: str, support: User
) -> None:
    assert finding(make(desk, LOAN, PaperKind.DISCHARGE)) == "not-settled"
    paid = pay(support, service, "1200")
    doubtful = row(support, RepaymentState.PRESUMED, account_id=loan, borrower_id="B-1")
    assert finding(make(desk, LOAN, PaperKind.DISCHARGE)) == "needs-checking"
    Repayment.objects.filter(pk=doubtful.pk).update(state=RepaymentState.NOT_SENT)
    now = timezone.now()
    report = Mistake.objects.create(
        repayment=paid, note="n", reported_by=support, reported_at=now, idempotency_key="m"
    )
    assert finding(make(desk, LOAN, PaperKind.DISCHARGE)) == "needs-checking"
    report.delete()
    Repayment.objects.filter(pk=paid.pk).update(alarm_at=now)
    assert finding(make(desk, LOAN, PaperKind.DISCHARGE)) == "needs-checking"
    Repayment.objects.filter(pk=paid.pk).update(alarm_seen_at=now)
    page = show(desk, make(desk, LOAN, PaperKind.DISCHARGE))
    assert 'data-sheet="discharge"' in page and "KES 1,200.00" in page and "KES 0.00" in page


@pytest.mark.parametrize(
    ("code", "fields"),
    [
        ("not-settled", {"settlementDate": None}),
        ("not-settled", {"status": 2}),
        ("owed", {"odd": {"penalty": {"total": 0, "paid": 0, "unpaid": 1}}}),
    ],
)
def test_a_loan_that_only_looks_settled_gets_no_letter(
    desk: Client,
    service: PaperService,
    loan: str,
    code: str,
    fields: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    service.loans[loan]["paid"] = Decimal(1_200)
    written = service.write(loan)
    odd = fields.pop("odd", {})
    given = written | fields | {"balances": written["balances"] | odd}
    monkeypatch.setattr(service, "write", lambda _loan_id: given)
    assert finding(make(desk, LOAN, PaperKind.DISCHARGE)) == code


def test_a_paper_never_changes_and_says_when_it_is_a_reprint(
    desk: Client, boss: Client, service: PaperService, loan: str
) -> None:
    set_policy(LENDER, name="Umoja Credit")
    first = show(desk, answer := make(desk))
    set_policy(LENDER, name="Another Lender")
    service.loans[loan]["paid"] += 500
    again = boss.get(answer.headers["Location"]).content.decode()
    assert 'data-finding="reprint"' not in first and 'data-finding="reprint"' in again
    assert fields_of(first) == fields_of(again)
    assert "Umoja Credit" in again and "Another Lender" not in again
    entries = Entry.objects.filter(action=MAKE_PAPERS).order_by("pk")
    assert [(one.outcome, one.username) for one in entries] == [
        ("made", "officer"),
        ("opened for printing", "officer"),
        ("opened for reprinting", "manager"),
    ]
    [paper] = Paper.objects.all()
    assert entries[0].subject == f"L-1 {paper}" and entries[0].url == paper.get_absolute_url()


def test_a_form_that_is_sent_twice_makes_one_paper(desk: Client, loan: str) -> None:
    token = re.search(r'name="token" value="([^"]+)"', desk.get(LOAN).content.decode())
    assert token
    given = {"token": token[1], "kind": "statement", "language": "en"}
    places = {desk.post(LOAN, given).headers["Location"] for _ in range(2)}
    assert len(places) == Paper.objects.count() == 1


def test_numbers_have_no_gaps_though_many_make_papers_at_once(
    service: PaperService, loan: str, officer: User
) -> None:
    """Of two forms with the same key, one paper is made."""
    app, wanted = lending_app("kenya"), Wanted(PaperKind.STATEMENT, "B-1", loan, "en")

    def act(number: int) -> int:
        return services.make_paper(app, wanted, f"form-{number // 2}", officer).number

    found = at_once(12, act)
    assert sorted(map(str, found)) == sorted(str(number) for number in [*range(1, 7)] * 2)
    assert list(Paper.objects.order_by("number").values_list("number", flat=True)) == [*range(1, 7)]


def test_each_kind_of_an_app_and_a_year_takes_the_next_number(
    service: PaperService, loan: str, officer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.loans[loan]["paid"] = Decimal(1_200)
    app, eve = lending_app("kenya"), datetime(2026, 12, 31, 20, 59, 59, tzinfo=UTC)

    def make_at(at: datetime, kind: PaperKind) -> str:
        monkeypatch.setattr(timezone, "now", lambda: at)
        wanted = Wanted(kind, "B-1", loan, "en")
        return str(services.make_paper(app, wanted, f"{kind}{at}", officer))

    assert make_at(eve, PaperKind.STATEMENT) == "KENYA-2026-P000001"
    assert make_at(eve, PaperKind.DISCHARGE) == "KENYA-2026-P000002"
    assert make_at(eve + timedelta(seconds=1), PaperKind.STATEMENT) == "KENYA-2027-P000001"


def test_what_fails_leaves_no_gap(
    service: PaperService, loan: str, officer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, wanted = lending_app("kenya"), Wanted(PaperKind.STATEMENT, "B-1", loan, "en")

    def fail(*_args: object, **_fields: object) -> None:
        raise RuntimeError("the process dies before it commits")

    with monkeypatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr(services.audit, "record_about", fail)
        services.make_paper(app, wanted, "first", officer)
    assert services.make_paper(app, wanted, "second", officer).number == 1


def test_a_masked_role_gets_no_paper(
    client_of: ClientOf, desk: Client, loan: str, viewer: User
) -> None:
    place = make(desk).headers["Location"]
    masked = client_of(viewer)
    for address in (LOAN, BORROWER, place):
        assert masked.get(address).status_code == 403
    assert masked.post(LOAN).status_code == 403
    for page in ("/apps/kenya/loans/L-1/", "/apps/kenya/borrowers/B-1/record"):
        assert "data-papers" in desk.get(page).content.decode()
        assert "data-papers" not in masked.get(page).content.decode()
    # The right to make papers is not enough without the right to names.
    loans = ("lending.loans.get", "lending.loans.list")
    hold_only(viewer, MAKE_PAPERS, *loans, "lending.borrowers.get")
    for address in (LOAN, BORROWER, place):
        assert client_of(viewer).get(address).status_code == 403


def test_a_paper_is_on_the_timelines_and_on_its_page(
    desk: Client, service: PaperService, loan: str
) -> None:
    make(desk)
    [paper] = Paper.objects.all()
    for address in ("/apps/kenya/loans/L-1/timeline/", "/apps/kenya/borrowers/B-1/timeline/"):
        assert paper.get_absolute_url() in desk.get(address).content.decode()
    for address in (LOAN, BORROWER):
        assert paper.get_absolute_url() in desk.get(address).content.decode()
    assert desk.get("/apps/ghana/papers/2026/1/").status_code in (403, 404)


def test_settled_loans_without_a_letter_are_listed(
    desk: Client, service: PaperService, loan: str
) -> None:
    assert 'data-finding="not-counted"' in desk.get(LETTERS).content.decode()
    for name, paid in (("L-2", 700), ("L-3", 699)):
        started = {"startDate": "2026-10-01T00:00:00.000Z"}
        service.add(name, paid=Decimal(paid), total=Decimal(700), **started)
    counted()
    page = desk.get(LETTERS).content.decode()
    assert "/loans/L-2/papers/" in page
    assert "/loans/L-1/papers/" not in page and "/loans/L-3/papers/" not in page
    make(desk, "/apps/kenya/loans/L-2/papers/")
    assert "/loans/L-2/papers/" in desk.get(LETTERS).content.decode()
    make(desk, "/apps/kenya/loans/L-2/papers/", PaperKind.DISCHARGE)
    assert 'data-finding="empty"' in desk.get(LETTERS).content.decode()


def test_a_borrower_s_page_of_papers_makes_the_letter_of_a_settled_loan(
    desk: Client, service: PaperService, loan: str
) -> None:
    started = {"startDate": "2026-10-01T00:00:00.000Z"}
    service.add("L-2", paid=Decimal(700), total=Decimal(700), **started)
    counted()
    url, token = find_suggested(desk, BORROWER)["discharge"]
    assert url == "/apps/kenya/loans/L-2/papers/"
    answer = desk.post(url, {"token": token, "kind": "discharge", "language": "en"})
    assert answer.status_code == 302
    assert [(one.kind, one.account_id) for one in Paper.objects.all()] == [("discharge", "L-2")]
    assert find_suggested(desk, BORROWER) == {}


@pytest.mark.skipif(connection.vendor != "sqlite", reason="make bench reads the plans there")
def test_each_query_is_served_by_an_index(
    desk: Client, service: PaperService, loan: str, support: User
) -> None:
    pay(support, service)
    counted()
    with watched_queries() as queries:
        for address in (LOAN, BORROWER):
            show(desk, make(desk, address))
        for address in (LETTERS, "/apps/kenya/loans/L-1/timeline/"):
            assert desk.get(address).status_code == 200
    assert scans_of(queries) == []
    assert len(queries) > 10


def test_an_erased_paper_keeps_its_number_and_says_nothing(
    desk: Client, service: PaperService, loan: str
) -> None:
    place = make(desk).headers["Location"]
    erase_borrower("kenya", "B-1")
    [paper] = Paper.objects.all()
    assert (paper.content, paper.number) == ("", 1)
    answer = desk.get(place, follow=True)
    assert answer.redirect_chain[-1][0] == LOAN
    assert make(desk).headers["Location"].endswith("/2/")


def test_the_content_is_encrypted(desk: Client, loan: str) -> None:
    make(desk)
    with connection.cursor() as cursor:
        cursor.execute("SELECT content FROM papers_paper")
        [stored] = cursor.fetchone()
    assert "WANJIRU" not in stored.upper()
    assert json.loads(Paper.objects.get().content)["facts"][0][1] == "ANNE WANJIRU"


def test_names_in_other_letters_and_of_sixty_letters_are_whole(
    desk: Client, service: PaperService, loan: str
) -> None:
    for name in ("محمد بن عبد الله", "N" * 60, "<b>O'Brien & Söhne</b>"):
        service.people["B-1"] = (name, "")
        assert escape(name) in show(desk, make(desk))


def test_a_statement_of_600_repayments_takes_few_queries(
    desk: Client, service: PaperService, loan: str, support: User
) -> None:
    service.loans[loan]["total"] += 10_000
    file = StatementFile.objects.create(
        app_id="kenya", token="s", digest="s", created_by=support, proof={"has_ends": True}
    )
    first = pay(support, service, "1", external_id="CONFIRMED")
    fields = {"account_id": loan, "borrower_id": "B-1"}
    for number in range(599):
        at = OCTOBER + timedelta(minutes=number + 1)
        row(support, amount="1", sent_at=at, created_at=at, **fields)
    service.loans[loan]["paid"] += 599
    for position, code in enumerate((first.external_id_key, "stranger")):
        StatementLine.objects.create(
            file=file,
            position=position,
            number=position,
            kind="payment",
            receipt=code,
            receipt_key=code,
            amount=Decimal(1),
            moment=OCTOBER,
            place="recorded",
        )
    with CaptureQueriesContext(connection) as queries:
        answer = make(desk)
    assert len(queries) < 100
    page = show(desk, answer)
    assert lines_of(page).count("repayment") == 600 and "other" not in lines_of(page)
    assert fields_of(page)["paid"] == "600.00"
    content = json.loads(Paper.objects.get().content)
    marked = [one for one in content["sections"][0]["rows"] if one["detail"].count("·") >= 1]
    assert len(marked) == 1 and "CONFIRMED" in marked[0]["detail"]
