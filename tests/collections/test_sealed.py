"""Messages and contacts of somebody in arrears stay sealed, whatever the role."""

from decimal import Decimal

import pytest
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.desk.portfolio.models import Snapshot, SnapshotLoan
from lendingadmin.people.search.open_loans import is_in_arrears
from lendingadmin.web.revealing import RevealPurpose
from tests.conftest import ClientOf
from tests.events.samples import SECRETS, address, body
from tests.roles import hold_only
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db


def count(app: LendingApp, overdue: str | None) -> None:
    """A count in which borrower `b` of the event has one open loan."""
    snapshot = Snapshot.objects.create(
        app_id=app.app_id, state=Snapshot.State.DONE, ended_at=timezone.now()
    )
    SnapshotLoan.objects.create(
        snapshot=snapshot,
        account_id="L-1",
        borrower_id="b",
        is_open=True,
        overdue=overdue and Decimal(overdue),
    )


@pytest.mark.parametrize(
    ("overdue", "is_sealed"), [("0", False), ("0.01", True), ("500", True), (None, True)]
)
def test_the_right_to_content_opens_nothing_of_somebody_in_arrears(
    client_of: ClientOf,
    officer: User,
    app: LendingApp,
    book: Caller,
    overdue: str | None,
    is_sealed: bool,
) -> None:
    assert book.post("/events", body()).status == 200
    count(app, overdue)
    rights = ("lending.events.list", "dashboard.events.content")
    hold_only(officer, *rights, "dashboard.personalContent.reveal")
    desk = client_of(officer)
    page = desk.get(address(app)).content.decode()
    assert any(secret in page for secret in SECRETS) != is_sealed
    assert ('data-finding="in-arrears"' in page) == is_sealed
    # A purpose opens it, and the trail has it.
    shown = desk.post(f"{address(app)}revealed", {"purpose": "complaint"}).content.decode()
    assert all(secret in shown for secret in SECRETS)


def test_nobody_is_in_arrears_before_anything_was_counted(app: LendingApp, db: None) -> None:
    assert not is_in_arrears(app.app_id, "b")


def test_collecting_is_no_purpose() -> None:
    words = " ".join(str(one.label) for one in RevealPurpose) + " ".join(RevealPurpose.values)
    assert "collect" not in words.lower() and "debt" not in words.lower()
