"""A call from Next to what follows from it: notes, promises, stops, and when the next one is."""

import re
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.desk.collections import promises, tasks
from lendingadmin.desk.collections.models import Call, Contact, Lease, PaidLoan, Promise, Stop
from lendingadmin.desk.collections.policies import CALLING
from lendingadmin.desk.collections.queues import MOST, Queue
from lendingadmin.desk.collections.states import KEYS, Evidence, Outcome, PromiseState, StopKind
from lendingadmin.desk.portfolio.models import Snapshot
from tests.conftest import ClientOf
from tests.personal import find_kept
from tests.policies.setting import NEVER, set_calling
from tests.repayments.rows import row

from .desk import COLLECTIONS, counted, list_wrong, note_call, press_next, read_page, words
from .service import CallService

pytestmark = pytest.mark.django_db
APP = lending_app("kenya")
CANARY = "sold the goat on the market of Kisumu"
# The field that a call which a person has is ended with.
OUTCOMES = 'name="outcome"'


def today() -> date:
    return timezone.localdate(timezone=APP.zone)


def in_days(days: int) -> str:
    return (today() + timedelta(days=days)).isoformat()


def list_loans(key: str, now: datetime | None = None) -> list[str]:
    return [one.account_id for one in Queue(APP, key, now or timezone.now()).read_rows(0, MOST)]


@pytest.fixture
def three(service: CallService) -> CallService:
    """Three borrowers who are late, counted."""
    for number in range(3):
        service.add(number, 7 - number)
    counted()
    return service


def test_a_call_from_next_to_next(three: CallService, desk: Client, officer: User) -> None:
    assert press_next(desk) == "B-0"
    shown = read_page(desk, f"{COLLECTIONS}calls/B-0/")
    text = words(shown)
    assert "KAMAU0 ANN" in text and "+254 700 000 000" in text and "KES 500.00" in text
    answer = note_call(desk, "B-0", "reached", note=CANARY)
    assert answer["Location"] == f"{COLLECTIONS}calls/B-1/"
    call = Call.objects.get()
    assert (call.queue, call.account_id, call.outcome) == ("late-1-7", "L-0", "reached")
    assert (call.note, call.called_by) == (CANARY, officer)
    assert list_loans("late-1-7") == ["L-1", "L-2"]
    assert Lease.objects.get().borrower_id == "B-1"
    note_call(desk, "B-1", "no_answer")
    answer = note_call(desk, "B-2", "reached", leave="on")
    assert answer["Location"] == f"{COLLECTIONS}late-1-7/"
    assert not Lease.objects.exists()
    again = read_page(desk, f"{COLLECTIONS}calls/B-0/")
    assert CANARY in again and f'action="{COLLECTIONS}calls/B-0/begin"' in again
    text = words(read_page(desk, COLLECTIONS))
    assert "1 to 7 days late 3 2 0 0" in text


def test_no_word_of_a_call_is_readable_anywhere_else(
    three: CallService, desk: Client, caplog: pytest.LogCaptureFixture
) -> None:
    press_next(desk)
    note_call(desk, "B-0", "promise", note=CANARY, amount="500", day=in_days(2))
    assert find_kept([CANARY]) == []
    assert CANARY not in caplog.text
    [entry] = Entry.objects.filter(action="dashboard.collections.call")
    assert entry.subject == f"borrower:B-0 {Call.objects.get()}"
    assert entry.outcome == str(Outcome.PROMISE.label)


def test_a_form_that_is_sent_twice_is_one_call(three: CallService, desk: Client) -> None:
    press_next(desk)
    form = read_page(desk, f"{COLLECTIONS}calls/B-0/")
    token = re.search(r'name="token" value="([^"]+)"', form)
    assert token
    sent = {
        "outcome": "promise",
        "amount": "5",
        "day": in_days(1),
        "loan": "L-0",
        "token": token[1],
    }
    for _ in range(2):
        assert desk.post(f"{COLLECTIONS}calls/B-0/", sent).status_code == 302
    assert Call.objects.count() == Promise.objects.count() == 1


@pytest.mark.parametrize(
    ("fields", "field", "code"),
    [
        ({}, "outcome", "required"),
        ({"outcome": "promise", "day": "2030-01-01"}, "amount", "required"),
        ({"outcome": "promise", "amount": "5"}, "day", "required"),
        ({"outcome": "promise", "amount": "5", "day": "2020-01-01"}, "day", "implausible"),
        ({"outcome": "promise", "amount": "0", "day": "2030-01-01"}, "amount", "min_value"),
        ({"outcome": "reached", "nextDay": "2099-01-01"}, "nextDay", "implausible"),
        ({"outcome": "dispute", "loan": "L-99"}, "loan", "invalid_choice"),
    ],
)
def test_what_is_wrong_stands_beside_the_field_and_nothing_is_saved(
    three: CallService, desk: Client, fields: dict[str, str], field: str, code: str
) -> None:
    press_next(desk)
    answer = desk.post(f"{COLLECTIONS}calls/B-0/", {"loan": "L-0", "note": CANARY} | fields)
    assert answer.status_code == 200
    shown = answer.content.decode()
    assert code in list_wrong(answer)[field] and f'value="{CANARY}"' in shown
    assert not Call.objects.exists()


def test_a_promise_is_kept_by_the_journal(three: CallService, desk: Client, support: User) -> None:
    press_next(desk)
    note_call(desk, "B-0", "promise", amount="450.50", day=in_days(1))
    promise = Promise.objects.get()
    assert (promise.amount, promise.paid_before) == (Decimal("450.5"), Decimal(200))
    assert promise.day == today() + timedelta(days=1)
    assert promises.judge_promises(APP, timezone.now()) == 0
    later = timezone.now() + timedelta(seconds=1)
    row(support, account_id="L-0", amount="400", created_at=later, transaction_date=later)
    assert promises.judge_promises(APP, timezone.now()) == 1
    promise.refresh_from_db()
    assert (promise.state, promise.paid) == (PromiseState.OPEN, 400)
    row(support, account_id="L-0", amount="50.50", created_at=later, transaction_date=later)
    promises.judge_promises(APP, timezone.now())
    promise.refresh_from_db()
    assert (promise.state, promise.evidence) == (PromiseState.KEPT, Evidence.JOURNAL)
    shown = words(read_page(desk, promise.get_absolute_url()))
    assert "kept" in shown and "by repayments recorded in this dashboard" in shown


def test_one_payment_keeps_one_of_two_promises(
    three: CallService, desk: Client, support: User
) -> None:
    press_next(desk)
    note_call(desk, "B-0", "promise", amount="500", day=in_days(1))
    second = Promise.objects.get()
    call = second.call
    call.pk, call.idempotency_key = None, "second"
    call.save()
    second.pk, second.call, second.day = None, call, today() + timedelta(days=2)
    second.save()
    later = timezone.now() + timedelta(seconds=1)
    row(support, account_id="L-0", amount="500", created_at=later, transaction_date=later)
    promises.judge_promises(APP, timezone.now())
    assert promises.judge_promises(APP, timezone.now()) == 0
    states = Promise.objects.order_by("day").values_list("state", "paid")
    assert list(states) == [(PromiseState.KEPT, 500), (PromiseState.OPEN, 0)]


def test_a_promise_is_kept_by_what_was_paid_elsewhere(three: CallService, desk: Client) -> None:
    press_next(desk)
    note_call(desk, "B-0", "promise", amount="500", day=in_days(0))
    three.pay("L-0", "500")
    counted()
    promises.judge_promises(APP, timezone.now())
    promise = Promise.objects.get()
    assert (promise.state, promise.evidence) == (PromiseState.KEPT, Evidence.READING)
    assert escape(str(Evidence.READING.label)) in read_page(desk, promise.get_absolute_url())


def test_a_broken_promise_comes_back_and_leaves_when_it_was_talked_of(
    three: CallService, desk: Client, boss: Client
) -> None:
    press_next(desk)
    note_call(desk, "B-0", "promise", amount="500", day=in_days(0))
    # On its day it is a promise for today, and in no queue of late loans.
    Contact.objects.update(next_at=timezone.now())
    assert list_loans("promised") == ["L-0"] and "L-0" not in list_loans("late-1-7")
    Promise.objects.update(day=today() - timedelta(days=2), made_at=timezone.now() - timedelta(3))
    Call.objects.update(called_at=timezone.now() - timedelta(days=3))
    promises.judge_promises(APP, timezone.now())
    assert Promise.objects.get().state == PromiseState.BROKEN
    assert list_loans("promised") == [] and list_loans("broken") == ["L-0"]
    shown = words(read_page(desk, f"{COLLECTIONS}broken/"))
    assert "KES 500.00" in shown and str(Outcome.PROMISE.label) in shown
    assert press_next(desk, "broken") == "B-0"
    note_call(desk, "B-0", "no_answer")
    assert list_loans("broken", timezone.now() + timedelta(days=1)) == []


def test_a_payment_that_is_entered_late_mends_a_broken_promise(
    three: CallService, desk: Client, support: User
) -> None:
    press_next(desk)
    note_call(desk, "B-0", "promise", amount="500", day=in_days(0))
    day, made = today() - timedelta(days=2), timezone.now() - timedelta(days=3)
    Promise.objects.update(day=day, made_at=made)
    promises.judge_promises(APP, timezone.now())
    assert Promise.objects.get().state == PromiseState.BROKEN
    row(support, account_id="L-0", amount="500", transaction_date=made + timedelta(hours=1))
    promises.judge_promises(APP, timezone.now())
    assert Promise.objects.get().state == PromiseState.KEPT


def test_a_person_decides_a_promise_only_with_a_reason_and_a_right(
    three: CallService, desk: Client, boss: Client, manager: User
) -> None:
    press_next(desk)
    note_call(desk, "B-0", "promise", amount="500", day=in_days(0))
    promise = Promise.objects.get()
    address = promise.get_absolute_url()
    decide = f"{address}decide"
    assert desk.post(decide, {"state": "kept", "reason": CANARY}).status_code == 403
    assert boss.post(decide, {"state": "kept", "reason": ""}).status_code == 200
    promise.refresh_from_db()
    assert promise.state == PromiseState.OPEN
    boss.post(decide, {"state": "withdrawn", "reason": CANARY})
    promise.refresh_from_db()
    assert (promise.state, promise.decided_by) == (PromiseState.WITHDRAWN, manager)
    assert find_kept([CANARY]) == [] and CANARY in read_page(boss, address)
    # Whatever is paid later: a person decided.
    row(manager, account_id="L-0", amount="500", created_at=timezone.now())
    assert promises.judge_promises(APP, timezone.now()) == 0


@pytest.mark.parametrize(
    ("outcome", "account_id", "left"),
    [
        ("dispute", "L-0", ["L-9"]),
        ("hardship", "L-0", ["L-9"]),
        ("died", "", []),
        ("wrong_number", "", []),
    ],
)
def test_what_stops_calls_and_who_lets_them_go_on(
    service: CallService, desk: Client, boss: Client, outcome: str, account_id: str, left: list[str]
) -> None:
    service.add(0)
    service.add(9, 2, borrowerId="B-0")
    counted()
    press_next(desk)
    note_call(desk, "B-0", outcome)
    stop = Stop.objects.get()
    assert (stop.kind, stop.account_id, stop.ended_at) == (outcome, account_id, None)
    later = timezone.now() + timedelta(days=8)
    assert list_loans("late-1-7", later) == left
    address, stops = f"{COLLECTIONS}stops/{stop.pk}/end", f"{COLLECTIONS}stops/"
    assert str(stop.get_kind_display()) in words(read_page(desk, stops))
    assert address not in read_page(desk, stops) and f'href="{address}"' in read_page(boss, stops)
    assert desk.post(address, {"reason": "x"}).status_code == 403
    assert boss.post(address, {"reason": ""}).status_code == 200
    boss.post(address, {"reason": CANARY})
    assert set(list_loans("late-1-7", later)) == {"L-0", "L-9"}
    assert find_kept([CANARY]) == []
    assert boss.post(address, {"reason": "again"}).status_code == 404


def test_the_rule_says_how_many_loans_can_be_called_about(three: CallService) -> None:
    assert CALLING.describe_now and " 3 " in CALLING.describe_now(APP)
    set_calling(hours=NEVER)
    assert " 3 " not in CALLING.describe_now(APP)


def test_who_asked_not_to_be_called_is_not(three: CallService, desk: Client) -> None:
    press_next(desk)
    desk.post(f"{COLLECTIONS}calls/B-0/stop")
    assert list_loans("late-1-7") == ["L-1", "L-2"]
    shown = read_page(desk, f"{COLLECTIONS}calls/B-0/")
    assert str(StopKind.DO_NOT_CALL.label) in shown and "254700000000" not in shown
    # The number stays away from whoever begins a call all the same.
    desk.post(f"{COLLECTIONS}calls/B-0/begin")
    shown = read_page(desk, f"{COLLECTIONS}calls/B-0/")
    assert OUTCOMES in shown and "254700000000" not in shown


def test_somebody_else_s_call_is_told_and_not_taken(
    three: CallService, desk: Client, boss: Client
) -> None:
    press_next(desk)
    address = f"{COLLECTIONS}calls/B-0/"
    boss.post(f"{address}begin")
    shown = read_page(boss, address)
    assert "officer has been calling this borrower since" in words(shown)
    assert OUTCOMES not in shown and "254700000000" not in shown
    desk.post(f"{address}leave")
    boss.post(f"{address}begin")
    assert OUTCOMES in read_page(boss, address)
    assert "manager has been calling this borrower since" in words(read_page(desk, address))


def test_who_comes_by_search_is_told_who_is_calling(
    three: CallService, desk: Client, boss: Client, client_of: ClientOf, viewer: User
) -> None:
    press_next(desk)
    for address in ("/apps/kenya/borrowers/B-0/", "/apps/kenya/loans/L-0/"):
        told = read_page(boss, address).partition('data-finding="is-calling"')[2]
        assert "<p>officer " in told.partition("</section>")[0]
        calls = f'href="{COLLECTIONS}calls/B-0/"'
        assert calls in read_page(desk, address)
        shown = read_page(client_of(viewer), address)
        assert 'data-finding="is-calling"' not in shown and calls not in shown


def test_calls_and_promises_stand_on_the_timelines(
    three: CallService, desk: Client, client_of: ClientOf, viewer: User
) -> None:
    press_next(desk)
    note_call(desk, "B-0", "promise", note=CANARY, amount="500", day=in_days(1))
    for address in ("/apps/kenya/borrowers/B-0/timeline/", "/apps/kenya/loans/L-0/timeline/"):
        html = read_page(desk, address)
        shown = words(html)
        assert str(Outcome.PROMISE.label) in shown and CANARY in shown
        assert f'href="{Promise.objects.get().get_absolute_url()}"' in html
        assert "KES 500.00" in shown and str(PromiseState.OPEN.label) in shown
        assert CANARY not in read_page(client_of(viewer), address)
    assert CANARY not in read_page(desk, "/apps/kenya/borrowers/B-1/timeline/")


def test_a_call_that_took_longer_than_its_lease_is_kept(
    three: CallService, desk: Client, boss: Client
) -> None:
    press_next(desk)
    form = read_page(desk, f"{COLLECTIONS}calls/B-0/")
    token = re.search(r'name="token" value="([^"]+)"', form)
    assert token
    Lease.objects.update(until=timezone.now())
    assert press_next(boss) == "B-0"
    sent = {"outcome": "reached", "loan": "L-0", "token": token[1]}
    assert desk.post(f"{COLLECTIONS}calls/B-0/", sent).status_code == 302
    assert Call.objects.get().called_by.username == "officer"
    # The other one's lease is theirs still.
    assert Lease.objects.get().person.username == "manager"


def test_limits_of_a_day_and_a_week(three: CallService, desk: Client) -> None:
    set_calling(a_day=1, a_week=2)
    press_next(desk)
    note_call(desk, "B-0", "no_answer")
    contact = Contact.objects.get()
    tomorrow = datetime.combine(today() + timedelta(days=1), datetime.min.time(), APP.zone)
    # Late in the evening three hours' rest ends on the next day.
    assert contact.next_at == max(tomorrow, Call.objects.get().called_at + timedelta(hours=3))
    Call.objects.update(called_at=timezone.now() - timedelta(days=2))
    Contact.objects.update(next_at=timezone.now())
    press_next(desk)
    note_call(desk, "B-0", "no_answer")
    first = Call.objects.order_by("called_at")[0]
    contact.refresh_from_db()
    assert contact.next_at == first.called_at + timedelta(days=7)


def test_who_calls_us_is_no_attempt_of_ours(three: CallService, desk: Client) -> None:
    set_calling(a_day=1, a_week=1)
    for _ in range(2):
        desk.post(f"{COLLECTIONS}calls/B-0/begin")
        note_call(desk, "B-0", "reached", isIncoming="on", nextDay=in_days(0))
    assert "L-0" not in list_loans("late-1-7")
    assert "L-0" in list_loans("late-1-7", timezone.now() + timedelta(hours=3, minutes=1))
    assert 'data-finding="no-calls"' in read_page(desk, COLLECTIONS)


def test_the_day_that_was_chosen_is_the_day(three: CallService, desk: Client) -> None:
    press_next(desk)
    note_call(desk, "B-0", "reached", nextDay=in_days(9))
    day = datetime.combine(today() + timedelta(days=9), datetime.min.time(), APP.zone)
    assert Contact.objects.get().next_at == day


def test_outside_of_the_hours_next_gives_nobody_and_says_so(
    three: CallService, desk: Client
) -> None:
    set_calling(hours=NEVER)
    shown = read_page(desk, f"{COLLECTIONS}late-1-7/")
    assert 'data-finding="closed"' in shown and f"{COLLECTIONS}late-1-7/next" not in shown
    assert press_next(desk) == f"{COLLECTIONS}late-1-7/"
    assert not Lease.objects.exists()
    # Who rings in is noted; who was called against the rule is not.
    desk.post(f"{COLLECTIONS}calls/B-0/begin")
    answer = note_call(desk, "B-0", "reached")
    assert list_wrong(answer) == {"isIncoming": ["closed"]}
    note_call(desk, "B-0", "reached", isIncoming="on")
    assert Call.objects.get().is_incoming


def test_figures_are_told_by_queue_and_by_person_to_managers_alone(
    three: CallService, desk: Client, boss: Client
) -> None:
    press_next(desk)
    note_call(desk, "B-0", "promise", amount="500", day=in_days(0))
    three.pay("L-0", "500")
    counted()
    promises.judge_promises(APP, timezone.now())
    note_call(desk, "B-1", "no_answer")
    shown = words(read_page(boss, COLLECTIONS))
    assert "1 to 7 days late 2 1 1 1" in shown and "officer 2 1 1 1" in shown
    assert "officer 2 1 1 1" not in words(read_page(desk, COLLECTIONS))


def test_each_outcome_of_a_call_has_a_key_of_its_own() -> None:
    assert set(KEYS) == set(Outcome) - {Outcome.NOTICE} and len(set(KEYS.values())) == len(KEYS)


def test_the_worker_judges(three: CallService, desk: Client, support: User) -> None:
    press_next(desk)
    note_call(desk, "B-0", "promise", amount="500", day=in_days(0))
    later = timezone.now() + timedelta(seconds=1)
    row(support, account_id="L-0", amount="500", created_at=later, transaction_date=later)
    tasks.judge.call()
    assert Promise.objects.get().state == PromiseState.KEPT
    PaidLoan.objects.create(app_id="kenya", account_id="L-1", seen_at=later)
    PaidLoan.objects.create(app_id="kenya", account_id="L-2", seen_at=later - timedelta(days=31))
    tasks.judge.call()
    assert [one.account_id for one in PaidLoan.objects.all()] == ["L-1"]


def test_without_a_count_a_promise_whose_loan_is_paid_is_passed_over(
    three: CallService, desk: Client
) -> None:
    """It leaves the queue at once, so that Next comes to an end."""
    press_next(desk)
    note_call(desk, "B-0", "promise", amount="500", day=in_days(0), leave="1")
    Contact.objects.update(next_at=timezone.now())
    Snapshot.objects.all().delete()
    assert list_loans("promised") == ["L-0"]
    three.loans["L-0"]["balances"]["repayment"].update(unpaid=0, overdue=0)
    assert press_next(desk, "promised") == f"{COLLECTIONS}promised/"
    assert list_loans("promised") == []
