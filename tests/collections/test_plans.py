"""No page of the area reads the calls, promises or stops whole."""

import pytest
from django.db import connection
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments.models import Assignment, Basis
from lendingadmin.desk.collections.models import CallQueue, Promise
from lendingadmin.desk.collections.queues import QUEUES
from tests.plans import scans_of, watched_queries

from .desk import COLLECTIONS, counted, note_call, press_next
from .service import CallService

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "sqlite",
        reason="PostgreSQL rightly scans tables as small as these: make bench reads its plans",
    ),
]


@pytest.mark.parametrize("many", [0, 20_000])
def test_each_query_is_served_by_an_index(
    service: CallService,
    boss: Client,
    manager: User,
    many: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lendingadmin.desk.collections.queues.MANY", many)
    for number in range(3):
        service.add(number, 7 - number)
    counted()
    Assignment.objects.bulk_create(
        Assignment(app_id="kenya", borrower_id=f"B-{number}", officer=manager, basis=Basis.HAND)
        for number in range(3)
    )
    made = CallQueue.objects.create(
        app_id="kenya", name="Ours", query="show=overdue", created_by=manager
    )
    press_next(boss)
    note_call(boss, "B-0", "promise", amount="5", day="2099-01-01")
    note_call(boss, "B-0", "dispute")
    addresses = [COLLECTIONS, f"{COLLECTIONS}stops/", f"{COLLECTIONS}calls/B-0/"]
    addresses += [f"{COLLECTIONS}{key}/" for key in QUEUES]
    addresses.append(made.get_absolute_url())
    addresses += [one.get_absolute_url() for one in Promise.objects.all()]
    addresses += ["/apps/kenya/borrowers/B-0/", "/apps/kenya/loans/L-0/"]
    with watched_queries() as queries:
        for address in addresses:
            assert boss.get(address).status_code == 200, address
        press_next(boss)
        note_call(boss, "B-1", "no_answer")
    assert scans_of(queries) == []
    assert len(queries) > len(addresses)
