"""`manage.py erase borrower`: what it leaves of a borrower is what it names."""

import json
from datetime import datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings as configured
from django.core.management import CommandError, call_command
from django.db import transaction
from django.test import Client
from django.utils import timezone

from lendingadmin.core.areas import collect
from lendingadmin.core.audit.models import Entry
from lendingadmin.core.encryption import EncryptedTextField, bind
from lendingadmin.core.staff import erasure, tasks
from lendingadmin.core.staff.management.commands.erase import (
    ERASED,
    WOULD_BE_ERASED,
    WOULD_BE_ERASED_BY_AGE,
)
from lendingadmin.core.staff.models import User
from lendingadmin.core.worker.worker import Worker
from lendingadmin.desk.assignments.models import Assignment, Basis, BulkAssignment, BulkRow
from lendingadmin.desk.collections import leases
from lendingadmin.desk.collections.models import Call, Contact, PaidLoan, Promise, Stop
from lendingadmin.desk.papers.models import BulkPapers, Paper
from lendingadmin.desk.portfolio.models import Snapshot, SnapshotLoan
from lendingadmin.desk.sheets.codes import make_code
from lendingadmin.desk.sheets.models import Sheet, SheetRow
from lendingadmin.desk.statements.models import (
    Allocation,
    Batch,
    PayerLink,
    StatementFile,
    StatementLine,
)
from lendingadmin.lending.values import Borrower
from lendingadmin.money.repayments.erasure import KEPT
from lendingadmin.money.repayments.models import Mistake, Repayment
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.money.writes.models import Check, Write
from lendingadmin.money.writes.states import WriteState
from lendingadmin.people.index import cards
from lendingadmin.people.index.models import BorrowerIndex, CardToken
from lendingadmin.people.index.tokens import name_key
from lendingadmin.people.search.models import Opened
from lendingadmin.records.assessments.models import AssessmentIndex, KnownAssessment
from lendingadmin.records.borrowers.erasure import erase_older
from lendingadmin.records.notes import erasure as notes_erasure
from lendingadmin.records.notes.models import Note, NoteVersion
from lendingadmin.records.notes.services import Record, revise_note, write_note
from lendingadmin.records.offers.models import OfferLoan, OfferRequest, OfferState
from tests.conftest import ClientOf
from tests.personal import find_kept
from tests.policies.setting import set_retention
from tests.repayments.rows import row

pytestmark = pytest.mark.django_db
APP, BORROWER, NEIGHBOUR = "kenya", "zebra-771", "heron-772"
TEXT = "Zebrafink called twice"
DAY = timedelta(days=1)
# Encrypted columns that hold nothing of a borrower for longer than a form or a walk.
PASSING = {
    *("ui_draft.entered", "gateway_servicetoken.encrypted"),
    "monitoring_canary.encrypted",
    *("assessments_assessmentindex.page_token", "people_index_borrowerindex.page_token"),
    "policies_policyversion.reason",
    *("portfolio_snapshot.page_token", "statements_statementfile.content"),
}
# Where the borrower's id stays, each named by the command.
ID_STAYS = {
    *("assessments_knownassessment.account_id", "audit_entry.subject"),
    *("portfolio_snapshotloan.borrower_id", "repayments_repayment.borrower_id"),
    *("writes_write.borrower_id", "writes_write.subject", "statements_allocation.borrower_id"),
    *("notes_note.borrower_id", "sheets_sheetrow.borrower_id", "papers_paper.borrower_id"),
}


def erase(borrower_id: str = BORROWER, app_id: str = APP) -> str:
    out = StringIO()
    call_command("erase", "borrower", app_id, borrower_id, stdout=out)
    return out.getvalue()


def list_encrypted() -> list[tuple[str, str, EncryptedTextField]]:
    return [
        (model._meta.label, f"{model._meta.db_table}.{field.name}", field)
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, EncryptedTextField)
    ]


def find_text(text: str) -> set[str]:
    """The encrypted columns in which this text stands, opened."""
    return {
        place
        for label, place, field in list_encrypted()
        if any(text in getattr(one, field.name) for one in apps.get_model(label).objects.all())
    }


def make_write(by: User, borrower_id: str, state: WriteState, age: timedelta, key: str) -> Write:
    made = Write.objects.create(
        person=by,
        app_id=APP,
        operation="borrowers.patch",
        subject=borrower_id,
        borrower_id=borrower_id,
        state=state,
        card=TEXT,
        submitted=TEXT,
        resolution_reason=TEXT,
        idempotency_key=key,
    )
    Write.objects.filter(pk=made.pk).update(created_at=timezone.now() - age)
    Check.objects.create(write=made, why=TEXT)
    return made


def make_offer(
    by: User, borrower_id: str, ends_in: timedelta, request_id: str, age: timedelta = DAY
) -> OfferRequest:
    then = timezone.now() - age
    return OfferRequest.objects.create(
        app_id=APP,
        borrower_id=borrower_id,
        request_id=request_id,
        asked_by=by,
        asked_at=then,
        last_asked_at=then,
        state=OfferState.DONE,
        expiry_time=timezone.now() + ends_in,
        answer=TEXT,
    )


def make_line(by: User, repayment: Repayment, at: datetime) -> None:
    """A row of a statement that bears this repayment's transaction id."""
    file = StatementFile.objects.create(
        app_id=APP,
        token=repayment.idempotency_key[:32],
        digest=str(repayment.pk),
        created_by=by,
        created_at=at,
    )
    line = StatementLine.objects.create(
        file=file,
        position=1,
        number=1,
        kind="payment",
        receipt_key=repayment.external_id_key,
        about=TEXT,
        place_reason=TEXT,
    )
    Allocation.objects.create(
        batch=Batch.objects.create(file=file, created_by=by, state=Batch.State.DONE),
        line=line,
        position=1,
        amount=repayment.amount,
        finding="alike",
        borrower_id=repayment.borrower_id,
        reason=TEXT,
    )


def make_link(by: User, borrower_id: str, at: datetime) -> None:
    """Somebody said that a payer pays a loan of this borrower."""
    PayerLink.objects.create(
        app_id=APP,
        payer=borrower_id[::-1],
        account_id="L-1",
        borrower_id=borrower_id,
        shown=TEXT,
        created_by=by,
        created_at=at,
    )


def make_call(by: User, borrower_id: str, at: datetime) -> None:
    """A call that led to a promise and a dispute, both of which are decided."""
    call = Call.objects.create(
        app_id=APP,
        borrower_id=borrower_id,
        account_id="L-1",
        outcome="promise",
        note=TEXT,
        idempotency_key=f"c-{borrower_id[::-1]}-{at:%f}",
        called_by=by,
        called_at=at,
    )
    own = {"app_id": APP, "borrower_id": borrower_id, "account_id": "L-1"}
    promised = {"amount": 5, "day": at.date(), "made_at": at, "state": "kept", "reason": TEXT}
    Promise.objects.create(call=call, **own, **promised)
    stop = Stop.objects.create(kind="dispute", call=call, created_by=by, since=at, **own)
    Stop.objects.filter(pk=stop.pk).update(**bind(stop, ended_at=at, reason=TEXT))
    Contact.objects.update_or_create(
        app_id=APP, borrower_id=borrower_id, defaults={"last_call": call, "next_at": at}
    )
    PaidLoan.objects.update_or_create(app_id=APP, account_id="L-1", defaults={"seen_at": at})


def make_assignment(officer: User, by: User, borrower_id: str) -> None:
    """An officer of the borrower, by a list that is done."""
    bulk = BulkAssignment.objects.create(
        app_id=APP,
        officer=officer,
        state=BulkAssignment.State.DONE,
        idempotency_key=f"b-{borrower_id[::-1]}",
        created_by=by,
    )
    BulkRow.objects.create(bulk=bulk, borrower_id=borrower_id, outcome=BulkRow.Outcome.ASSIGNED)
    Assignment.objects.create(
        app_id=APP,
        borrower_id=borrower_id,
        officer=officer,
        basis=Basis.BULK,
        assigned_by=by,
        bulk=bulk,
    )


def make_sheet(by: User, borrower_id: str, at: datetime) -> None:
    """A collection sheet with a row of this borrower, that was cancelled for a reason."""
    sheet = Sheet.objects.create(
        app_id=APP,
        code=make_code(),
        day=at.date(),
        choice="all",
        row_count=1,
        counted_at=at,
        idempotency_key=f"s-{borrower_id[::-1]}-{at:%f}",
        created_by=by,
        state="cancelled",
        cancelled_at=at,
        reason=TEXT,
    )
    SheetRow.objects.create(sheet=sheet, number=1, account_id="L-1", borrower_id=borrower_id)


def make_paper(by: User, borrower_id: str, at: datetime) -> None:
    """A paper that the borrower was given, as one of a list."""
    paper = Paper.objects.create(
        app_id=APP,
        year=at.year,
        number=Paper.objects.count() + 1,
        kind="statement",
        borrower_id=borrower_id,
        account_id="L-1",
        language="en",
        content=TEXT,
        figures_at=at,
        made_by=by,
        made_at=at,
        idempotency_key=f"p-{borrower_id[::-1]}-{at:%f}",
    )
    bulk = BulkPapers.objects.create(
        app_id=APP,
        kind="statement",
        language="en",
        day=at.date(),
        state="done",
        idempotency_key=f"l-{borrower_id[::-1]}-{at:%f}",
        created_by=by,
    )
    bulk.rows.create(borrower_id=borrower_id, paper=paper)


def fill(by: User, manager: User, borrower_id: str) -> None:
    """A row of this borrower in every table that may have one; all of it is over."""
    now, ago, key = timezone.now(), timedelta(days=1), borrower_id[::-1]
    index = BorrowerIndex.objects.get_or_create(
        app_id=APP, key_name=name_key(configured.PEOPLE_KEYS[0]), defaults={"complete_at": now}
    )[0]
    card = Borrower({"borrowerId": borrower_id, "individual": {"surname": TEXT}})
    with transaction.atomic():
        cards.put_borrowers(index, [card], now)
    Opened.objects.create(person=by, app_id=APP, kind="borrower", key=borrower_id, at=now)
    make_write(by, borrower_id, WriteState.NOT_SAVED, ago, f"w-{key}")
    offer = make_offer(by, borrower_id, -ago, "r-1")
    OfferLoan.objects.create(offer=offer, idempotency_key=f"w-{key}", account_id="L-1")
    texts = ("notes", "error_description", "set_aside_reason", "resolution_reason")
    repayment = row(by, borrower_id=borrower_id, **dict.fromkeys(texts, TEXT))
    Mistake.objects.create(
        repayment=repayment,
        note=TEXT,
        reason=TEXT,
        reported_at=now,
        reported_by=by,
        reviewed_at=now,
        reviewed_by=manager,
        idempotency_key=f"m-{key}",
    )
    make_line(by, repayment, now)
    make_link(by, borrower_id, now)
    note = write_note(Record(APP, borrower_id), f"{TEXT} @manager", by, f"n-{key}", is_pinned=True)
    revise_note(note, TEXT, by, f"n2-{key}")
    make_call(by, borrower_id, now)
    make_sheet(by, borrower_id, now)
    make_paper(by, borrower_id, now)
    leases.take(APP, borrower_id, manager, now, account_id="L-1", queue="")
    make_assignment(by, manager, borrower_id)
    snapshot = Snapshot.objects.create(app_id=APP, state=Snapshot.State.DONE)
    SnapshotLoan.objects.create(snapshot=snapshot, account_id="L-1", borrower_id=borrower_id)
    KnownAssessment.objects.create(
        index=AssessmentIndex.objects.get_or_create(app_id=APP)[0],
        assessment_id=f"a-{key}",
        account_id=f"borrower:{borrower_id}",
        made_at=now,
        read_at=now,
    )


def test_all_that_is_over_goes_and_the_rest_is_named(officer: User, manager: User) -> None:
    fill(officer, manager, BORROWER)
    assert find_text("Zebrafink") == {place for _, place, _ in list_encrypted()} - PASSING
    said = erase()
    assert find_text("Zebrafink") == set()
    assert not CardToken.objects.exists()
    stays = {one.removeprefix(f"{BORROWER} in ") for one in find_kept([BORROWER])}
    assert stays == ID_STAYS
    erased, kept = said.split("Kept:\n")
    for line in (
        "1 names and phones for the search",
        "5 calls, promises and “do not call”",
        "1 offers",
        "1 texts of other changes",
        "1 texts of repayments",
        "1 records that people opened recently",
        "1 payers of statement rows",
        "2 texts of notes",
        "1 reasons for cancelled collection sheets",
    ):
        assert f"  {line}\n" in erased
    for line in ("1 repayments", "1 other changes", "1 loan snapshots", "1 assessments:"):
        assert f"  {line}" in kept
    for line in ("1 statement rows that are matched", "1 notes, without texts"):
        assert f"  {line}" in kept
    assert "0 offers" in kept


def test_a_dry_run_says_exactly_what_would_go_and_nothing_goes(
    officer: User, manager: User
) -> None:
    fill(officer, manager, BORROWER)
    before, entries = find_text("Zebrafink"), Entry.objects.count()
    out = StringIO()
    call_command("erase", "borrower", APP, BORROWER, "--dry-run", stdout=out)
    assert find_text("Zebrafink") == before
    assert CardToken.objects.exists() and Opened.objects.exists()
    assert Entry.objects.count() == entries
    assert Note.objects.get().is_pinned
    assert out.getvalue() == erase().replace(ERASED, WOULD_BE_ERASED)


def test_what_is_old_is_told_by_a_dry_run_and_erased_by_the_command(
    settings: Any, officer: User
) -> None:
    set_retention(texts=30)
    for days in (29, 31, 400):
        fill_of_age(officer, timedelta(days=days))
    before, out = count_texts(), StringIO()
    call_command("erase", "old", "--dry-run", stdout=out)
    said = out.getvalue()
    assert WOULD_BE_ERASED_BY_AGE in said
    for line in ("2 texts of repayments", "2 texts of other changes", "2 offers"):
        assert f"  {line}, older than 30 days\n" in said
    for line in ("2 payers of statement rows", "2 texts of notes"):
        assert f"  {line}, older than 30 days\n" in said
    assert count_texts() == before
    call_command("erase", "old", stdout=out)
    assert set(count_texts()) == {1}
    assert Entry.objects.get(action="command").subject == "erase old"


def test_a_dry_run_of_more_than_it_counts_says_so(
    settings: Any, officer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_retention(texts=0, texts_notes=30)
    monkeypatch.setattr(erasure, "COUNTED", 2)
    for days in (31, 32, 33):
        fill_of_age(officer, timedelta(days=days))
    out = StringIO()
    call_command("erase", "old", "--dry-run", stdout=out)
    assert "  2 or more texts of notes, older than 30 days\n" in out.getvalue()


def test_what_is_old_is_of_no_app() -> None:
    with pytest.raises(CommandError, match="for all borrowers"):
        call_command("erase", "old", APP)


def test_each_kind_that_is_erased_or_kept_on_is_exported_too(officer: User, manager: User) -> None:
    kinds = [*collect("erasable"), *collect("kept")]
    assert [one.what for one in kinds if one.list_rows is None] == []
    fill(officer, manager, BORROWER)
    fill(officer, manager, NEIGHBOUR)
    whole = "".join(erasure.write_kept(APP, BORROWER))
    kept = json.loads(whole)
    assert (kept["app"], kept["borrower"]) == (APP, BORROWER)
    # All that the command would erase, and all that it leaves, is in the file, opened.
    labels = {label for label, place, _ in list_encrypted() if place not in PASSING}
    assert {label for label in labels if "Zebrafink" in json.dumps(kept["tables"][label])} == labels
    tables = {place.partition(".")[0] for place in ID_STAYS}
    named = {apps.get_model(label)._meta.db_table for label in kept["tables"]}
    assert tables <= named
    assert NEIGHBOUR not in whole and NEIGHBOUR[::-1] not in whole
    assert kept["tables"]["repayments.Repayment"][0]["created_by"] == "officer"
    assert kept["tables"]["notes.Note"][0]["is_pinned"] is True
    assert "0 offers" not in whole and str(KEPT[0].why) in whole


def test_of_a_stranger_nothing_is_kept(db: None) -> None:
    kept = json.loads("".join(erasure.write_kept(APP, "nobody")))
    assert all(rows == [] for rows in kept["tables"].values())


@pytest.mark.django_db(transaction=True)
def test_the_file_is_for_managers_who_confirm_and_stands_in_the_trail(
    officer: User, manager: User, client_of: ClientOf
) -> None:
    fill(officer, manager, BORROWER)
    address = f"/apps/{APP}/borrowers/{BORROWER}/kept.json"
    assert client_of(officer).get(address).status_code == 403
    late = Client()
    late.force_login(manager)
    assert late.get(address).status_code == 302
    answer: Any = client_of(manager).get(address)
    assert "attachment" in answer["Content-Disposition"]
    assert (
        TEXT
        in json.loads(b"".join(answer.streaming_content))["tables"]["notes.NoteVersion"][1]["text"]
    )
    entries = Entry.objects.filter(action="dashboard.borrowers.exportKept").order_by("id")
    assert [(one.subject, one.outcome) for one in entries] == [
        (BORROWER, "started"),
        (BORROWER, "done"),
    ]
    assert TEXT not in str([vars(one) for one in entries])


def test_the_trail_says_once_what_was_erased_without_a_name(officer: User, manager: User) -> None:
    fill(officer, manager, BORROWER)
    erase()
    entry = Entry.objects.get(action="dashboard.borrowers.erase")
    assert (entry.app_id, entry.subject, entry.outcome) == (APP, BORROWER, "erased")
    assert "1 texts of repayments" in entry.detail
    assert "Zebrafink" not in str(vars(entry))


def test_nobody_else_loses_anything(officer: User, manager: User) -> None:
    fill(officer, manager, NEIGHBOUR)
    before = find_text("Zebrafink")
    assert "  0 texts of repayments\n" in erase()
    assert find_text("Zebrafink") == before
    assert Opened.objects.count() == OfferRequest.objects.count() == 1
    assert erase(NEIGHBOUR, "ghana") and find_text("Zebrafink") == before


def test_what_is_not_over_stays(officer: User, manager: User) -> None:
    make_write(officer, BORROWER, WriteState.UNKNOWN, timedelta(days=1), "open")
    make_write(officer, BORROWER, WriteState.NOT_SAVED, timedelta(hours=1), "young")
    make_offer(officer, BORROWER, timedelta(hours=1), "runs")
    lent = make_offer(officer, BORROWER, -timedelta(hours=1), "loan can still be made from these")
    OfferLoan.objects.create(offer=lent, idempotency_key="open", account_id="L-1")
    row(officer, RepaymentState.UNKNOWN, borrower_id=BORROWER, notes=TEXT)
    reported = row(officer, borrower_id=BORROWER, notes=TEXT)
    Mistake.objects.create(
        repayment=reported, note=TEXT, reported_at=timezone.now(), reported_by=officer
    )
    before = find_text("Zebrafink")
    said = erase()
    assert find_text("Zebrafink") == before
    assert Write.objects.exclude(card="").count() == OfferRequest.objects.count() == 2
    assert "  0 texts" in said and "  2 offers: " in said


def fill_of_age(by: User, age: timedelta) -> None:
    """What ages, of this age; all of it is over."""
    key = f"{age.days}"
    made = row(by, borrower_id=BORROWER, notes=TEXT, created_at=timezone.now() - age)
    Mistake.objects.create(
        repayment=made,
        note=TEXT,
        reported_at=timezone.now(),
        reported_by=by,
        reviewed_at=timezone.now(),
        idempotency_key=key,
    )
    make_line(by, made, timezone.now() - age)
    make_call(by, BORROWER, timezone.now() - age)
    make_sheet(by, BORROWER, timezone.now() - age)
    make_paper(by, BORROWER, timezone.now() - age)
    make_write(by, BORROWER, WriteState.SAVED, age, key)
    make_offer(by, BORROWER, -DAY, key, age)
    write_note(Record(APP, BORROWER), TEXT, by, f"n-{key}")
    NoteVersion.objects.filter(idempotency_key=f"n-{key}").update(created_at=timezone.now() - age)


def count_texts() -> list[int]:
    """Of how many of each the texts are kept, in the order of `kept`."""
    kept = (
        Repayment.objects.exclude(notes=""),
        Mistake.objects.exclude(note=""),
        Write.objects.exclude(card=""),
        Check.objects.exclude(why=""),
        OfferRequest.objects.all(),
        StatementLine.objects.exclude(about=""),
        NoteVersion.objects.exclude(text=""),
        Sheet.objects.exclude(reason=""),
        Call.objects.exclude(note=""),
        Promise.objects.exclude(reason=""),
        Stop.objects.exclude(reason=""),
        Paper.objects.exclude(content=""),
    )
    return [rows.count() for rows in kept]


@pytest.mark.django_db(transaction=True)
def test_the_worker_erases_what_is_older_than_the_setting(settings: Any, officer: User) -> None:
    set_retention(texts=30)
    for days in (29, 31, 400):
        fill_of_age(officer, timedelta(days=days))
    tasks.beat()
    Worker(once=True).run()
    assert set(count_texts()) == {1}
    assert Repayment.objects.count() == Write.objects.count() == 3


def test_a_kind_with_a_number_of_its_own_ages_by_that(settings: Any, officer: User) -> None:
    set_retention(texts=30, texts_notes=0, texts_calls=500)
    for days in (31, 400, 600):
        fill_of_age(officer, timedelta(days=days))
    assert erasure.erase_old() is True
    # Notes: all. Of calls, promises and stops the young. Nothing of all others.
    assert count_texts() == [0, 0, 0, 0, 0, 0, 3, 0, 2, 2, 2, 0]
    out = StringIO()
    call_command("erase", "old", "--dry-run", stdout=out)
    assert "not call”, older than 500 days" in out.getvalue()
    assert str(notes_erasure.ERASABLE[0].what) not in out.getvalue()


def test_much_is_erased_in_batches(
    settings: Any, officer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_retention(texts=30)
    monkeypatch.setattr(erasure, "ROWS_AT_ONCE", 1)
    for days in (31, 32):
        fill_of_age(officer, timedelta(days=days))
    assert erasure.erase_old() is False
    assert set(count_texts()) == {1}
    assert erasure.erase_old() is False
    assert set(count_texts()) == {0}
    assert erasure.erase_old() is True


@pytest.mark.django_db(transaction=True)
def test_with_0_nothing_is_erased_by_its_age(settings: Any, officer: User) -> None:
    set_retention(texts=0)
    fill_of_age(officer, timedelta(days=4000))
    tasks.beat()
    Worker(once=True).run()
    assert set(count_texts()) == {1}


def test_an_unknown_app_and_what_is_no_id_are_refused() -> None:
    with pytest.raises(CommandError, match="not an app of LENDING_APPS"):
        erase(app_id="mars")
    with pytest.raises(CommandError, match="cannot be an id"):
        erase("..")
    assert not Entry.objects.exists()


def test_texts_of_writes_that_belong_to_no_app_are_erased_too(officer: User) -> None:
    write = make_write(officer, BORROWER, WriteState.SAVED, 200 * DAY, "no app")
    Write.objects.filter(pk=write.pk).update(app_id="")
    assert erase_older(timezone.now() - 100 * DAY, 10) == 1
    write.refresh_from_db()
    assert (write.card, write.submitted, write.resolution_reason) == ("", "", "")
