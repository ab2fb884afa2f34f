"""However odd the record, the pages that look for what became of a write find no fault of ours."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteFound, WriteState
from lendingadmin.records.events.outcomes import summarize
from tests.odd.addresses import PAGES, WRITES
from tests.odd.pages import ask, check
from tests.odd.service import OddService
from tests.odd.variants import good, odd, shares

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("offer")]

SHARES = shares(PAGES, 1)
# The resource that each write is looked for by, and its id.
LOOKED_FOR = {
    "borrowers.create": ("Borrower", "B-1"),
    "borrowers.patch": ("Borrower", "B-1"),
    "borrowers.delete": ("Borrower", "B-1"),
    "loans.create": ("Loan", "L-1"),
    "loans.delete": ("Loan", "L-1"),
    "assessments.create": ("Assessment", "borrower:B-1"),
    "events.create": ("Event", "borrower:B-1"),
}


@pytest.mark.parametrize("operation", LOOKED_FOR)
def test_no_odd_record_breaks_a_look(
    desk: Client,
    manager: User,
    service: OddService,
    caplog: pytest.LogCaptureFixture,
    operation: str,
) -> None:
    resource, subject = LOOKED_FOR[operation]
    sent: Any = summarize(good(resource)) if resource == "Event" else good(resource)
    fields = {"app_id": "kenya", "operation": operation, "subject": subject}
    meant = service.text({"sent": sent, "before": good(resource)})
    write = Write.objects.create(idempotency_key="w-1", person=manager, submitted=meant, **fields)
    tried = [
        (place, name)
        for place, names in SHARES.items()
        for name in names
        if place.resource == resource and len(place.path) <= 1
        if place.path or operation.endswith("create")
    ]
    for turn, (place, name) in enumerate(tried):
        service.give(resource, odd(place, name))
        now = timezone.now()
        write.checks.all().delete()
        caplog.clear()
        Write.objects.update(state=WriteState.UNKNOWN, found="", next_check_at=now)
        address = WRITES[turn % len(WRITES)].format(token=write.idempotency_key)
        check(desk, address, {200}, (place.name, name))
        # What a look can't make out is caught, so that the page stands: here it is a fault.
        assert write.checks.exists(), (place, name)
        assert not any(one.exc_info for one in caplog.records), (place, name)


def test_a_good_record_is_found(desk: Client, manager: User, service: OddService) -> None:
    meant = service.text({"sent": good("Borrower"), "before": {}})
    Write.objects.create(
        idempotency_key="w-1",
        person=manager,
        app_id="kenya",
        operation="borrowers.create",
        subject="B-1",
        submitted=meant,
        state=WriteState.UNKNOWN,
        next_check_at=timezone.now(),
    )
    ask(desk, WRITES[0].format(token="w-1"))
    assert Write.objects.get().found == WriteFound.THERE
