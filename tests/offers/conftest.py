from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import simplejson
from django.test import Client
from django.utils import timezone

from lendingadmin.core.caching import shared
from lendingadmin.core.staff.models import User
from lendingadmin.lending.codec import decode
from lendingadmin.lending.values import OfferOperation
from lendingadmin.records.offers import asking
from lendingadmin.records.offers.models import OfferRequest, OfferState
from tests.conftest import ClientOf
from tests.faults.server import FaultServer
from tests.offers.service import DONE, OfferService, operation

Ask = Callable[..., OfferRequest]


@pytest.fixture
def service(fault_server: FaultServer, settings: Any) -> OfferService:
    """The dashboard is pointed at a service of which the test decides what it answers."""
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    shared.clear()
    return OfferService(fault_server)


@pytest.fixture
def desk(client_of: ClientOf, officer: User) -> Client:
    """The officer's browser."""
    return client_of(officer)


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
