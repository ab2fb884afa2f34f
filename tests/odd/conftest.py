from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.people.search import views as search_views
from lendingadmin.records.offers.models import OfferRequest, OfferState
from lendingadmin.web import coalesce
from tests.faults.behaviours import refusal
from tests.faults.server import FaultServer
from tests.odd.service import OddService
from tests.odd.variants import good

ROLE = "manager"  # A manager's pages show the calls too.
make_service = OddService


@pytest.fixture(scope="module")
def fault_server() -> Iterator[FaultServer]:
    """One for all tests of a file, so that they share its connections."""
    server = FaultServer(refusal(404, "No rule of this test matches"))
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def fresh_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dashboard reads every answer again."""
    monkeypatch.setattr(coalesce, "GOOD_FOR", timedelta(0))
    # Addresses stand in tables here, so what is searched for stands in them as it is.
    monkeypatch.setattr(search_views, "decrypt_words", lambda person, words: words)


@pytest.fixture
def offer(manager: User, service: OddService) -> None:
    """An offer that a manager asked for, and that was made."""
    ask_for_offer(manager, OfferState.DONE)


def ask_for_offer(person: User, state: OfferState) -> None:
    """The request `r-1` of borrower B-1, asked for a minute ago; with its offer where it is done.

    A former one gives way to it.
    """
    then = timezone.now() - timedelta(minutes=1)
    fields: dict[str, Any] = {
        "assessment_type": "assessmentTypes/T-1",
        "asked_by": person,
        "asked_at": then,
        "last_asked_at": then,
        "state": state,
        "expiry_time": then + timedelta(hours=1),
        "answer": OddService.text(good("Operation")) if state == OfferState.DONE else "",
    }
    OfferRequest.objects.update_or_create(
        app_id="kenya", borrower_id="B-1", request_id="r-1", defaults=fields
    )
