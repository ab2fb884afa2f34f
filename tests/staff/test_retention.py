"""Rows go at their age, not before, and not while something needs them."""

from collections.abc import Callable
from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.utils import timezone
from django_tasks import TaskResultStatus
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.areas import collect
from lendingadmin.core.audit.models import Entry
from lendingadmin.core.caching.models import Kept
from lendingadmin.core.encryption import bind
from lendingadmin.core.staff import retention, tasks
from lendingadmin.core.staff.management.commands.erase import WOULD_BE_ERASED_BY_AGE
from lendingadmin.core.staff.models import User
from lendingadmin.core.worker.worker import Worker
from lendingadmin.desk.collections.models import Call, Contact, Promise, Stop
from lendingadmin.money.repayments.attribution import attribution_of
from lendingadmin.money.repayments.models import Reading, Repayment
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.money.writes.models import Check, Write
from lendingadmin.money.writes.states import WriteState
from lendingadmin.records.notes.models import Note, NoteVersion
from lendingadmin.records.notes.services import Record, write_note
from lendingadmin.records.offers.models import OfferLoan
from lendingadmin.web.models import Draft
from tests.policies.setting import set_retention
from tests.repayments.rows import row

from .test_erasing import make_call, make_offer, make_write

pytestmark = pytest.mark.django_db
APP, BORROWER = "kenya", "zebra-771"
LIMIT = 100
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
# Rows that stay, go with another row, or that their own area replaces (SECURITY.md says how long).
STAYING = {
    *("assessments.AssessmentIndex", "assessments.KnownAssessment"),
    *("assignments.Assignment", "assignments.BulkAssignment", "assignments.BulkRow"),
    *("assignments.HandOver", "assignments.RuleSet", "assignments.RuleWalk"),
    *("audit.Entry", "audit.SuspectedRestore"),
    *("collections.CallQueue", "collections.CallQueue_people", "collections.Contact"),
    *("collections.Lease", "collections.PaidLoan", "collections.Promise"),
    "gateway.ServiceToken",
    "mfa.Authenticator",
    "monitoring.Canary",
    *("notes.Mention", "notes.NoteVersion"),
    *("offers.OfferLoan", "offers.OfferRequest"),
    *("papers.BulkPapers", "papers.BulkRow", "papers.Paper"),
    *("people_index.BorrowerCard", "people_index.BorrowerIndex", "people_index.CardToken"),
    "people_index.WordKey",
    "policies.PolicyVersion",
    *("portfolio.SavedList", "portfolio.SavedList_pinned_by", "portfolio.Snapshot"),
    "portfolio.SnapshotLoan",
    *("repayments.CashCount", "repayments.Mistake", "repayments.ReceiptCounter"),
    *("repayments.Repayment", "repayments.Restoration"),
    *("search.Opened", "search.SearchCount"),
    *("sheets.Sheet", "sheets.SheetReturn", "sheets.SheetRow"),
    "socialaccount.SocialAccount",
    *("staff.AppRole", "staff.PersonChange", "staff.User"),
    *("statements.Allocation", "statements.Batch", "statements.KnownLayout"),
    *("statements.PayerLink", "statements.StatementLine"),
    "worker.Heartbeat",
    "writes.Check",
}
# Rows of what the framework needs of itself; none grows with what people do.
OF_THE_FRAMEWORK = {
    *("auth.Group", "auth.Group_permissions", "auth.Permission"),
    *("contenttypes.ContentType", "account.EmailAddress", "account.EmailConfirmation"),
    *("socialaccount.SocialApp", "socialaccount.SocialToken"),
}


def make_old_write(by: User, age: timedelta, state: WriteState = WriteState.SAVED) -> Write:
    write = make_write(by, BORROWER, state, age, f"w-{state}-{age.days}")
    Write.objects.filter(pk=write.pk).update(card="", submitted="", resolution_reason="")
    write.checks.update(why="")
    return write


def make_old_call(by: User, age: timedelta) -> Call:
    """A call that is not the last one, with all that it led to decided and without texts."""
    make_call(by, BORROWER, timezone.now() - age)
    call = Call.objects.latest("pk")
    Call.objects.filter(pk=call.pk).update(note="")
    Promise.objects.filter(call=call).update(reason="")
    Stop.objects.filter(call=call).update(reason="")
    return call


def make_old_note(by: User, age: timedelta) -> Note:
    note = write_note(Record(APP, BORROWER), "called", by, f"n-{age.days}")
    NoteVersion.objects.filter(note=note).update(text="")
    Note.objects.filter(pk=note.pk).update(deleted_at=timezone.now() - age)
    return note


def add_reading(
    repayment: Repayment, kind: str, at: datetime, paid: str = "5", fault: str = ""
) -> Reading:
    return Reading.objects.create(
        repayment=repayment, kind=kind, taken_at=at, paid=paid, fault=fault
    )


def make_old_reading(by: User, age: timedelta) -> Reading:
    """A check of a recorded repayment that a later one superseded."""
    at = timezone.now() - age
    repayment = row(by, created_at=at, sent_at=at)
    add_reading(repayment, Reading.Kind.BASELINE, at)
    found = add_reading(repayment, Reading.Kind.CHECK, at)
    add_reading(repayment, Reading.Kind.CHECK, at + timedelta(seconds=1))
    return found


def make_failed_task(_by: User | None, age: timedelta) -> DBTaskResult:
    return make_task(age, TaskResultStatus.FAILED)


def make_task(age: timedelta, status: TaskResultStatus) -> DBTaskResult:
    at = timezone.now() - age
    return DBTaskResult.objects.create(
        status=status, finished_at=at, args_kwargs={}, task_path="x", run_after=at
    )


MAKE: dict[str, Callable[[User, timedelta], Any]] = {
    "writes": make_old_write,
    "calls": make_old_call,
    "notes": make_old_note,
    "readings": make_old_reading,
    "tasks": make_failed_task,
}


def delete_old(settings: Any, kind: str, days: int = LIMIT) -> None:
    set_retention(**{f"rows_{kind}": days})
    assert retention.delete_old() is True


def test_of_every_table_it_is_decided_whether_its_rows_go() -> None:
    models = {model._meta.label for model in apps.get_models(include_auto_created=True)}
    assert models == {one.label for one in collect("tables")} | STAYING | OF_THE_FRAMEWORK


def test_only_these_kinds_go_by_their_age() -> None:
    assert {one.kind for one in collect("tables") if one.kind} == {*MAKE, "files"}
    # What shows that a payment is the same one.
    assert {
        "repayments.Repayment",
        "repayments.ReceiptCounter",
        "statements.StatementLine",
    } <= STAYING


@pytest.mark.parametrize("kind", MAKE)
def test_a_row_goes_at_its_age_and_not_before(settings: Any, officer: User, kind: str) -> None:
    make = MAKE[kind]
    young, old = make(officer, (LIMIT - 1) * DAY), make(officer, (LIMIT + 1) * DAY)
    make(officer, DAY)  # the last call
    delete_old(settings, kind, days=0)
    assert type(old).objects.filter(pk=old.pk).exists()
    delete_old(settings, kind)
    assert not type(old).objects.filter(pk=old.pk).exists()
    assert type(young).objects.filter(pk=young.pk).exists()


def test_a_write_stays_while_something_needs_it(settings: Any, officer: User) -> None:
    age, now = 200 * DAY, timezone.now()
    kept = [make_write(officer, BORROWER, WriteState.NOT_SAVED, age, "with texts")]
    lent = make_old_write(officer, age)
    offer = make_offer(officer, BORROWER, -DAY, "r-1")
    OfferLoan.objects.create(offer=offer, idempotency_key=lent.idempotency_key, account_id="L-1")
    alarm = make_old_write(officer, age + DAY)
    Write.objects.filter(pk=alarm.pk).update(alarm="contradicted", alarm_at=now)
    reason = make_old_write(officer, age + 2 * DAY)
    Check.objects.create(write=reason, why="a name")
    kept += [lent, alarm, reason]
    delete_old(settings, "writes")
    assert set(Write.objects.all()) == set(kept)
    Write.objects.filter(pk=alarm.pk).update(alarm_seen_at=now)
    delete_old(settings, "writes")
    assert set(Write.objects.all()) == set(kept) - {alarm}


@pytest.mark.parametrize("state", [WriteState.SENT, WriteState.UNKNOWN])
def test_writes_beside_one_of_unknown_outcome_stay(
    settings: Any, officer: User, state: WriteState
) -> None:
    make_old_write(officer, 302 * DAY)
    kept = [make_old_write(officer, 300 * DAY, state), make_old_write(officer, 200 * DAY)]
    delete_old(settings, "writes")
    assert set(Write.objects.all()) == set(kept)


def test_a_call_stays_while_something_of_it_is_open(settings: Any, officer: User) -> None:
    promised, stopped, noted, reasoned = (
        make_old_call(officer, (200 + number) * DAY) for number in range(4)
    )
    last = make_old_call(officer, 150 * DAY)
    Promise.objects.filter(call=promised).update(state="open")
    Stop.objects.filter(call=stopped).update(ended_at=None)
    Call.objects.filter(pk=noted.pk).update(**bind(noted, note="called twice"))
    promise = Promise.objects.get(call=reasoned)
    Promise.objects.filter(pk=promise.pk).update(**bind(promise, reason="called twice"))
    delete_old(settings, "calls")
    assert set(Call.objects.all()) == {promised, stopped, noted, reasoned, last}
    assert Contact.objects.get().last_call == last
    assert Stop.objects.get().call == stopped


def test_a_note_stays_while_it_has_a_text_or_was_not_deleted(settings: Any, officer: User) -> None:
    deleted, texted = make_old_note(officer, 200 * DAY), make_old_note(officer, 201 * DAY)
    version = texted.newest
    NoteVersion.objects.filter(pk=version.pk).update(**bind(version, text="called"))
    Note.objects.filter(pk=deleted.pk).update(deleted_at=None)
    delete_old(settings, "notes")
    assert set(Note.objects.all()) == {deleted, texted}


@pytest.mark.parametrize("state", list(RepaymentState))
def test_of_readings_only_superseded_checks_of_what_is_recorded_go(
    settings: Any, officer: User, state: RepaymentState
) -> None:
    at = timezone.now() - 200 * DAY
    repayment = row(officer, state, created_at=at, sent_at=at, state_at=at + 10 * DAY)
    kinds = (Reading.Kind.ENTERED, Reading.Kind.BASELINE, Reading.Kind.AFTER, Reading.Kind.CHECK)
    found = [
        add_reading(repayment, kind, at + number * timedelta(seconds=1))
        for number, kind in enumerate(kinds)
    ]
    found.append(add_reading(repayment, Reading.Kind.CHECK, at + DAY, paid="105"))
    found.append(add_reading(repayment, Reading.Kind.CHECK, at + 2 * DAY, paid="", fault="gone"))
    before = attribution_of(repayment)
    delete_old(settings, "readings")
    goes = state in (RepaymentState.RECORDED, RepaymentState.PRESUMED)
    assert list(Reading.objects.all()) == (
        [found[1], found[2], found[4], found[5]] if goes else found
    )
    again = Repayment.objects.get(pk=repayment.pk)
    assert attribution_of(again) == before
    assert again.latest == found[5]


def test_much_goes_in_batches(
    settings: Any, officer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_retention(rows=LIMIT)
    monkeypatch.setattr(retention, "ROWS_AT_ONCE", 1)
    for days in (200, 201):
        make_old_write(officer, days * DAY)
    assert retention.delete_old() is False and Write.objects.count() == 1
    assert retention.delete_old() is False and Write.objects.count() == 0
    assert retention.delete_old() is True


@pytest.mark.django_db(transaction=True)
def test_the_worker_deletes_them(settings: Any, officer: User) -> None:
    set_retention(texts=0, rows=LIMIT)
    for days in (1, 200):
        make_old_write(officer, days * DAY)
    tasks.beat()
    Worker(once=True).run()
    assert Write.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_task_that_was_done_goes_after_a_day_and_one_that_failed_later() -> None:
    failed = make_failed_task(None, 13 * DAY)
    make_task(2 * DAY, TaskResultStatus.SUCCESSFUL)
    young = make_task(DAY / 2, TaskResultStatus.SUCCESSFUL)
    tasks.prune.call()
    assert retention.delete_old() is True
    assert set(DBTaskResult.objects.all()) == {failed, young}
    DBTaskResult.objects.filter(pk=failed.pk).update(finished_at=timezone.now() - 15 * DAY)
    assert retention.delete_old() is True
    assert set(DBTaskResult.objects.all()) == {young}


def test_a_dry_run_says_how_many_of_each_and_the_command_deletes_them(
    settings: Any, officer: User
) -> None:
    set_retention(texts=0, rows_writes=LIMIT)
    for days in (200, 201):
        make_old_write(officer, days * DAY)
    out = StringIO()
    call_command("erase", "old", "--dry-run", stdout=out)
    assert out.getvalue().splitlines() == [
        WOULD_BE_ERASED_BY_AGE,
        "  2 rows of: other changes and their checks, older than 100 days; finished rows "
        "are deleted after that time",
        "  0 finished rows of: sessions",
        "  0 finished rows of: worker tasks",
        "  0 finished rows of: temporary data",
        "  0 finished rows of: unfinished forms",
    ]
    assert Write.objects.count() == 2
    call_command("erase", "old", stdout=StringIO())
    assert not Write.objects.exists()
    assert "2 rows of: other changes" in Entry.objects.get(action="command").detail


def make_session(ends_in: timedelta) -> Session:
    return Session.objects.create(
        session_key=str(ends_in), session_data="", expire_date=timezone.now() + ends_in
    )


def make_draft(by: User, age: timedelta) -> Draft:
    draft = Draft.objects.create(token=str(age), person=by, purpose="x")
    Draft.objects.filter(pk=draft.pk).update(created_at=timezone.now() - age)
    return draft


def make_value(ends_in: timedelta) -> Kept:
    return Kept.objects.create(key=str(ends_in), value="", expires_at=timezone.now() + ends_in)


MAKE_OVER: dict[str, Callable[[User, bool], Any]] = {
    "sessions": lambda _, is_over: make_session(-SECOND if is_over else SECOND * 9),
    "worker tasks": lambda _, is_over: make_task(
        DAY + (SECOND if is_over else -9 * SECOND), TaskResultStatus.SUCCESSFUL
    ),
    "temporary data": lambda _, is_over: make_value(-SECOND if is_over else SECOND * 9),
    "unfinished forms": lambda by, is_over: make_draft(
        by, Draft.KEPT_FOR + (SECOND if is_over else -9 * SECOND)
    ),
}


def test_each_table_whose_rows_end_by_themselves_is_tried() -> None:
    names = [one.what for one in retention.list_passing()]
    assert len(names) == len(MAKE_OVER)
    assert all(any(name.startswith(one) for name in names) for one in MAKE_OVER)


@pytest.mark.parametrize("what", MAKE_OVER)
def test_a_dry_run_counts_what_is_over_and_the_worker_and_the_command_delete_it(
    settings: Any, officer: User, what: str
) -> None:
    set_retention(texts=0)
    for delete in (tasks.prune.call, lambda: call_command("erase", "old", stdout=StringIO())):
        rows = {is_over: MAKE_OVER[what](officer, is_over) for is_over in (True, False)}
        out = StringIO()
        call_command("erase", "old", "--dry-run", stdout=out)
        assert f"  1 finished rows of: {what}" in out.getvalue()
        assert type(rows[True]).objects.count() == 2
        delete()
        assert list(type(rows[True]).objects.all()) == [rows[False]]
        rows[False].delete()
