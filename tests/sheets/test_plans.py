"""No page of the area reads sheets, their rows or the ledger whole."""

import pytest
from django.db import connection
from django.test import Client

from tests.plans import scans_of, watched_queries
from tests.portfolio.conftest import counted
from tests.sheets.service import VisitService
from tests.sheets.steps import SHEETS, make, record_sheet

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        connection.vendor != "sqlite",
        reason="PostgreSQL rightly scans tables as small as these: make bench reads its plans",
    ),
]


def test_each_query_is_served_by_an_index(
    service: VisitService, desk: Client, boss: Client
) -> None:
    for number in range(3):
        service.owe(number)
    counted()
    [sheet] = make(desk)
    record_sheet(boss, sheet, {1: "5"})
    own = f"{SHEETS}{sheet.code}/"
    states = ("", "open", "returned", "cancelled", "partly", "late")
    addresses = [f"{SHEETS}?state={state}" for state in states]
    addresses += [f"{SHEETS}new", f"{SHEETS}new?officer=officer", own, f"{own}return"]
    with watched_queries() as queries:
        for address in addresses:
            assert boss.get(address).status_code == 200, address
        boss.post(f"{own}print")
    assert scans_of(queries) == []
    assert len(queries) > len(addresses)
