"""What a person gives as a reason is sealed where it is kept, and never enters the trail."""

import pytest
from django.db import connection

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import services
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState, Resolution
from lendingadmin.money.writes import reconciliation
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteResolution
from tests.conftest import ClientOf
from tests.repayments.rows import row

pytestmark = pytest.mark.django_db(transaction=True)
REASON = "Achieng Otieno's sister rang"
# What the trail says in its place.
WITH_REASON = "with a reason"


def stored(table: str) -> str:
    """The table's rows as they stand in the database."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        return str(cursor.fetchall())


def entry_of(url: str) -> Entry:
    """The newest entry, in which no reason is and which leads to the record that holds it."""
    assert "Achieng" not in stored("audit_entry")
    entry = Entry.objects.latest("id")
    assert entry.url == url
    return entry


@pytest.mark.parametrize("resolution", Resolution)
def test_of_a_settled_repayment(
    support: User, manager: User, client_of: ClientOf, resolution: Resolution
) -> None:
    repayment = row(support, RepaymentState.UNKNOWN)
    assert services.resolve(repayment, resolution, REASON, manager)
    entry = entry_of(repayment.get_absolute_url())
    assert entry.detail == f"{resolution.label}, {WITH_REASON}"
    assert "Achieng" not in stored("repayments_repayment")
    assert Repayment.objects.get().resolution_reason == REASON
    trail = client_of(manager).get("/audit/").content.decode()
    assert f'href="{repayment.get_absolute_url()}"' in trail


def test_of_a_repayment_set_aside(support: User, manager: User) -> None:
    repayment = row(support, RepaymentState.UNKNOWN)
    assert services.set_aside(repayment, REASON, manager)
    assert entry_of(repayment.get_absolute_url()).detail.endswith(f", {WITH_REASON}")
    assert "Achieng" not in stored("repayments_repayment")
    assert Repayment.objects.get().set_aside_reason == REASON


def test_of_a_repayment_declined(support: User, manager: User) -> None:
    repayment = row(support, RepaymentState.AWAITING, approval_reasons="amount")
    assert services.decline(repayment, REASON, manager)
    assert entry_of(repayment.get_absolute_url()).detail.endswith(f", {WITH_REASON}")
    assert "Achieng" not in stored("repayments_repayment")
    assert Repayment.objects.get().resolution_reason == REASON


def test_of_another_write(manager: User, officer: User) -> None:
    write = Write.objects.create(
        idempotency_key="t",
        person=officer,
        app_id="kenya",
        operation="borrowers.create",
        state="unknown",
    )
    assert reconciliation.resolve(write, WriteResolution.SAVED, REASON, manager)
    entry = entry_of(write.get_absolute_url())
    outcome = f"resolved: {WriteResolution.SAVED.label}"
    assert (entry.outcome, entry.detail) == (outcome, WITH_REASON)
    assert "Achieng" not in stored("writes_write")
    assert Write.objects.get().resolution_reason == REASON
