"""Puts a filled dashboard into states that a person rarely meets, and prints where to find them.

A process of its own, with the environment of the dashboard: `python -m tests.browser.staging`.
Rows stand in the database as the product itself would have written them; what the service has to do
with it goes through the client. The answer is a JSON object: names for addresses, and sessions.
"""

# Django must be set up before its models can be imported.
# ruff: noqa: E402

import json
import sys
import time
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import django

django.setup()

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.contrib.auth.models import Group
from django.test import Client
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.core.policies.services import save_policy
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.setup_links import setup_tokens
from lendingadmin.desk.assignments import bulk, rules
from lendingadmin.desk.assignments import services as assignments
from lendingadmin.desk.collections import promises, services
from lendingadmin.desk.collections.models import CallQueue, Promise, Stop
from lendingadmin.desk.collections.policies import CALLING
from lendingadmin.desk.collections.services import Entered
from lendingadmin.desk.collections.states import Outcome, PromiseState
from lendingadmin.desk.papers import bulk as bulk_papers
from lendingadmin.desk.papers import services as paper_services
from lendingadmin.desk.papers.models import BulkPapers, PaperKind
from lendingadmin.desk.portfolio import snapshot_job
from lendingadmin.desk.portfolio.loan_lists import open_list
from lendingadmin.desk.portfolio.models import SavedList, Snapshot
from lendingadmin.desk.sheets import choosing
from lendingadmin.desk.sheets import services as sheet_services
from lendingadmin.desk.sheets.choosing import Wanted
from lendingadmin.desk.sheets.codes import make_external_id
from lendingadmin.desk.sheets.models import Sheet
from lendingadmin.desk.sheets.policies import LATE_SHEETS
from lendingadmin.desk.statements import keeping
from lendingadmin.desk.statements.findings import Finding
from lendingadmin.desk.statements.lines import Mapping
from lendingadmin.desk.statements.models import (
    Allocation,
    Batch,
    PayerLink,
    StatementFile,
    StatementLine,
)
from lendingadmin.lending.codec import encode
from lendingadmin.lending.ids import account_id, resource_id
from lendingadmin.lending.loan_math import account_of, borrower_of
from lendingadmin.lending.values import Assessment, Loan
from lendingadmin.money.repayments import cash, mistakes
from lendingadmin.money.repayments.models import Reading, Repayment, Restoration
from lendingadmin.money.repayments.policies import LIMITS
from lendingadmin.money.repayments.states import RepaymentState, Resolution
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteFound, WriteResolution, WriteState
from lendingadmin.people.index import tasks as people_tasks
from lendingadmin.people.index.walk import BorrowerWalk
from lendingadmin.people.search.encrypted_words import encrypt_words
from lendingadmin.records.assessments import tasks as assessment_tasks
from lendingadmin.records.assessments.walk import AssessmentWalk
from lendingadmin.records.notes.models import Note
from lendingadmin.records.notes.services import Record, delete_note, revise_note, write_note
from lendingadmin.records.offers import asking
from lendingadmin.records.offers.models import OfferRequest
from lendingadmin.records.offers.models import OfferState as OfferState
from tests.browser.house import PASSWORD
from tests.browser.staged import RUNS
from tests.repayments.rows import row
from tests.roles import give_roles
from tests.statements import making

APP = "kenya"
KIND = "assessmentTypes/credit-90-days"
Names = dict[str, Any]


def main() -> None:
    """Stage everything and say where it stands."""
    timezone.activate(gateway.lending_app(APP).zone)  # as in the pages: days are the lender's
    people = {name: _person(name) for name in ("viewer", "officer", "support", "manager")}
    book, assessed = _loans(), _assessments()
    names = {
        **{f"{kind}_loan": account_of(loan) for kind, loan in book.items()},
        "borrower": borrower_of(book["late"]),
        **assessed,
        **_offers(people["officer"], assessed["offered_to"]),
        **_repayments(people, book),
        **_counts(people["officer"]),
        **_statements(people["support"]),
        **_notes(people, book),
        **_calls(people["officer"], book["late"]),
        **_assignments(people["officer"], borrower_of(book["late"])),
        **_sheets(people["officer"], people["support"]),
        **_factors(),
        **_searches(people["manager"], account_of(book["late"]).lower()),
        **_accounts(people["manager"]),
        "sessions": _sessions(["hurried", "given", "second", "keyholder", "root"]),
    }
    _rules(people["manager"])
    names |= _papers(people["officer"])
    _writes(people["officer"])
    now = timezone.now()
    _restoration(people["manager"], now)
    sys.stdout.write(json.dumps(names))


def _papers(officer: User) -> Names:
    """A notice, and three lists: one made, one that waits for the service, and a paused one."""
    app = gateway.lending_app(APP)
    overdue = open_list(app, {"show": "overdue"})
    if overdue is None:
        raise RuntimeError("the loans are not counted")
    *some, last, one, other = bulk_papers.list_borrowers(
        overdue.rows.values_list("borrower_id", flat=True)
    )[1:8]
    wanted = paper_services.Wanted(PaperKind.NOTICE, last, "", "en")
    notice = paper_services.make_paper(app, wanted, "staged-notice", officer)
    choice = bulk_papers.Choice(PaperKind.STATEMENT, "en", None, None)

    def begin(key: str, **fields: Any) -> BulkPapers:
        query = "show=overdue"
        found = bulk_papers.begin(APP, query, [*some, "B-GONE"], choice, officer, f"staged-{key}")
        BulkPapers.objects.filter(pk=found.pk).update(**fields)
        return found

    done, why = begin("done"), {"why": "The lending service did not answer."}
    while bulk_papers.run_slice(done.pk) is not None:
        pass
    return {
        "notice": f"{notice.year}/{notice.number}",
        "overdue": [one, other],
        "bulk_papers": done.pk,
        "bulk_waits": begin("waits", **why).pk,
        "bulk_paused": begin("paused", state=BulkPapers.State.PAUSED, **why).pk,
    }


def _restoration(by: User, now: datetime) -> None:
    """A gap of some days, the last two of which no statement covers."""
    since = now - timedelta(days=4)
    Restoration.objects.create(app_id="ghana", since=since, until=now)
    StatementFile.objects.create(
        app_id="ghana",
        created_by=by,
        network="MTN MoMo",
        account="233540000001",
        covers_from=since.date() - timedelta(days=20),
        covers_to=now.date() - timedelta(days=2),
        proof={"has_ends": True},
    )


def _rules(by: User) -> None:
    """Calling rules that were changed twice, and a change of late sheets that is planned."""
    app = gateway.lending_app(APP)
    values: Names = {**CALLING.defaults, "hours": [["00:00", "00:00"]] * 7, "has_holidays": False}
    closed = [["2026-12-24", "staff day"], ["2026-12-31", "stocktaking"]]
    reason = "The branch in Kisumu moves; borrowers were told on the radio."
    save_policy(app, CALLING, {**values, "closed": closed}, seen=1, by=by, reason=reason)
    day = timezone.localdate(timezone=app.zone) + timedelta(days=9)
    visits = "The visits take longer."
    save_policy(app, LATE_SHEETS, {"days": 4}, seen=0, by=by, reason=visits, day=day)
    asks = _person("asks", "manager")
    limits = LIMITS.complete({"amount": "80000", "look_alikes": True})
    reason = "Fewer repayments wait for a second person."
    save_policy(app, LIMITS, limits, seen=1, by=asks, reason=reason, waits=True)


def _person(name: str, role: str = "") -> User:
    person, made = User.objects.get_or_create(username=name)
    if made:
        person.set_password(PASSWORD)
        person.save()
        give_roles(person, role)
    return person


def _loans() -> dict[str, Loan]:
    """A loan of each kind that its page shows in another way."""
    loans = [one for one in gateway.app(APP).loans.iterate() if isinstance(one, Loan)]

    def first(status: int, performance: int | None = None) -> Loan:
        return next(
            one
            for one in loans
            if one.status == status and performance in (None, one.performance_status)
        )

    return {"open": first(2, 1), "late": first(2, 3), "closed": first(3), "pending": first(1)}


def _assessments() -> Names:
    """The newest assessment of each outcome, and a borrower whom one allows a loan, owing none.

    A walk has read them all.
    """
    index, found = assessment_tasks.start(APP), dict[str, list[Assessment]]()
    while index and AssessmentWalk.run_slice(index.pk) is not None:
        pass
    for one in gateway.app(APP).assessments.iterate():
        if isinstance(one, Assessment):
            found.setdefault(getattr(one.result, "type", None) or "other", []).append(one)
    loans = gateway.app(APP).loans.iterate()
    owing = {borrower_of(one) for one in loans if isinstance(one, Loan) and one.status != 3}
    allowed = {resource_id(str(one.account_id)) or "" for one in found["authorized"]}
    return {
        **{f"assessment_{outcome}": of[0].assessment_id for outcome, of in found.items()},
        "offered_to": min(allowed - owing),
    }


def _searches(manager: User, other_case: str) -> Names:
    """The index of people, and searches of a manager with each end."""
    index = people_tasks.start(APP)
    while index and BorrowerWalk.run_slice(index.pk) is not None:
        pass
    words = {
        "people": "wan",
        "nothing": "no-where",
        "name": "nowhere",
        "other_case": other_case,
        "fault": "L-SCOPE",
        "slow": "L-SLOW",
        "wrong": "..",
    }
    return {f"search_{name}": encrypt_words(manager, text) for name, text in words.items()}


def _offers(officer: User, borrower: str) -> Names:
    """Requests for offers: made, refused, not possible, under way, overdue, expired."""
    now = timezone.now()
    asking.ask(asking.Place(APP, borrower, "staged-done"), officer, KIND, now)
    for state, since, left in (
        (OfferState.FAILED, 10, 3600),
        (OfferState.REFUSED, 10, 3600),
        # Asked for later than now, so that they run for as long as anybody looks at the map.
        (OfferState.RUNNING, -3000, 3600),
        (OfferState.ASKED, -3000, 3600),
        ("overdue", 600, 3600),
        ("expired", 7200, -60),
    ):
        place = asking.Place(APP, RUNS, f"staged-{state}")
        OfferRequest.objects.create(
            **place._asdict(),
            assessment_type=KIND,
            timestamp=now,
            asked_by=officer,
            asked_at=now - timedelta(seconds=since),
            last_asked_at=now - timedelta(seconds=since),
            state=state if state in OfferState else OfferState.RUNNING,
            expiry_time=now + timedelta(seconds=left),
            answer=_operation(place, state == OfferState.FAILED),
            answered_at=now,
        )
    made = _made(asking.Place(APP, borrower, "staged-done"))
    offer = made.response
    if offer is None:
        raise SystemExit(f"no offer was made for {borrower}: {made.answer}")
    made.pk, made.request_id, made.expiry_time = None, "staged-gone", now - timedelta(minutes=5)
    made.answer = made.answer.replace("staged-done", made.request_id)
    made.save()
    return {
        "half": str(int(Decimal(str(offer.credit_limit)) / 2)),
        "product": offer.products[0].product_id,
        "today": f"{now:%Y-%m-%d}",
    }


def _made(place: asking.Place) -> OfferRequest:
    """The request once the service is done with it."""
    deadline = time.monotonic() + 30
    while True:
        row = place.find()
        if row and (row.is_finished or time.monotonic() > deadline):
            return row
        time.sleep(0.3)
        if row:
            asking.check(row)


def _operation(place: asking.Place, failed: bool) -> str:
    said = {"error": "Not enough data: no mobile money messages in 90 days"}
    whose = {"accountId": account_id(place.borrower_id), "requestId": place.request_id}
    operation = {"done": failed, "metadata": whose, "result": said if failed else None}
    return encode(operation).decode()


def _repayments(people: dict[str, User], book: dict[str, Loan]) -> Names:
    """The journal with something of every state, on a loan of the book each."""
    support, now = people["support"], timezone.now()
    loans = iter([one for one in gateway.app(APP).loans.iterate() if one.status == 2][20:])
    made: dict[str, Repayment] = {}

    def enter(name: str, state: RepaymentState, **fields: Any) -> Repayment:
        loan = next(loans)
        ids = {"account_id": account_of(loan), "borrower_id": borrower_of(loan)}
        ids |= {"external_id": f"RKT{len(made):02}X7Q1", "channel": "mobile", "network": "M-PESA"}
        fields = {"amount": "1250.50", "sent_at": now, "by": support} | fields
        made[name] = row(fields.pop("by"), state, fields.pop("amount"), **ids | fields)
        return made[name]

    def read(repayment: Repayment, before: str, after: str) -> None:
        for kind, paid in ((Reading.Kind.BASELINE, before), (Reading.Kind.AFTER, after)):
            Reading.objects.create(
                repayment=repayment, kind=kind, taken_at=now, paid=paid, unpaid="9000"
            )

    long_ago = now - timedelta(hours=3)
    read(
        enter("recorded", RepaymentState.RECORDED, status=200, request_id="req-7f3a"),
        "1000",
        "2250.50",
    )
    read(enter("not_yet", RepaymentState.RECORDED, status=200), "1000", "1000")
    words = "The amount is more than this product admits in one payment."
    enter(
        "refused", RepaymentState.REFUSED, status=400, error_description=words, request_id="req-9"
    )
    enter("not_sent", RepaymentState.NOT_SENT, why="No connection to the service could be opened.")
    limit = {"approval_reasons": "amount", "amount": "75000"}
    awaiting = enter("awaiting", RepaymentState.AWAITING, sent_at=None, **limit)
    Reading.objects.create(
        repayment=awaiting, kind=Reading.Kind.ENTERED, taken_at=now, paid="1000", unpaid="9000"
    )
    said = {"resolved_by": people["manager"], "resolved_at": now}
    reason = "The statement shows 7,500."
    enter(
        "declined", RepaymentState.DECLINED, sent_at=None, resolution_reason=reason, **said, **limit
    )
    why = "The service did not answer in time."
    enter("unknown", RepaymentState.UNKNOWN, why=why, next_check_at=now + timedelta(hours=1))
    enter("unknown_old", RepaymentState.UNKNOWN, created_at=long_ago, sent_at=long_ago)
    aside = {"set_aside_at": now, "set_aside_by": people["manager"], "created_at": long_ago}
    aside["set_aside_reason"] = "The payer stands at the counter with the next one."
    enter("set_aside", RepaymentState.UNKNOWN, sent_at=long_ago, **aside)
    reason = (
        "The loan's paid amount rose by exactly this amount. Another payment may explain the rise."
    )
    read(enter("presumed", RepaymentState.PRESUMED, why=reason), "1000", "2250.50")
    quiet = "The loan was read twice after the waiting time. Its paid amount did not rise."
    read(
        enter("not_found", RepaymentState.NOT_FOUND, created_at=long_ago, why=quiet), "1000", "1000"
    )
    enter(
        "alarm",
        RepaymentState.NOT_FOUND,
        alarm="It may be there after all: paid rose",
        alarm_at=now,
    )
    for resolution in Resolution:
        said = {"resolution": resolution, "resolved_by": people["manager"], "resolved_at": now}
        enter(
            f"resolved_{resolution}",
            RepaymentState.RESOLVED,
            **said,
            resolution_reason="Seen in the statement.",
        )
    for name in ("mistaken", "reviewed"):
        wrong = enter(name, RepaymentState.RECORDED, amount="12505", status=200)
        one = mistakes.report(wrong, "Ten times too much: it was 1,250.50.", support, name)
        if name == "reviewed":
            one.reviewed_as, one.reviewed_by = one.Review.CORRECTED, people["manager"]
            one.reviewed_at, one.reason = now, "The service's staff took it back."
            one.save()
    return {
        **{f"rp_{name}": repayment.pk for name, repayment in made.items()},
        "busy_loan": made["unknown_old"].account_id,
        "recorded_loan": made["recorded"].account_id,
    }


def _notes(people: dict[str, User], book: dict[str, Loan]) -> Names:
    """Notes on a borrower and his late loan: pinned, in versions, deleted, one that names."""
    officer, support, late = people["officer"], people["support"], book["late"]
    of_borrower = Record(APP, borrower_of(late))
    of_loan = of_borrower._replace(account_id=account_of(late))

    def write(record: Record, by: User, text: str, **more: Any) -> Note:
        return write_note(record, text, by, f"note-{Note.objects.count()}", **more)

    pinned = write(
        of_borrower, support, "Sells at the market on Tuesdays: call after six.", is_pinned=True
    )
    words = "Promised to pay when the harvest is in.\nHis brother Otieno takes calls for him."
    revised = write(of_loan, officer, words, is_pinned=True)
    revise_note(revised, f"{words}\nThe harvest is late: end of the month.", officer, "revised")
    deleted = write(of_loan, officer, "Meant for another loan.")
    delete_note(deleted, people["manager"])
    named = write(of_loan, support, "@manager please look at what he says of the fee.")
    long_ago = timezone.now() - timedelta(days=75)
    Note.objects.filter(pk=pinned.pk).update(created_at=long_ago)
    numbers = {"pinned": pinned, "revised": revised, "deleted": deleted, "named": named}
    return {f"note_{name}": note.pk for name, note in numbers.items()}


def _writes(officer: User) -> None:
    """Writes whose outcome is known, not known, found and resolved."""
    staged = {
        "saved": {"state": WriteState.SAVED},
        "refused": {"state": WriteState.NOT_SAVED},
        "unknown": {"state": WriteState.UNKNOWN},
        "found": {"state": WriteState.UNKNOWN, "found": WriteFound.THERE},
        "differs": {"state": WriteState.UNKNOWN, "found": WriteFound.DIFFERS},
        "absent": {"state": WriteState.UNKNOWN, "found": WriteFound.NOT_SEEN},
        "resolved": {
            "state": WriteState.RESOLVED,
            "resolution": WriteResolution.SAVED,
            "resolved_by": User.objects.get(username="manager"),
            "resolved_at": timezone.now(),
            "resolution_reason": "It stands in the list.",
        },
    }
    meant = {"borrowerId": "B-STAGED", "category": "individual", "phone": "+254711000111"}
    for name, fields in staged.items():
        write = Write.objects.create(
            idempotency_key=f"staged-{name}",
            person=officer,
            app_id=APP,
            operation="borrowers.create",
            subject="B-STAGED",
            submitted=encode({"sent": meant, "before": {}}).decode(),
            **fields,
        )
        if fields.get("found"):
            write.checks.create(found=fields["found"], why="Read the borrower's record.")


def _counts(officer: User) -> Names:
    """Two complete counts of the book, those of two weeks, and one of the other app under way."""
    now, before = timezone.now(), range(13, 0, -1)
    days = [
        Snapshot.objects.create(app_id=APP, state="stopped", has_loans=False, ended_at=at)
        for at in (now - timedelta(days=ago) for ago in before)
    ]
    for _ in range(2):
        row = snapshot_job.begin_snapshot(APP, officer)
        while row and snapshot_job.CountWalk.run_slice(row.pk) is not None:
            pass
    newest = snapshot_job.list_complete(APP)[0].figures
    for day, ago in zip(days, before, strict=True):
        parts = {"outstanding": 1000 - 5 * ago, "overdue": 1000 - 9 * ago + 40 * (ago % 3)}
        sums = {
            name: [str(int(Decimal(newest["sums"][name][0])) * part // 1000), 9]
            for name, part in parts.items()
        }
        told = newest | {"sums": newest["sums"] | sums}
        Snapshot.objects.filter(pk=day.pk).update(state="done", figures=told)
    begun = snapshot_job.begin_snapshot("ghana", officer)
    Snapshot.objects.filter(pk=begun.pk if begun else 0).update(loans_read=137, expected=250)
    saved = SavedList.objects.create(
        app_id=APP, owner=officer, name="Call first", query="show=overdue", is_shared=True
    )
    saved.pinned_by.set(User.objects.all())
    return {"count": snapshot_job.list_complete(APP)[0].pk, "saved_list": saved.pk}


def _calls(officer: User, late: Loan) -> Names:
    """A borrower who promised and disputes, and what somebody decided of another promise."""
    app, loan_id, borrower_id = gateway.lending_app(APP), account_of(late), borrower_of(late)
    words = {
        Outcome.NO_ANSWER: "",
        Outcome.PROMISE: "Will be paid on Friday, half of it then and the rest from the next "
        "harvest; asks to be called in the evening only.",
        Outcome.DISPUTE: "Says that the last instalment was paid at the shop.",
    }
    for outcome, note in words.items():
        promised = {"amount": Decimal(2500), "day": timezone.localdate() + timedelta(days=2)}
        entered = Entered(borrower_id, loan_id, "late-31", outcome, note)
        if outcome == Outcome.PROMISE:
            entered = replace(entered, **promised)
        services.keep_call(app, entered, f"staged-{outcome}", officer)
    decided = services.keep_call(
        app,
        Entered(
            *("staged-borrower", "staged-loan", "", Outcome.PROMISE),
            amount=Decimal(900),
            day=timezone.localdate(),
        ),
        "staged-decided",
        officer,
    )
    manager = User.objects.get(username="manager")
    reason = "The branch has the receipt of the bank."
    promises.decide(decided.promise, PromiseState.KEPT, reason, manager)
    return {
        "promise": Promise.objects.get(account_id=loan_id).pk,
        "promise_decided": decided.promise.pk,
        "stop": Stop.objects.get().pk,
        "called": borrower_id,
    }


def _assignments(officer: User, borrower_id: str) -> Names:
    """A borrower of the officer, who is away; rules; a list that is assigned; a queue."""
    manager, support = (User.objects.get(username=name) for name in ("manager", "support"))
    assignments.assign(APP, borrower_id, officer, manager, None)
    today = timezone.localdate()
    assignments.hand_over(APP, officer, support, today, today + timedelta(days=5), officer)
    rule_set = rules.save(APP, [rules.Rule("", (officer.pk, support.pk))], None, manager)
    overdue = open_list(gateway.lending_app(APP), {"show": "overdue"})
    if rule_set is None or overdue is None:
        raise RuntimeError("the rules are not saved, or the loans are not counted")
    given = bulk.count_borrowers(overdue, APP, officer)
    done = bulk.save(APP, "show=overdue", given, manager, "staged-bulk")
    bulk.run_slice(done.pk)
    made = CallQueue.objects.create(
        app_id=APP, name="Large and late", query="show=overdue&late=31-60", created_by=manager
    )
    return {
        "officer": officer.pk,
        "stand_in": support.pk,
        "bulk": done.pk,
        "rules": rule_set.pk,
        "made_queue": made.key,
        "made_number": made.pk,
    }


def _sheets(officer: User, clerk: User) -> Names:
    """A sheet that is out too long, one that came back, of which a row differs, and a cancelled."""
    app, today = gateway.lending_app(APP), timezone.localdate()
    found = choosing.choose(app, Wanted(today))
    if found is None:
        raise RuntimeError("the loans are not counted")

    def make(key: str, first: int, day: date = today) -> Sheet:
        some = found._replace(chosen=found.chosen[first : first + 4])
        return sheet_services.make_sheets(app, Wanted(day), some, key, officer)[0]

    out, back, cancelled = make("out", 0, today - timedelta(days=4)), make("back", 4), make("no", 8)
    amounts = {1: Decimal(500), 2: Decimal("1250.50"), 4: Decimal(20)}
    counted = sum(amounts.values(), Decimal(0))
    kept = sheet_services.take_back(back, amounts, counted, today, clerk)
    batch = Batch.objects.get(file=kept.file)
    for line, finding in zip(kept.file.lines.all(), ("fine", "closed", "fine"), strict=True):
        Allocation.objects.create(
            batch=batch,
            line=line,
            position=line.position,
            amount=line.amount,
            account_id=back.rows.get(number=line.number).account_id,
            basis="loan",
            finding=finding,
            decision="accepted" if finding == "fine" else "open",
        )
    Batch.objects.filter(pk=batch.pk).update(state=Batch.State.READY)
    row(clerk, external_id=make_external_id(back.code, 1), external_id_minted=True, amount="50")
    Sheet.objects.filter(pk=out.pk).update(created_at=timezone.now() - timedelta(days=4))
    sheet_services.note_printing(out, officer)
    sheet_services.cancel(cancelled, "The market was closed.", officer)
    codes = {"sheet": out, "sheet_back": back, "sheet_cancelled": cancelled}
    return {name: one.code for name, one in codes.items()}


def _statements(clerk: User) -> Names:
    """One that is whole and known in part, one that was cut, one of an unknown layout."""
    events, app = making.make_events(80), gateway.lending_app(APP)
    paid = [one for one in events if one.kind == "payment"]
    for one, state in zip(paid, (RepaymentState.RECORDED, RepaymentState.UNKNOWN), strict=False):
        row(
            clerk,
            state,
            account_id=one.reference,
            external_id=one.receipt,
            amount=one.amount,
            network="M-PESA",
        )
    table = making.write_mpesa(events)
    days = making.write_bank(events[:3])
    for cells in days[4:]:
        cells[0] = "03/04/2026"
    files = {
        "whole": making.pack_xlsx(table),
        "cut": making.pack_csv([*table[:20], *table[21:]]),
        "approve": making.pack_csv(making.write_mpesa(making.make_events(20, seed=11))),
        "days": making.pack_csv(days),
        "unknown": making.pack_csv([["Wann", "Nr", "Wieviel"], ["2026-10-01", "A1", "7.50"]]),
        "mapped": making.pack_csv([["Tag", "Nr", "Wieviel"], ["2026-10-01", "A2", "8.50"]]),
    }
    names: Names = {
        f"statement_{name}": keeping.take_in(app, content, clerk)[0].pk
        for name, content in files.items()
    }
    named = Mapping(moment="Tag", receipt="Nr", amount="Wieviel")
    mapped = StatementFile.objects.get(pk=names["statement_mapped"])
    keeping.map_columns(mapped, "Kiosk", named, clerk)
    row(
        clerk,
        account_id="KE-L-00099",
        external_id=paid[0].receipt,
        amount=paid[0].amount + 400,
        network="M-PESA",
        alarm="Repayments with this id are recorded on several loans, but only row 88 of the "
        "statement has this id.",
        alarm_at=timezone.now(),
    )
    row(clerk, external_id="CASH-20261001-0A1B", external_id_minted=True, amount="1500")
    cash.save_count(app, timezone.localdate(), clerk, "KES", Decimal(1400), clerk, version=0)
    missing = StatementLine.objects.get(file=names["statement_whole"], receipt=paid[4].receipt)
    PayerLink.objects.create(
        app_id=APP,
        payer="a" * 64,
        account_id="KE-L-00001",
        shown="LÉA N’GUESSAN · 254711000222",
        created_by=clerk,
    )
    _batch(clerk, int(names["statement_whole"]), Batch.State.READY)
    _batch(clerk, int(names["statement_approve"]), Batch.State.AWAITING)
    return names | {"statement_row": missing.position, "statement_line": missing.pk}


def _batch(clerk: User, file: int, state: Batch.State) -> None:
    """The payments of a statement with something of everything that may be found."""
    batch = Batch.objects.create(
        file_id=file,
        created_by=clerk,
        state=state,
        approval_reasons="day" if state == Batch.State.AWAITING else "",
    )
    lines = StatementLine.objects.filter(file=file, kind="payment").order_by("position")
    for at, line in enumerate(lines):
        finding = list(Finding)[at % len(Finding)]
        is_fine = finding == Finding.FINE
        has_loan = finding not in (Finding.NO_LOAN, Finding.SEVERAL)
        Allocation.objects.create(
            batch=batch,
            line=line,
            position=line.position,
            amount=line.amount or 0,
            account_id=f"KE-L-{at:05}" if has_loan else "",
            borrower_id=f"KE-B-{at:05}" if has_loan else "",
            basis="loan" if has_loan else "",
            finding=finding,
            owed=Decimal("12345.67") if has_loan else None,
            decision="accepted" if is_fine else "open",
        )


def _accounts(manager: User) -> Names:
    """A superuser, somebody who is deactivated, somebody new, and the link of another."""
    User.objects.get_or_create(username="root", defaults={"is_superuser": True})
    gone = _person("gone", "viewer")
    User.objects.filter(pk=gone.pk).update(is_active=False, first_name="Mwangi")
    new = _person("new-here", "support")
    new.set_unusable_password()
    new.setup_link_at = timezone.now()
    new.save()
    return {
        "manager": manager.pk,
        "gone": gone.pk,
        "new_here": new.pk,
        "setup_link": setup_tokens.build_path(new),
    }


def _factors() -> Names:
    """People with second factors: codes out of an app, and a key."""
    _person("hurried", "viewer")
    given = _person("given", "viewer")
    User.objects.filter(pk=given.pk).update(must_choose_password=True)
    second, holder = _person("second", "officer"), _person("keyholder", "officer")
    TOTP.activate(second, generate_totp_secret())
    RecoveryCodes.activate(second)
    key = Authenticator.objects.create(
        user=holder,
        type=Authenticator.Type.WEBAUTHN,
        data={"name": "Key of the till", "credential": {}},
    )
    return {
        "key": key.pk,
        "person": second.pk,
        "given": given.pk,
        "group": Group.objects.create(name="night desk").pk,
    }


def _sessions(others: list[str]) -> dict[str, str]:
    """A signed-in session for each person; `late` is one that has to say again who it is."""
    sessions = {}
    roles = ["viewer", "officer", "support", "manager", *others]
    for name in (*roles, "late"):
        client = Client()
        client.force_login(User.objects.get(username="second" if name == "late" else name))
        session = client.session
        at = time.time() + 10**6 * (-1 if name == "late" else 1)
        session["account_authentication_methods_user"] = str(session["_auth_user_id"])
        session["account_authentication_methods"] = [
            {"method": method, "at": at, "reauthenticated": True} for method in ("password", "mfa")
        ]
        session.save()
        sessions[name] = session.session_key or ""
    return sessions


if __name__ == "__main__":
    main()
