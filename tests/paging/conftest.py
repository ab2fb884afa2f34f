from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.staff.models import User
from tests.conftest import ClientOf
from tests.faults.server import FaultServer
from tests.paging.service import PagedService


@pytest.fixture
def service(fault_server: FaultServer, settings: Any) -> PagedService:
    """The dashboard before a service whose lists a test writes."""
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    return PagedService(fault_server)


@pytest.fixture
def desk(client_of: ClientOf, manager: User) -> Client:
    return client_of(manager)
