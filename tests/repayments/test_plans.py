"""No page and no beat reads the journal, the trail or the writes whole, whatever they are asked."""

import itertools
import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.core.staff import erasure
from lendingadmin.core.staff.models import User
from lendingadmin.desk.collections import services as calls
from lendingadmin.desk.portfolio.sections import HomeReader
from lendingadmin.money.repayments import (
    approvals,
    lookalikes,
    mistakes,
    notifications,
    reconciliation,
    restoration,
    services,
)
from lendingadmin.money.repayments import tasks as repayment_tasks
from lendingadmin.money.repayments.dayend import list_lines
from lendingadmin.money.repayments.finder import find_repayments, read_borrowers
from lendingadmin.money.repayments.managers import UNDECIDED
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import Request, find_abandoned
from lendingadmin.money.repayments.states import OPEN
from lendingadmin.money.repayments.views import exporting
from lendingadmin.money.writes import reconciliation as other_writes
from lendingadmin.money.writes import tasks as web_tasks
from lendingadmin.records.assessments.running import list_started_by
from lendingadmin.records.borrowers import history
from lendingadmin.records.notes.mentions import list_unseen
from lendingadmin.records.notes.services import list_pinned
from lendingadmin.records.offers.asking import list_latest_of
from lendingadmin.records.timeline.reading import Month, read_timeline
from lendingadmin.web import decisions
from lendingadmin.web.keyset import count_each, read_slice
from lendingadmin.web.timeline import Subject, list_sources
from tests.plans import explain, scans_of, watched_queries
from tests.repayments.rows import row

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "sqlite",
        reason="PostgreSQL rightly scans tables as small as these: make bench reads its plans",
    ),
]
JOURNAL = {
    "state": ("recorded", "unknown", "landed", "doubtful", "abandoned"),
    "mistake": ("open", "reviewed"),
    "person": ("Manager",),
    "record": ("L-1", "KENYA-2026-000001"),
    "channel": ("mobile", "—"),
    "network": ("M-PESA",),
    "currency": ("KES",),
    "since": ("2026-03-01",),
    "until": ("2026-03-31",),
    "by": ("transactionDate",),
}
TRAIL = {
    "record": ("L-1", "rp-7", "/people/1/"),
    "person": ("Manager",),
    "action": ("sign-in",),
    "app": ("kenya",),
    "since": ("2026-03-01",),
    "until": ("2026-03-31",),
}


def addresses() -> list[str]:
    """The home page, the lists, and each filter of a list alone and with each of its others."""
    found = ["/apps/kenya/", "/apps/kenya/repayments/unknown/", "/apps/kenya/repayments/day/"]
    found += [f"{found[-1]}?by=transactionDate", "/glossary/"]
    for path, filters in (("/apps/kenya/repayments/", JOURNAL), ("/audit/", TRAIL)):
        single = [(name, value) for name, values in filters.items() for value in values]
        pairs = itertools.combinations(single, 2)
        queries = [
            (),
            *((one,) for one in single),
            *(two for two in pairs if two[0][0] != two[1][0]),
        ]
        found += [f"{path}?{urlencode(query)}" for query in queries]
    return found


def export_addresses() -> list[str]:
    """The journal's CSV by each filter alone: each of its slices is read as a page is."""
    single = [{name: value} for name, values in JOURNAL.items() for value in values]
    return [f"/apps/kenya/repayments/export.csv?{urlencode(query)}" for query in ({}, *single)]


def asked(manager: User) -> Request:
    now = timezone.now()
    return Request("kenya", "L-1", "B-1", "TX-1", Decimal(100), now, now)


def read_whole_timeline(by: User, *ids: str) -> None:
    """Each source of our own: its moments, and the rows of a month."""
    subject = Subject(gateway.lending_app("kenya"), by, *ids)
    own = [one for one in list_sources(by, of_loans=len(ids) > 1) if one.rows]
    read_timeline(subject, own, Month.of(timezone.now(), subject.app.zone))


WORK: dict[str, Callable[[User], object]] = {
    "the badge": lambda by: (
        count_each(
            [
                Repayment.objects.needing_checks("kenya"),
                *(one.list_waiting("kenya", by) for one in (services, mistakes, approvals)),
                *(one.list_waiting("kenya", by) for one in (restoration, other_writes)),
            ]
        ),
    ),
    "what the home page counts": lambda by: decisions.list_decisions("kenya", by),
    "the payments and promises of somebody's borrowers": lambda by: (
        list(
            HomeReader(SimpleNamespace(user=by), gateway.lending_app("kenya")).list_received()[:5]
        ),
        list(calls.list_promised("kenya", by)[:5]),
        list(calls.list_promised("kenya", User.objects.create_user("caller"))[:5]),
    ),
    "what somebody entered today": lambda by: Repayment.objects.sum_entered(
        gateway.lending_app("kenya"), by.pk, since=timezone.now() - timedelta(hours=9)
    ),
    "what is unknown": lambda _: Repayment.objects.count_unknown("kenya"),
    "what waits for a decision": lambda _: read_slice(
        Repayment.objects.needing_checks("kenya"),
        "created_at",
        5,
        newest_first=False,
        only=UNDECIDED,
    ),
    "one person's day": lambda by: list_lines(
        gateway.lending_app("kenya"), timezone.localdate(), person_id=by.pk
    ),
    "the sweep": lambda _: reconciliation.conclude_overdue(),
    "the looks that are due": lambda _: (
        reconciliation.list_due(),
        reconciliation._list_due_of("kenya", 3),
    ),
    "the beat": lambda _: repayment_tasks.beat(),
    "the mail to managers": lambda _: notifications.notify_managers(timezone.now()),
    "look-alikes": lambda by: lookalikes.look_alikes(asked(by), "form"),
    "a receipt's number": lambda _: find_repayments("kenya", "KENYA-2026-000001"),
    "borrowers of loans": lambda _: read_borrowers("kenya", ["L-1", "L-2"]),
    "what may double": lambda _: list(find_abandoned("kenya", "L-1", "TX-1")),
    "one loan": lambda _: (
        list(Repayment.objects.of_loan("kenya", "L-1").with_mistake()[:10]),
        list(Repayment.objects.of_loan("kenya", "L-1").filter(state__in=OPEN)),
    ),
    "one borrower": lambda _: list(Repayment.objects.of_borrower("kenya", "B-1")[:20]),
    "what was done with a borrower": lambda by: history.of_borrower(by, "kenya", "B-1"),
    "one person": lambda by: list(Repayment.objects.of_person("kenya", by.pk)[:10]),
    "open reports": lambda _: (
        list(mistakes.list_open("kenya")),
        list(mistakes.list_open("kenya", "L-1")),
    ),
    "the networks of a form": lambda _: Repayment.objects.list_networks("kenya"),
    "what a person used last": lambda by: Repayment.objects.find_last_with_id("kenya", by.pk),
    "other writes in doubt": lambda by: (
        other_writes.list_unconfirmed("kenya", by),
        other_writes.list_unconfirmed("kenya", User.objects.create_user("somebody")),
    ),
    "alarms of other writes": lambda by: other_writes.list_alarms("kenya", by),
    "what one asked for since yesterday": lambda by: (
        list_latest_of(by, "kenya", timezone.now() - timedelta(days=1)),
        list_started_by(by, "kenya", timezone.now() - timedelta(days=1)),
    ),
    "a borrower's timeline": lambda by: read_whole_timeline(by, "B-1"),
    "a loan's timeline": lambda by: read_whole_timeline(by, "B-1", "L-1"),
    "what is pinned": lambda _: (
        list(list_pinned("kenya", "B-1")),
        list(list_pinned("kenya", "B-1", "L-1")),
    ),
    "who is named": lambda by: list(list_unseen(by, "kenya")),
    "the erasing of what is old": lambda _: erasure.erase_old(),
    "the beat of other writes": lambda _: (web_tasks.beat(), other_writes.check_due_writes()),
    "tidying other writes": lambda _: other_writes.prune_submitted(),
}


@pytest.mark.parametrize("name", WORK)
def test_nothing_reads_a_large_table_whole(name: str, manager: User) -> None:
    row(manager, created_at=timezone.now() - timedelta(days=1))
    with watched_queries() as queries:
        WORK[name](manager)
    assert queries
    assert scans_of(queries) == []


@pytest.mark.drill
def test_no_page_reads_a_large_table_whole(
    manager: User, client_of: Callable[[User], Client]
) -> None:
    for number in range(60):
        row(manager, account_id="L-1" if number % 2 else f"L-{number}", duplicate=True)
    client, found = client_of(manager), []
    for address in addresses():
        with watched_queries() as queries:
            assert client.get(address).status_code == 200, address
        assert queries, address
        found += [f"{address}\n  {scan}" for scan in scans_of(queries)]
    assert found == []


def test_no_export_sorts_the_journal_for_each_of_its_slices(
    manager: User, client_of: Callable[[User], Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "ROWS_AT_ONCE", 7)
    for number in range(20):
        row(manager, account_id="L-1" if number % 2 else f"L-{number}", duplicate=True)
    client = client_of(manager)
    for address in export_addresses():
        with watched_queries() as queries:
            rows = b"".join(client.get(address).streaming_content).count(b"\n") - 1
        slices = [one for one in queries if 'ORDER BY "repayments_repayment"' in one[0]]
        assert len(slices) >= rows // 7 + 1, address
        # Those of one record or report are few, and are sorted.
        if not re.search("record|mistake", address):
            for sql, params in slices:
                assert not any("TEMP B-TREE" in step for step in explain(sql, params)), address
