"""The service that sheets are collected for, and a sheet of two loans."""

import pytest
from django.test import Client

from lendingadmin.desk.sheets.models import Sheet
from tests.portfolio.conftest import counted
from tests.sheets.service import VisitService
from tests.sheets.steps import make

make_service = VisitService


@pytest.fixture
def sheet(desk: Client, service: VisitService) -> Sheet:
    """A sheet of two loans."""
    for number in (1, 2):
        service.owe(number)
    counted()
    return make(desk)[0]
