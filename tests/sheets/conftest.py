"""The service that sheets are collected for, and who makes and types them."""

from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.desk.sheets.models import Sheet
from tests.conftest import ClientOf
from tests.faults.server import FaultServer
from tests.portfolio.conftest import counted
from tests.sheets.service import VisitService
from tests.sheets.steps import make


@pytest.fixture
def service(fault_server: FaultServer, settings: Any) -> VisitService:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    return VisitService(fault_server)


@pytest.fixture
def desk(client_of: ClientOf, officer: User) -> Client:
    """Who makes sheets and collects with them."""
    return client_of(officer)


@pytest.fixture
def clerk(client_of: ClientOf, support: User) -> Client:
    """Who types them."""
    return client_of(support)


@pytest.fixture
def boss(client_of: ClientOf, manager: User) -> Client:
    return client_of(manager)


@pytest.fixture
def sheet(desk: Client, service: VisitService) -> Sheet:
    """A sheet of two loans."""
    for number in (1, 2):
        service.owe(number)
    counted()
    return make(desk)[0]
