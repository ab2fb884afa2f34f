"""A borrower's loans in one table: of the accounts and of the record, each loan once."""

import re
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils.html import escape

from lendingadmin.core.gateway import LendingApp
from lendingadmin.lending.values import Loan, LoanSummary, Malformed
from lendingadmin.records.borrowers import loan_table
from lendingadmin.records.borrowers.loan_table import LoanRow, build_rows
from lendingadmin.records.borrowers.views import records
from tests.faults.behaviours import hang, refusal, reply, token
from tests.faults.server import FaultServer
from tests.sandbox.calling import Caller
from tests.web.marks import list_marks

NAIROBI = ZoneInfo("Africa/Nairobi")
ACCOUNT = {
    "accountId": "L-1",
    "uid": "u-1",
    "borrowerId": "B-1",
    "loanAmount": 900,
    "balances": {"repayment": {"total": 1000, "paid": 250, "unpaid": 750}},
    "startDate": "2026-01-01T00:00:00.000Z",
    "maturityDate": "2026-03-31T23:59:59.999Z",
    "settlementDate": "2026-03-01T10:00:00.000Z",
    "schedule": {"nextInstallment": {"dueDate": "2026-02-01T23:59:59.999Z"}},
    "assessmentId": "a-1",
}
SUMMARY = {
    "loanId": "L-1",
    "principalAmount": 900,
    "payableAmount": 1000,
    "paidAmount": 250,
    "startDate": "2026-01-01T00:00:00.000Z",
    "endDate": "2026-03-31T23:59:59.999Z",
    "nextPaymentDate": "2026-02-01T23:59:59.999Z",
    "completionDate": "2026-03-01T10:00:00.000Z",
    "assessmentId": "a-1",
}


def build(*summaries: object, origin: str = loan_table.ONLY_RECORD) -> list[LoanRow]:
    """The rows of two accounts and these loans of the record."""
    accounts = [Loan(ACCOUNT), Loan({"accountId": "L-2", "uid": "u-2"})]
    read = [LoanSummary(one) if isinstance(one, dict) else Malformed(one) for one in summaries]
    return build_rows(accounts, read, origin=origin, zone=NAIROBI)


@pytest.mark.parametrize("key", ["L-1", "u-1"])
def test_a_loan_that_both_know_is_one_row(key: str) -> None:
    first, second = build(SUMMARY | {"loanId": key})
    assert (first.summary.loan_id, first.differing, first.origin) == (key, frozenset(), "")  # type: ignore[union-attr]
    assert second.summary is None


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("principal", {"principalAmount": 901}),
        ("outstanding", {"payableAmount": 1001}),
        ("outstanding", {"paidAmount": 0}),
        ("started", {"startDate": "2026-01-02T00:00:00.000Z"}),
        ("ends", {"endDate": "2026-04-30T23:59:59.999Z"}),
        ("next", {"nextPaymentDate": "2026-02-02T23:59:59.999Z"}),
        ("completed", {"completionDate": "2026-03-02T10:00:00.000Z"}),
        ("assessment", {"assessmentId": "a-2"}),
    ],
)
def test_what_the_record_says_otherwise_is_marked(cell: str, said: dict[str, object]) -> None:
    assert build(SUMMARY | said)[0].differing == {cell}
    # What the record does not tell differs from nothing.
    assert build(SUMMARY | dict.fromkeys(said))[0].differing == frozenset()


def test_times_of_one_day_do_not_differ() -> None:
    same_day = {"startDate": "2026-01-01T09:30:00.000Z", "completionDate": "2026-03-01T20:59:00Z"}
    assert build(SUMMARY | same_day)[0].differing == frozenset()


def test_what_only_the_record_knows_stands_below_and_says_so() -> None:
    rows = build({"loanId": "X"}, SUMMARY, SUMMARY, "odd", {"loanId": None})
    assert [row.origin for row in rows] == [
        *("", ""),
        loan_table.ONLY_RECORD,
        loan_table.REPEATED,
        loan_table.ONLY_RECORD,
        loan_table.ONLY_RECORD,
    ]
    assert rows[2].page_key == ""
    assert build({"loanId": "X"}, origin=loan_table.OTHER_PAGE)[2].page_key == "X"
    assert len(build({"loanId": "X"}, origin="")) == 2


PROJECT = "GET /v1/projects/demo/apps/kenya"
PANEL = "/apps/kenya/borrowers/B-1/panels/loans"
RECORD = {"borrowerId": "B-1", "loans": [SUMMARY | {"paidAmount": 111}, {"loanId": "X-9"}]}


def make_service(server: FaultServer) -> FaultServer:
    """A service with borrower B-1, an account L-1 and a record that knows more."""
    server.on("POST /v1/oauth2/token", token())
    for name in ("assessments", "events"):
        server.on(f"{PROJECT}/{name}?", reply({name: []}))
    server.on(f"{PROJECT}/loans?", reply({"loans": [ACCOUNT]}))
    server.on(f"{PROJECT}/borrowers/", reply(RECORD))
    return server


@pytest.mark.django_db
@pytest.mark.parametrize("address", [PANEL, "/apps/kenya/borrowers/B-1/?whole=1"])
def test_each_loan_once_with_what_the_record_says(
    desk: Client, service: FaultServer, address: str
) -> None:
    page = desk.get(address).content.decode()
    assert page.count('class="stretch id"') == 1
    assert "111.00 paid of 1,000.00 (from" in page
    assert "750.00" in page
    assert page.count(escape(loan_table.ONLY_RECORD)) == 1
    assert "/assessments/a-1/" in page


@pytest.mark.django_db
def test_neither_hides_the_other(desk: Client, service: FaultServer) -> None:
    service.on(f"{PROJECT}/borrowers/", refusal(500, "down"))
    answer = desk.get(PANEL)
    assert 'class="stretch id"' in answer.content.decode()
    assert list_marks(answer, "finding") == ["no-record"]
    service.on(f"{PROJECT}/borrowers/", reply(RECORD))
    service.on(f"{PROJECT}/loans?", refusal(500, "down"))
    answer = desk.get(PANEL)
    page = answer.content.decode()
    assert list_marks(answer, "finding") == ["lending-error"]
    assert 'href="/apps/kenya/loans/X-9/"' in page
    assert escape(loan_table.ONLY_RECORD) not in page


@pytest.mark.django_db
def test_on_a_page_of_several_nothing_is_said_to_be_in_the_record_alone(
    desk: Client, service: FaultServer
) -> None:
    service.on(f"{PROJECT}/loans?", reply({"loans": [ACCOUNT], "nextPageToken": "t"}))
    first = desk.get(PANEL).content.decode()
    assert escape(loan_table.OTHER_PAGE) in first
    assert escape(loan_table.ONLY_RECORD) not in first
    later = desk.get(f"{PANEL}?pageToken=t")
    assert later.context["shown"].found.rows[0].differing
    assert "X-9" not in later.content.decode()


@pytest.mark.django_db
def test_loans_of_a_record_that_may_be_another_s_are_left_out(
    desk: Client, service: FaultServer
) -> None:
    service.on(f"{PROJECT}/borrowers/", reply({"loans": RECORD["loans"]}))
    page = desk.get(PANEL).content.decode()
    assert 'class="stretch id"' in page
    assert "X-9" not in page
    # They stand under Technical on the page of all.
    assert "X-9" in desk.get("/apps/kenya/borrowers/B-1/?whole=1").content.decode()


def list_later(page: str) -> list[str]:
    """The addresses of the service's panels that a page loads by itself."""
    found = re.findall(r'hx-get="([^"]+)"[^>]*hx-trigger="load', page)
    return [address for address in found if "/panels/" in address]


@pytest.mark.django_db
def test_what_is_answered_within_a_moment_is_in_the_page(
    desk: Client, service: FaultServer
) -> None:
    page = desk.get("/apps/kenya/borrowers/B-1/").content.decode()
    assert list_later(page) == []
    assert page.count('class="stretch id"') == 1
    for path in ("borrowers/B-1", "loans?", "assessments?", "events?"):
        assert service.hits(f"{PROJECT}/{path}") == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("slow", "later"),
    [
        (["events?"], ["events"]),
        (["loans?"], ["loans"]),
        # The table of loans has what the record lists.
        (["borrowers/"], ["record", "loans"]),
        (["borrowers/", "loans?", "assessments?"], ["record", "loans", "assessments"]),
    ],
)
def test_what_takes_longer_is_loaded_by_itself(
    desk: Client,
    service: FaultServer,
    monkeypatch: pytest.MonkeyPatch,
    slow: list[str],
    later: list[str],
) -> None:
    for path in slow:
        service.once(f"{PROJECT}/{path}", hang())
    monkeypatch.setattr(records, "MOMENT", 1.0)
    page = desk.get("/apps/kenya/borrowers/B-1/")
    text = page.content.decode()
    asked = list_later(text)
    assert [re.findall(r"panels/(\w+)", one)[0] for one in asked] == later
    assert list_marks(page, "finding") == []
    before = service.hits(f"{PROJECT}/borrowers/B-1")
    for address in asked:
        answer = desk.get(address, headers={"HX-Request": "true"})
        assert list_later(answer.content.decode()) == []
    # The panels of one page share one read of the record, and the next page reads it again.
    assert service.hits(f"{PROJECT}/borrowers/B-1") - before == (1 if "loans" in later else 0)


@pytest.mark.django_db
def test_what_was_done_here_is_shown_of_a_borrower_whom_the_service_does_not_know(
    desk: Client, service: FaultServer
) -> None:
    service.on(f"{PROJECT}/borrowers/", refusal(404))
    page = desk.get("/apps/kenya/borrowers/B-1/")
    assert page.status_code == 200 and list_later(page.content.decode()) == []
    assert list_marks(page, "finding")[:1] == ["not-found"]
    assert 'id="heading-history"' in page.content.decode()


@pytest.mark.django_db
def test_a_heading_is_never_an_id_that_becomes_a_name(
    desk: Client, service: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.on(f"{PROJECT}/borrowers/", hang())
    monkeypatch.setattr(records, "MOMENT", 0.5)
    (heading,) = re.findall(
        r"<h1>(.*?)</h1>", desk.get("/apps/kenya/borrowers/B-1/").content.decode()
    )
    assert "B-1" not in heading


@pytest.mark.django_db
def test_without_scripts_the_record_s_page_has_its_loans_under_technical(
    desk: Client, service: FaultServer
) -> None:
    alone = desk.get("/apps/kenya/borrowers/B-1/panels/record").content.decode()
    assert "loans[1].loanId" in alone or "X-9" in alone
    fragment = desk.get(
        "/apps/kenya/borrowers/B-1/panels/record", headers={"HX-Request": "true"}
    ).content.decode()
    assert "X-9" not in fragment


def test_the_sandbox_s_record_and_accounts_agree(
    boss: Client, app: LendingApp, book: Caller
) -> None:
    book.loan("m")
    page = boss.get(f"/apps/{app.app_id}/borrowers/b/?whole=1").content.decode()
    table = page[page.index('id="panel-loans"') :].partition("</section>")[0]
    assert table.count('class="stretch id"') == 2
    assert "record" not in table
