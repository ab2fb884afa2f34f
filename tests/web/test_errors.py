"""The error card: one for each thing a person can do, and whether anything was saved."""

from collections.abc import Iterator
from contextlib import ExitStack
from html import unescape
from typing import Any

import pytest
from django.test import Client

from lendingadmin.core import gateway
from lendingadmin.core.staff.models import User
from lendingadmin.lending import errors as faults
from lendingadmin.lending.errors import LendingError, Saved
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.web import errors
from tests.conftest import ClientOf
from tests.faults.behaviours import token
from tests.faults.server import FaultServer
from tests.web.marks import list_marks

KINDS = [
    faults.BadRequest,
    faults.NotAccepted,
    faults.TokenRefused,
    faults.NotAllowed,
    faults.NotFound,
    faults.Conflict,
    faults.RateLimited,
    faults.ServiceFault,
    faults.Throttled,
    faults.NotSent,
    faults.Unreachable,
    faults.TimedOut,
    faults.AnswerTooLarge,
    faults.Unreadable,
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_fault_has_a_card_with_cause_and_what_to_do(kind: type[LendingError]) -> None:
    card = errors.card(kind(operation="loans.get", saved=Saved.NO))
    assert card.title and card.cause and card.next
    assert card.saved == "no"


def test_a_rule_an_outage_and_the_service_account_s_rights_are_different_cards() -> None:
    titles = {errors.card(kind(operation="loans.get")).title for kind in KINDS}
    assert len(titles) == len(KINDS)


@pytest.mark.parametrize("saved", list(Saved))
def test_a_write_says_whether_anything_was_saved(saved: Saved) -> None:
    card = errors.card(faults.ServiceFault(operation="loans.create", status=500, saved=saved))
    assert card.saved == saved
    assert (card.next == what_next("loans.create")) == (saved == Saved.UNKNOWN)


def what_next(operation: str) -> str:
    """The advice where it is not known whether a write was saved."""
    return errors.card(
        faults.ServiceFault(operation=operation, status=500, saved=Saved.UNKNOWN)
    ).next


def test_a_conflict_speaks_of_what_is_there_only_where_something_was_to_be_made() -> None:
    names = ("loans.delete", "borrowers.patch", "loans.create")
    deleted, changed, made = (
        errors.card(faults.error_for_status(OPERATIONS[name], 409)) for name in names
    )
    assert (deleted.saved, changed.saved, made.saved) == ("unknown", "unknown", "no")
    assert made.cause == faults.Conflict.default_message
    assert len({deleted.cause, changed.cause, made.cause}) == 3
    assert deleted.next == what_next("loans.delete") != changed.next
    assert changed.next == what_next("borrowers.patch") == what_next("loans.create") != made.next


def test_a_missing_right_is_named_with_its_scopes_and_permission() -> None:
    error = faults.error_for_status(OPERATIONS["loans.makeRepayment"], 403)
    cause = errors.card(error).cause
    assert "lending.loans.makeRepayment" in cause
    assert "platform.lending, platform.lending:write" in cause


@pytest.mark.parametrize("operation", ["loans.get", "loans.makeRepayment"])
def test_a_token_that_dies_early_says_nothing_of_the_account(operation: str) -> None:
    card = errors.card(faults.error_for_status(OPERATIONS[operation], 401))
    assert "account" not in f"{card.title} {card.cause} {card.next}"
    assert "refused the dashboard's access for this action" in card.cause
    assert card.finding == "token-refused"
    assert card.saved == "no"


def test_the_reference_and_the_service_s_words_are_shown() -> None:
    error = faults.BadRequest(
        operation="loans.get", status=400, error_description="No.", request_id="r-1"
    )
    card = errors.card(error)
    assert card.service_words == "No."
    assert card.reference == "loans.get · 400 · r-1"


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (faults.NotFound, 404),
        (faults.Throttled, 503),
        (faults.Unreachable, 503),
        (faults.TimedOut, 504),
        (faults.ServiceFault, 502),
    ],
)
def test_the_page_bears_a_fitting_status(kind: type[LendingError], status: int) -> None:
    assert errors.status(kind(operation="loans.get")) == status


@pytest.fixture
def all_places_taken(fault_server: FaultServer, settings: Any, db: None) -> Iterator[FaultServer]:
    """As many calls are under way as this process allows, before a service that is well."""
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    fault_server.on("POST /v1/oauth2/token", token())
    transport = gateway.client().transport
    with ExitStack() as taken:
        for _ in range(6):
            taken.enter_context(transport.take_slot())
        yield fault_server


def test_our_own_limit_of_calls_is_not_told_as_an_outage(
    all_places_taken: FaultServer, client_of: ClientOf, viewer: User
) -> None:
    answer = client_of(viewer).get("/apps/kenya/loans/")
    assert (answer.status_code, answer.headers.get("Retry-After")) == (503, "2")
    page = unescape(answer.content.decode())
    assert list_marks(answer, "finding") == ["throttled"]
    assert faults.Throttled.default_message in page
    assert all_places_taken.hits("/loans") == 0
    assert Client().get("/readyz").status_code == 200
    assert Client().get("/healthz").status_code == 200


@pytest.mark.parametrize("operation", ["loans.get", "loans.makeRepayment"])
def test_what_was_held_back_here_says_that_nothing_was_sent(operation: str) -> None:
    for kind in (faults.Throttled, faults.NotSent):
        card = errors.card(kind(operation=operation))
        assert card.saved == "no"
        assert "othing was sent" in card.cause
        assert "service" not in f"{card.title} {card.cause} {card.next}"
        assert errors.status(kind()) == 503
