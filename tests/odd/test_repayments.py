"""However odd the loan, the pages that look for what became of a repayment are whole pages."""

from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import sending
from lendingadmin.money.repayments.models import Reading, Repayment, Restoration
from lendingadmin.money.repayments.services import Request
from tests.faults.behaviours import reset
from tests.odd.addresses import ENTERED, LOOKS
from tests.odd.pages import check
from tests.odd.service import OddService
from tests.odd.spec import RESOURCES
from tests.odd.variants import Place, odd, shares
from tests.repayments.pages import filled
from tests.repayments.rows import row

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("offer")]

# The contract has no part in it, save as a whole.
SHARES = {
    place: names
    for place, names in shares(["Loan"], 1).items()
    if place.path[:1] != ("contract",) or len(place.path) == 1
}


@pytest.fixture
def unknown(service: OddService, manager: User) -> Repayment:
    """A repayment of loan L-1 whose answer was lost."""
    service.server.once("makeRepayment", reset())
    then = timezone.now() - timedelta(minutes=5)
    asked = Request(
        app_id="kenya",
        account_id="L-1",
        borrower_id="B-1",
        external_id="TX-1",
        amount=Decimal("500.00"),
        transaction_date=then,
        value_date=then,
    )
    return sending.record(asked, manager, "form-1")


def tried(field: str) -> Iterator[tuple[Place, str]]:
    return (
        (place, name)
        for place, names in SHARES.items()
        if place.path[:1] == ((field,) if field else ())
        for name in names
    )


@pytest.fixture
def gap(manager: User) -> Restoration:
    """The journal was restored; what was paid on L-1 was read before that."""
    then = timezone.now() - timedelta(hours=2)
    known = row(manager, account_id="L-1", sent_at=then)
    Reading.objects.create(repayment=known, kind=Reading.Kind.BASELINE, taken_at=then, paid="100")
    since = then + timedelta(hours=1)
    return Restoration.objects.create(app_id="kenya", since=since, until=timezone.now())


@pytest.mark.parametrize("field", ["", *RESOURCES["Loan"]])
def test_no_odd_loan_breaks_the_review_in_a_gap(
    desk: Client, service: OddService, gap: Restoration, field: str
) -> None:
    entered = desk.post(ENTERED, filled(desk.get(ENTERED), externalId="TX-2"))
    assert b"was restored" in desk.get(entered["Location"]).content
    for place, name in tried(field):
        service.give("Loan", odd(place, name))
        check(desk, entered["Location"], review_statuses(field), (place.name, name))


def review_statuses(field: str) -> set[int]:
    may_be_another = field in ("", "accountId")
    return {200, 502} if may_be_another else {200}


@pytest.mark.parametrize("field", ["", *RESOURCES["Loan"]])
def test_no_odd_loan_breaks_a_look(
    desk: Client, service: OddService, unknown: Repayment, field: str
) -> None:
    entered = desk.post(ENTERED, filled(desk.get(ENTERED), externalId="TX-2"))
    assert entered.status_code == 302
    for turn, (place, name) in enumerate(tried(field)):
        service.give("Loan", odd(place, name))
        Repayment.objects.update(next_check_at=timezone.now())
        check(desk, LOOKS[turn % len(LOOKS)].format(number=unknown.pk), {200}, (place.name, name))
        check(desk, entered["Location"], review_statuses(field), (place.name, name))
