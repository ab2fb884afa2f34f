"""The pages of what needs a second person, before the service whose loan a test may move."""

import html
import re
from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.approvals import describe_reasons
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.policies import AMOUNT
from lendingadmin.money.repayments.states import RepaymentState
from tests.conftest import ClientOf
from tests.faults.behaviours import empty, refusal, reply, reset
from tests.policies.setting import set_limits
from tests.repayments.pages import filled, hidden
from tests.repayments.rows import row
from tests.repayments.service import LoanService
from tests.roles import change_account, give_roles, hold_only

pytestmark = pytest.mark.django_db(transaction=True)
NEW = "/apps/kenya/loans/L-1/repayments/new"
WAITING = "/apps/kenya/repayments/unknown/"


@pytest.fixture(autouse=True)
def limits() -> None:
    set_limits(amount="400")


@pytest.fixture
def office(client_of: ClientOf, manager: User) -> Client:
    """The manager's browser."""
    return client_of(manager)


def text_of(answer: Any) -> str:
    """What a person reads on a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", html.unescape(answer.content.decode())).split())


def find_approver(answer: Any) -> str:
    """What the page of a repayment says of who approved it, or who may."""
    return str(answer.text.partition('data-field="approved-by"')[2].partition("</dd>")[0])


def ask(desk: Client, amount: str = "500") -> str:
    """Fill in the form; the address of its review."""
    answer = desk.post(NEW, filled(desk.get(NEW), amount=amount))
    return str(answer.headers["Location"])


def enter(desk: Client, amount: str = "500") -> Repayment:
    """Fill in the form and send it."""
    review = ask(desk, amount)
    desk.post(review, hidden(desk.get(review)))
    return Repayment.objects.latest("pk")


def approve(office: Client, repayment: Repayment, **fields: str) -> Any:
    """Open the page that approves it, and press its button."""
    address = f"{repayment.get_absolute_url()}approve"
    return office.post(address, hidden(office.get(address)) | fields, follow=True)


def test_the_way_from_the_form_to_the_service(
    service: LoanService, desk: Client, office: Client
) -> None:
    review = ask(desk)
    page = desk.get(review)
    assert 'data-finding="needs-approval"' in page.text
    assert 'data-action="ask-approval"' in page.text
    assert describe_reasons(AMOUNT) in text_of(page) and "KES 500.00" in text_of(page)
    told = page.text.partition('data-finding="needs-approval"')[2].partition("</p>")[0]
    assert "manager" in told and "support" not in told
    receipt = desk.post(review, hidden(desk.get(review)), follow=True)
    assert 'data-state="awaiting"' in receipt.text and 'data-saved="no"' in receipt.text
    assert "manager" in find_approver(receipt)
    repayment = Repayment.objects.get()
    assert service.asked == 0
    assert str(repayment) in text_of(office.get(WAITING))
    service.someone_else_pays("70")
    shown = office.get(f"{repayment.get_absolute_url()}approve")
    assert "support" in text_of(shown) and shown.context["has_moved"]
    assert [one[1:] for one in shown.context["moved"]] == [(1000, 1070), (9000, 8930)]
    assert "1,000.00 → 1,070.00" in text_of(shown) and "9,000.00 → 8,930.00" in text_of(shown)
    page = approve(office, repayment)
    assert 'data-state="recorded"' in page.text and service.asked == 1
    assert "manager," in find_approver(page)


def test_what_moved_while_the_approver_looked_is_shown_again(
    service: LoanService, desk: Client, office: Client
) -> None:
    repayment = enter(desk)
    address = f"{repayment.get_absolute_url()}approve"
    shown = hidden(office.get(address))
    service.someone_else_pays("70")
    assert 'data-obstacle="changed"' in office.post(address, shown).text
    assert service.asked == 0
    assert 'data-state="recorded"' in approve(office, repayment).text


@pytest.mark.parametrize(
    "fault",
    [refusal(500, "down"), reset(), reply(b"[]"), empty()],
    ids=["500", "reset", "list", "empty"],
)
def test_a_loan_that_can_t_be_read_leaves_it_waiting(
    service: LoanService, desk: Client, office: Client, fault: Any
) -> None:
    repayment = enter(desk)
    address = f"{repayment.get_absolute_url()}approve"
    shown = hidden(office.get(address))
    service.server.on("GET /v1/projects", fault)
    for answer in (office.get(address), office.post(address, shown)):
        assert answer.status_code in (404, 502, 503, 504), answer
    repayment.refresh_from_db()
    assert repayment.state == RepaymentState.AWAITING and service.asked == 0


def test_who_entered_it_neither_sees_the_button_nor_may_press_it(
    service: LoanService, manager: User, office: Client, support: User
) -> None:
    own = row(manager, RepaymentState.AWAITING, "500", approval_reasons="amount")
    page = office.get(own.get_absolute_url()).text
    assert 'data-action="take-back"' in page and f"{own.get_absolute_url()}approve" not in page
    assert 'data-finding="not-yours"' in approve(office, own).text
    assert service.asked == 0


def test_a_manager_who_changed_the_maker_s_account_reads_why_they_do_not_approve(
    service: LoanService, desk: Client, office: Client, manager: User, officer: User
) -> None:
    give_roles(User.objects.create_user("head"), "manager")
    repayment = enter(desk)
    assert b"data-not-independent" not in office.get(repayment.get_absolute_url()).content
    change_account(manager, repayment.created_by)
    receipt = office.get(repayment.get_absolute_url()).content.decode()
    assert "data-not-independent" in receipt and f"{repayment.get_absolute_url()}approve" not in (
        receipt
    )
    approve(office, repayment)
    repayment.refresh_from_db()
    assert (repayment.state, service.asked) == (RepaymentState.AWAITING, 0)
    # Nothing is sent by declining, so they may.
    office.post(f"{repayment.get_absolute_url()}decline", {"decline-reason": "not this one"})
    repayment.refresh_from_db()
    assert repayment.state == RepaymentState.DECLINED


def test_a_support_person_may_not_approve_or_decline_a_colleague_s(
    service: LoanService, manager: User, desk: Client
) -> None:
    waiting = row(manager, RepaymentState.AWAITING, "500", approval_reasons="amount")
    assert desk.get(f"{waiting.get_absolute_url()}approve").status_code == 403
    answer = desk.post(f"{waiting.get_absolute_url()}decline", {"decline-reason": "because"})
    assert answer.status_code == 403
    waiting.refresh_from_db()
    assert waiting.state == RepaymentState.AWAITING


def test_without_anybody_else_it_says_so_at_once(
    service: LoanService, desk: Client, manager: User
) -> None:
    hold_only(manager, "lending.loans.get")
    review = ask(desk)
    page = desk.get(review).text
    assert 'data-finding="nobody-approves"' in page and "data-action" not in page
    answer = desk.post(review, {"seen": "0", "shown": "", "overpaid": ""}).text
    assert 'data-finding="nobody-approves"' in answer and 'data-saved="no"' in answer
    assert service.asked == 0 and not Repayment.objects.exists()


def test_declining_takes_a_reason_and_says_what_it_did(
    service: LoanService, desk: Client, office: Client
) -> None:
    repayment = enter(desk)
    address = f"{repayment.get_absolute_url()}decline"
    refused = office.post(address, {"decline-reason": " "})
    assert refused.context["decline_form"].has_error("reason", "required")
    assert 'id="id_decline-reason_error"' in refused.text
    said = {"decline-reason": "the statement shows 50"}
    page = office.post(address, said, follow=True).text
    assert 'data-finding="declined"' in page and "the statement shows 50" in page
    assert 'data-state="declined"' in page
    assert f"?retry_of={repayment.pk}" in desk.get(repayment.get_absolute_url()).text
    again = office.post(address, said, follow=True).text
    assert 'data-finding="not-waiting"' in again
    assert service.asked == 0


def test_journal_csv_and_receipt_bear_both_names(
    service: LoanService, desk: Client, office: Client
) -> None:
    repayment = enter(desk)
    approve(office, repayment)
    assert "approved by manager" in text_of(desk.get("/apps/kenya/repayments/"))
    assert 'data-field="approved-by">manager, ' in desk.get(repayment.get_absolute_url()).text
    answer = desk.get("/apps/kenya/repayments/export.csv?technical=1")
    head, line = b"".join(answer.streaming_content).decode("utf-8-sig").splitlines()[:2]
    cells = dict(zip(head.split(","), line.split(","), strict=False))
    assert (cells["person"], cells["approvedBy"]) == ("support", "manager")
    assert cells["approvedAt"]


def test_the_number_beside_what_needs_checking_counts_it_for_approvers_alone(
    service: LoanService, desk: Client, office: Client
) -> None:
    enter(desk)
    badge = r"Needs checking\s*1"
    assert re.search(badge, text_of(office.get("/glossary/")))
    assert not re.search(badge, text_of(desk.get("/glossary/")))
