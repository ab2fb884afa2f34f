"""Writes other than repayments: once for each form, audited, and told plainly."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, transaction
from django.test import RequestFactory
from django.urls import NoReverseMatch

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.lending.errors import Conflict, LendingError, Saved, ServiceFault
from lendingadmin.money.writes import idempotency, services
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.services import Outcome
from lendingadmin.money.writes.states import WriteState
from lendingadmin.web.unavailable import build_not_sent_card
from tests.repayments.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
OPERATION = "borrowers.create"


class Doing:
    """A call that counts how often it was made."""

    def __init__(self, error: Exception | None = None) -> None:
        self.made = 0
        self.error = error

    def __call__(self) -> str:
        self.made += 1
        if self.error:
            raise self.error
        return "b-1"


@pytest.fixture
def request_of(officer: User) -> Any:
    request = RequestFactory().post("/")
    request.user = officer
    return request


def once(request: Any, token: str, do: Callable[[], str]) -> Outcome:
    write = Write(operation=OPERATION, app_id="kenya", subject="b-1")
    return services.write_once(request, write, do, lambda made: f"/borrowers/{made}/", token)


def test_a_write_lands_on_its_result_and_is_audited(request_of: Any) -> None:
    token = idempotency.issue_key(request_of, OPERATION)
    assert once(request_of, token, Doing()) == Outcome(url="/borrowers/b-1/")
    entry = Entry.objects.get(action=OPERATION)
    assert (entry.username, entry.app_id, entry.subject) == ("officer", "kenya", "b-1")
    assert (entry.outcome, entry.saved) == ("saved", "yes")


def test_the_same_form_again_lands_on_the_first_result(request_of: Any) -> None:
    token, do = idempotency.issue_key(request_of, OPERATION), Doing()
    first, again = once(request_of, token, do), once(request_of, token, do)
    assert first == again
    assert do.made == 1


def test_twenty_at_once_make_one_call(request_of: Any) -> None:
    token, do = idempotency.issue_key(request_of, OPERATION), Doing()
    results = at_once(20, lambda _: once(request_of, token, do))
    assert do.made == 1
    assert all(isinstance(result, Outcome) for result in results)


@pytest.mark.parametrize(
    ("error", "saved"),
    [
        (Conflict(operation=OPERATION, status=409, saved=Saved.NO), "no"),
        (ServiceFault(operation=OPERATION, status=500, saved=Saved.UNKNOWN), "unknown"),
    ],
)
def test_a_fault_is_a_card_that_says_whether_anything_was_saved(
    request_of: Any, error: LendingError, saved: str
) -> None:
    token, do = idempotency.issue_key(request_of, OPERATION), Doing(error)
    outcome = once(request_of, token, do)
    assert outcome.card is not None and outcome.card.saved == saved
    assert Entry.objects.get(action=OPERATION).saved == saved
    again = once(request_of, token, do)
    assert again == outcome
    # Its mark on the page too.
    assert again.card is not None and again.card.finding == outcome.card.finding != ""
    assert do.made == 1


def test_what_a_process_that_died_left_behind_is_in_doubt(request_of: Any, officer: User) -> None:
    token = idempotency.issue_key(request_of, OPERATION)
    idempotency_key = idempotency.check_key(request_of, OPERATION, token)
    Write.objects.create(
        idempotency_key=idempotency_key, person=officer, app_id="kenya", operation=OPERATION
    )
    outcome = once(request_of, token, do := Doing())
    assert outcome.card is not None and outcome.card.saved == "unknown"
    assert outcome.url == f"/apps/kenya/writes/{idempotency_key}/" and not outcome.saved
    assert do.made == 0


def test_a_fault_of_our_own_leaves_it_unknown(request_of: Any) -> None:
    token = idempotency.issue_key(request_of, OPERATION)
    outcome = once(request_of, token, Doing(ZeroDivisionError()))
    assert Write.objects.get().state == WriteState.UNKNOWN
    assert outcome.url == Write.objects.get().get_absolute_url() and not outcome.saved


def test_a_database_that_fails_before_the_call_leaves_it_not_saved(request_of: Any) -> None:
    token = idempotency.issue_key(request_of, OPERATION)
    outcome = once(request_of, token, Doing(OperationalError("database is locked")))
    assert Write.objects.get().state == WriteState.NOT_SAVED
    assert outcome.card == build_not_sent_card() and outcome.card.saved == "no"


def test_an_answer_that_leads_nowhere_was_a_success(request_of: Any) -> None:
    token = idempotency.issue_key(request_of, OPERATION)

    def lands_on(_made: str) -> str:
        raise NoReverseMatch

    write = Write(operation=OPERATION, app_id="kenya")
    outcome = services.write_once(request_of, write, Doing(), lands_on, token)
    assert outcome.saved and Write.objects.get().state == WriteState.SAVED


def test_who_was_paused_past_its_time_sends_nothing(
    request_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "SENDER_LOST", timedelta(0))
    token = idempotency.issue_key(request_of, OPERATION)
    outcome = once(request_of, token, do := Doing())
    assert do.made == 0 and outcome.card is not None and outcome.card.saved == "no"


def test_a_stale_token_sends_nothing(request_of: Any) -> None:
    do = Doing()
    with pytest.raises(idempotency.StaleKey):
        once(request_of, "made up", do)
    assert do.made == 0


def test_what_could_still_be_rolled_back_is_not_sent(request_of: Any) -> None:
    token, do = idempotency.issue_key(request_of, OPERATION), Doing()
    with transaction.atomic(), pytest.raises(RuntimeError):
        once(request_of, token, do)
    assert do.made == 0
