from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import simplejson
from django.utils import timezone

from lendingadmin.core.caching import shared
from lendingadmin.core.staff.models import User
from lendingadmin.lending.codec import decode
from lendingadmin.lending.values import OfferOperation
from lendingadmin.records.offers import asking
from lendingadmin.records.offers.models import OfferRequest, OfferState
from tests.faults.server import FaultServer
from tests.offers.service import DONE, OfferService, operation

Ask = Callable[..., OfferRequest]


def make_service(server: FaultServer) -> OfferService:
    """A service of which the test decides what it answers; former answers are forgotten."""
    shared.clear()
    return OfferService(server)


@pytest.fixture
def asked(officer: User) -> Ask:
    """Makes a request that was asked for here a minute ago; by default it still runs."""

    def make(**fields: Any) -> OfferRequest:
        then = timezone.now() - timedelta(minutes=1)
        usual = {
            "app_id": "kenya",
            "borrower_id": "B-1",
            "request_id": "r-1",
            "assessment_type": "assessmentTypes/credit-90-days",
            "asked_by": officer,
            "asked_at": then,
            "last_asked_at": then,
            "state": OfferState.RUNNING,
            "expiry_time": timezone.now() + timedelta(hours=1),
        }
        return OfferRequest.objects.create(**(usual | fields))

    return make


@pytest.fixture
def offered(asked: Ask, service: OfferService) -> OfferRequest:
    """A request that has led to an offer."""
    row = asked()
    asking.note(
        row,
        OfferOperation(decode(simplejson.dumps(operation(**DONE)).encode())),
        timezone.now(),
    )
    return row
