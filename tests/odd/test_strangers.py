"""A service that answers with somebody else's record, or does not say whose it is.

Of another record no page shows anything, and from one that may be another nothing is entered.
"""

import re
from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteState
from lendingadmin.records.offers.models import OfferRequest, OfferState
from tests.borrowers.forms import filled
from tests.odd.addresses import PAGES
from tests.odd.conftest import ask_for_offer
from tests.odd.service import OddService
from tests.odd.variants import good
from tests.repayments.pages import filled as repaid
from tests.repayments.pages import press
from tests.web.marks import list_marks

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("offer")]

APP = "/apps/kenya"
NAMED_BY = {"Borrower": "borrowerId", "Loan": "accountId", "Assessment": "assessmentId"}
ADDRESSES = [
    (resource, address)
    for resource in NAMED_BY
    for address in PAGES[resource].pages
    if " " not in address and "in/number" not in address and "/contracts/" not in address
]
# Where a form begins that writes.
WRITES = re.compile(
    r"(?:href|action)=\"[^\"]*(?:/edit|/delete|/offers/new|/repayments/new|assessments/new)"
    r"|<form[^>]*method=\"post\"(?![^>]*(?:logout|/accounts/|time-zone))"
)
by_page = pytest.mark.parametrize(("resource", "address"), ADDRESSES)


def stranger(resource: str) -> dict[str, Any]:
    """Another's record, of the same kind: every text in it is theirs."""
    return {
        key: "STRANGER" if isinstance(value, str) else value
        for key, value in good(resource).items()
    } | {"individual": {"surname": "STRANGER", "phoneNumber": "STRANGER"}}


def unidentified(resource: str) -> dict[str, Any]:
    """A record that does not say which one it is."""
    return good(resource) | {NAMED_BY[resource]: None, "uid": None}


def begins_a_write(page: Any) -> bool:
    """Whether a form that writes begins here; to load the page again begins none."""
    text: str = page.content.decode()
    said = text.partition("<main")[2].partition("</main>")[0] or text
    return bool(WRITES.search(said.replace(f'href="{page.request["PATH_INFO"]}"', "")))


@by_page
def test_of_another_record_nothing_is_shown(
    desk: Client, service: OddService, resource: str, address: str
) -> None:
    service.give(resource, stranger(resource))
    page = desk.get(address)
    assert page.status_code in (200, 502)
    assert "STRANGER" not in page.content.decode()
    assert not begins_a_write(page)


@by_page
def test_from_one_that_may_be_another_nothing_is_entered(
    desk: Client, service: OddService, resource: str, address: str
) -> None:
    service.give(resource, unidentified(resource))
    page = desk.get(address)
    if not address.endswith("/name"):
        assert "unidentified-record" in list_marks(page, "finding"), address
    assert not begins_a_write(page)


@pytest.mark.parametrize("answer", [stranger, unidentified])
class TestAFormThatIsOpen:
    """The form was opened over the right record; the service answers otherwise since."""

    def test_a_repayment_is_not_sent(self, desk: Client, service: OddService, answer: Any) -> None:
        new, sent = f"{APP}/loans/L-1/repayments/new", service.server.hits("makeRepayment")
        form = repaid(desk.get(new), amount="11")
        confirm = desk.post(new, form).headers["Location"]
        service.give("Loan", answer("Loan"))
        again = desk.post(new, form | {"notes": "kept"}).content.decode()
        assert "kept" in again and "STRANGER" not in again
        assert desk.get(confirm).status_code == 502
        service.give("Loan", good("Loan"))
        shown = desk.get(confirm)
        service.give("Loan", answer("Loan"))
        hidden = dict(re.findall(r'name="(seen|shown)" value="([^"]+)"', shown.content.decode()))
        page = desk.post(confirm, hidden, follow=True).content.decode()
        assert Repayment.objects.get().state == "not_sent" and "STRANGER" not in page
        assert service.server.hits("makeRepayment") == sent

    def test_a_change_of_a_borrower_is_not_sent(
        self, desk: Client, service: OddService, answer: Any
    ) -> None:
        edit, sent = f"{APP}/borrowers/B-1/edit", service.server.hits("PATCH")
        form = filled(desk.get(edit), json__devices='[{"deviceId": "new"}]')
        confirm = desk.post(edit, form).headers["Location"]
        service.give("Borrower", answer("Borrower"))
        page = desk.post(confirm, filled(desk.get(confirm))).content.decode()
        assert "STRANGER" not in page
        carried = desk.post(edit, form | {"carry": "1"}).content.decode()
        assert "STRANGER" not in carried
        assert service.server.hits("PATCH") == sent and not Write.objects.exists()

    @pytest.mark.parametrize(
        ("resource", "address"), [("Loan", "loans/L-1"), ("Borrower", "borrowers/B-1")]
    )
    def test_nothing_is_deleted(
        self, desk: Client, service: OddService, answer: Any, resource: str, address: str
    ) -> None:
        delete, sent = f"{APP}/{address}/delete", service.server.hits("DELETE")
        form = filled(desk.get(delete), borrowerId="B-1")
        service.give(resource, answer(resource))
        page = desk.post(delete, form).content.decode()
        assert "<strong>Nothing was saved.</strong>" in page and "STRANGER" not in page
        assert service.server.hits("DELETE") == sent
        assert Write.objects.get().state == WriteState.NOT_SAVED


def test_an_offer_that_names_another_is_not_kept(
    desk: Client, service: OddService, manager: User
) -> None:
    ask_for_offer(manager, OfferState.RUNNING)
    other = good("Operation")
    other["metadata"]["accountId"] = "borrower:STRANGER"
    service.give("Operation", other)
    page = desk.get(f"{APP}/borrowers/B-1/offers/r-1/").content.decode()
    assert "wrong-record" in list_marks(page, "finding") and "STRANGER" not in page
    assert OfferRequest.objects.get().answer == ""


def test_a_repayment_of_the_right_loan_is_sent(desk: Client, service: OddService) -> None:
    """The same way, with a service that keeps its word: the tests above can fail."""
    new = f"{APP}/loans/L-1/repayments/new"
    confirm = desk.post(new, repaid(desk.get(new), amount="11")).headers["Location"]
    press(desk, confirm)
    assert Repayment.objects.get().state == "recorded"
