"""The service that batches are recorded at, and who records them."""

from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.staff.models import User
from tests.conftest import ClientOf
from tests.faults.server import FaultServer
from tests.statements.desk import DeskService


@pytest.fixture
def service(fault_server: FaultServer, settings: Any) -> DeskService:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    return DeskService(fault_server)


@pytest.fixture
def clerk(client_of: ClientOf, support: User) -> Client:
    return client_of(support)
