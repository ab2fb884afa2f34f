from datetime import time
from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.desk.collections.rules import ContactAttempts, ContactHours
from tests.collections.service import CallService
from tests.conftest import ClientOf
from tests.faults.server import FaultServer

ALWAYS = ContactHours(frozenset(range(7)), time(0), time(23, 59, 59, 999999))
NEVER = ContactHours(frozenset(), time(8), time(19))


@pytest.fixture
def service(fault_server: FaultServer, settings: Any) -> CallService:
    """The dashboard before a service of which a test decides, at an hour at which people call."""
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    settings.CONTACT_HOURS = {"kenya": ALWAYS}
    settings.CONTACT_ATTEMPTS = {"kenya": ContactAttempts(2, 5)}
    settings.CONTACT_HOLIDAYS, settings.CONTACT_CLOSED = False, {}
    return CallService(fault_server)


@pytest.fixture
def desk(client_of: ClientOf, officer: User) -> Client:
    return client_of(officer)


@pytest.fixture
def boss(client_of: ClientOf, manager: User) -> Client:
    return client_of(manager)
