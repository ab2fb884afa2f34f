"""How often a person may do something: the counter, what declares it, and the page at its end."""

from collections.abc import Callable
from threading import Barrier, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import REVEAL
from lendingadmin.web import quotas
from lendingadmin.web.access import rule_of
from lendingadmin.web.errors import card
from lendingadmin.web.quotas import EXPORTS, LIMITS, PROFILE, READS, REVEALS, OverQuota, take
from tests.conftest import ClientOf
from tests.sandbox.calling import Caller
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
# A moment in the midst of an hour and of a day.
NOW = 1_800_000_000 + 1_800

Limits = Callable[[int], None]


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Sets the time of the windows."""

    def set_time(now: float) -> None:
        monkeypatch.setattr(quotas, "time", SimpleNamespace(time=lambda: now))

    set_time(NOW)
    return set_time


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> Limits:
    """Sets how many of each there may be."""

    def set_limits(most: int) -> None:
        for name, one in LIMITS.items():
            monkeypatch.setitem(LIMITS, name, one._replace(most=most))

    return set_limits


def take_until_refused(person: User, name: str, of: str = "") -> int:
    """How many the person has left, at most ten."""
    for number in range(10):
        try:
            take(person, name, of)
        except OverQuota:
            return number
    return 10


def test_so_many_and_no_more(support: User, limit: Limits) -> None:
    limit(3)
    assert take_until_refused(support, REVEALS) == 3
    assert take_until_refused(support, REVEALS) == 0
    assert quotas.count(support, REVEALS) == 3


def test_each_person_app_and_kind_has_its_own(support: User, officer: User, limit: Limits) -> None:
    limit(2)
    assert take_until_refused(support, REVEALS) == 2
    assert take_until_refused(officer, REVEALS) == 2
    assert take_until_refused(support, PROFILE) == 2
    support.app_id = "kenya"
    assert take_until_refused(support, REVEALS) == 2


@pytest.mark.parametrize(
    ("name", "later", "left"),
    [
        (REVEALS, 60, 0),
        (REVEALS, 3_600, 2),
        (EXPORTS, 3_600, 0),
        (EXPORTS, 24 * 3_600, 2),
    ],
)
def test_the_next_hour_or_day_begins_anew(
    support: User, limit: Limits, clock: Callable[[float], None], name: str, later: int, left: int
) -> None:
    limit(2)
    assert take_until_refused(support, name) == 2
    clock(NOW + later)
    assert take_until_refused(support, name) == left


def test_it_says_when_to_go_on(support: User, limit: Limits) -> None:
    limit(0)
    with pytest.raises(
        OverQuota, match=r"0 times within one hour\. You can continue in 30 min\."
    ) as one:
        take(support, REVEALS)
    assert one.value.retry_after == 1_800


def test_the_same_counts_once_and_one_that_was_refused_stays_refused(
    support: User, limit: Limits
) -> None:
    limit(2)
    for borrower in ("a", "b", "a", "b"):
        take(support, READS, borrower)
    assert quotas.count(support, READS) == 2
    for _ in range(3):
        with pytest.raises(OverQuota):
            take(support, READS, "c")
    assert take_until_refused(support, READS, "a") == 10


def test_one_that_was_counted_costs_one_query(support: User) -> None:
    take(support, READS, "a")
    with CaptureQueriesContext(
        connection,
    ) as queries:
        take(support, READS, "a")
    assert len(queries) == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_no_more_get_through(support: User, limit: Limits) -> None:
    limit(5)
    start, let_through = Barrier(8), list[bool]()

    def take_two() -> None:
        start.wait()
        for _ in range(2):
            try:
                take(support, REVEALS)
                let_through.append(True)
            except OverQuota:
                let_through.append(False)
        connection.close()

    threads = [Thread(target=take_two) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (sum(let_through), len(let_through)) == (5, 16)


@pytest.mark.parametrize("fails", ["SELECT", "INSERT", "UPDATE"])
def test_a_database_that_takes_no_writes_stops_nobody(
    fails: str, support: User, limit: Limits
) -> None:
    limit(1)
    cache.set(quotas.build_key("x", support), 1)

    def refuse(execute: Any, sql: str, *rest: Any) -> Any:
        is_locking = fails == "SELECT" and connection.in_atomic_block and "caching_kept" in sql
        if sql.startswith(fails) and (fails != "SELECT" or is_locking):
            raise OperationalError("attempt to write a readonly database")
        return execute(sql, *rest)

    with connection.execute_wrapper(refuse):
        assert take_until_refused(support, REVEALS) == 10


# What a route counts as. Searches count where they are made.
DECLARED = {
    "call": READS,
    "borrowers-export": EXPORTS,
    "loans-export": EXPORTS,
    "assessments-export": EXPORTS,
    "products-export": EXPORTS,
    "assessment-types-export": EXPORTS,
    "loan-list-export": EXPORTS,
    "saved-list-export": EXPORTS,
    "events-export": EXPORTS,
    "repayments-export": EXPORTS,
    "repayments-day-export": EXPORTS,
    "statement-export": EXPORTS,
    "statement-batch-export": EXPORTS,
    "borrower-kept": EXPORTS,
    "statement-new": quotas.STATEMENTS,
    "sheet-print": quotas.SHEETS,
    **dict.fromkeys(("borrower-papers", "loan-papers"), READS),
    **dict.fromkeys(("key-facts", "offer-refusal", "assessment-refusal"), READS),
    **dict.fromkeys(("bulk-papers-begin", "bulk-papers-print"), EXPORTS),
    **dict.fromkeys(("borrower-note-new", "loan-note-new", "note-revise"), quotas.NOTES),
    **dict.fromkeys(("note-pin", "note-delete"), quotas.NOTES),
    **dict.fromkeys(("borrower-timeline", "loan-timeline", "note"), READS),
    "borrower": READS,
    "borrower-record": READS,
    "borrower-name": READS,
    "borrower-edit": READS,
    "borrower-delete": READS,
    "borrower-reveal": REVEALS,
    "event-reveal": REVEALS,
    "profile": PROFILE,
}


def test_what_shows_or_keeps_without_end_declares_a_quota() -> None:
    found = {}
    for pattern in _list_patterns(get_resolver().url_patterns):
        rule = rule_of(pattern.callback)
        if rule and rule.quota:
            found[pattern.name] = rule.quota
            assert rule.methods & set(LIMITS[rule.quota].methods)
        assert not rule or REVEAL not in (rule.permissions or ()) or rule.quota == REVEALS
    assert found == DECLARED


def _list_patterns(patterns: Any) -> list[Any]:
    found = []
    for one in patterns:
        inner = getattr(one, "url_patterns", None)
        found += _list_patterns(inner) if inner is not None else [one]
    return found


@pytest.mark.parametrize("role", ["viewer", "support"])
def test_a_page_beyond_it_says_what_happened_when_to_go_on_and_whom_to_ask(
    role: str, people: dict[str, User], client_of: ClientOf, app: LendingApp, book: Caller,
    limit: Limits,
) -> None:  # fmt: skip
    limit(1)
    desk, there = client_of(people[role]), f"/apps/{app.app_id}/borrowers"
    assert desk.get(f"{there}/b/?whole=1").status_code == 200
    assert desk.get(f"{there}/b/").status_code == 200
    over = OverQuota(str(LIMITS[READS].words) % {"most": 1}, 1_800)
    said, what_next = over.message, card(over).next
    for page in ("x/", "x/?whole=1", "x/name", "x/panels/record"):
        answer = desk.get(f"{there}/{page}")
        text = answer.content.decode()
        assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1800")
        assert list_marks(answer, "finding") == ["over-quota"]
        assert list_marks(answer, "saved") == ["no"]
        assert said in text and what_next in text
        part = desk.get(f"{there}/{page}", headers=HTMX)
        assert part.status_code == 200 and "<html" not in part.content.decode()
        assert list_marks(part, "finding") == ["over-quota"] and said in part.content.decode()
    # What was opened already may be worked on.
    assert desk.get(f"{there}/b/?whole=1").status_code == 200
    assert desk.get(there + "/").status_code == 200


def test_a_profile_that_is_saved_without_end_does_not_flood_the_trail(
    desk: Client, officer: User
) -> None:
    answers = [
        desk.post("/accounts/profile/", {"zone": ("Africa/Nairobi", "")[number % 2]})
        for number in range(150)
    ]
    assert [one.status_code for one in answers] == [302] * 20 + [429] * 130
    assert Entry.objects.filter(action="people.profile").count() == 20
    assert desk.get("/accounts/profile/").status_code == 200


def test_exports_of_a_day(
    desk: Client, app: LendingApp, book: Caller, limit: Limits, boss: Client
) -> None:
    limit(2)
    borrowers, journal = (f"/apps/{app.app_id}/{x}/export.csv" for x in ("borrowers", "repayments"))
    for address in (borrowers, journal):
        assert b"".join(boss.get(address)).startswith(b"\xef\xbb\xbf")  # type: ignore[arg-type]
    refused = boss.get(borrowers)
    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) > 3_600
    assert list_marks(refused, "finding") == ["over-quota"]
    assert str(LIMITS[EXPORTS].words) % {"most": 2} in refused.content.decode()
    assert Entry.objects.filter(action="dashboard.export", outcome="started").count() == 2
    assert desk.get(borrowers).status_code == 200


def test_reveals_beyond_it_reveal_nothing_and_each_counts(
    desk: Client, app: LendingApp, book: Caller, limit: Limits
) -> None:
    limit(2)
    page = f"/apps/{app.app_id}/borrowers/b/revealed"
    found = [desk.post(page, {"purpose": "call"}) for _ in range(3)]
    assert [one.status_code for one in found] == [200, 200, 429]
    assert "+254700000001" not in found[2].content.decode()
    assert desk.get(page).status_code == 302
    assert Entry.objects.filter(action=REVEAL).count() == 2


def test_a_busy_hour_of_a_clerk_fits_several_times() -> None:
    calls = 30  # one every two minutes
    for name, each in ((READS, 2), (REVEALS, 1), (quotas.SEARCHES, 15)):
        assert LIMITS[name].most >= 4 * calls * each, name
