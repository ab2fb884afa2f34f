"""The page that an export was started from tells how far it is, and how it ended."""

import re

import pytest
import simplejson
from django.test import Client

from lendingadmin.staff.models import User
from tests.conftest import ClientOf
from tests.exports.test_csv import LOANS, odd_service, table
from tests.faults.behaviours import refusal, reply
from tests.faults.server import FaultServer

__all__ = ["odd_service"]
pytestmark = pytest.mark.django_db(transaction=True)
ROLE = "support"

TOKEN = "abcdefghij_1"
EXPORT = f"/apps/kenya/loans/export.csv?told={TOKEN}"


def told(client: Client, token: str = TOKEN, polls: str = "") -> str:
    answer = client.get(f"/exports/{token}/{polls}", headers={"HX-Request": "true"})
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def page(*keys: str, following: str | None = None) -> str:
    loans = [{"accountId": key} for key in keys]
    return simplejson.dumps({"loans": loans, "nextPageToken": following})


def test_rows_so_far_and_then_all(desk: Client, odd_service: FaultServer) -> None:
    odd_service.on(LOANS, reply(page("1", "2", following="t")), reply(page("3")))
    text = iter(desk.get(EXPORT).streaming_content)  # type: ignore[attr-defined]
    assert "0 rows so far" in told(desk)
    assert "data-poll" in told(desk)
    assert len(list(text)) == 3
    ended = told(desk)
    assert "3 rows, complete" in ended
    assert "data-poll" not in ended


def test_what_broke_off(desk: Client, odd_service: FaultServer) -> None:
    odd_service.on(LOANS, reply(page("1", following="t")), refusal(500, "broken"))
    table(desk.get(EXPORT))
    assert "Broken off after 1 rows" in told(desk)


def test_a_browser_that_left(desk: Client, odd_service: FaultServer) -> None:
    odd_service.on(LOANS, reply(page("1", following="t")), reply(page("2")))
    answer = desk.get(EXPORT)
    next(iter(answer.streaming_content))  # type: ignore[attr-defined]
    answer.close()
    assert "Stopped after 0 rows" in told(desk)


def test_nobody_elses(
    desk: Client, client_of: ClientOf, officer: User, odd_service: FaultServer
) -> None:
    odd_service.on(LOANS, reply(page("1")))
    table(desk.get(EXPORT))
    assert "1 rows, complete" in told(desk)
    assert "0 rows so far" in told(client_of(officer))


def test_one_that_never_begins_is_given_up(desk: Client) -> None:
    assert "data-poll" in told(desk, polls="?polls=1")
    abandoned = told(desk, polls="?polls=4")
    assert "has not begun" in abandoned
    assert "data-poll" not in abandoned


def test_a_made_up_token_keeps_nothing(desk: Client, odd_service: FaultServer) -> None:
    odd_service.on(LOANS, reply(page("1")))
    table(desk.get("/apps/kenya/loans/export.csv?told=x"))
    assert "complete" not in told(desk, "x")


def test_each_link_has_a_token_of_its_own(desk: Client) -> None:
    tokens = []
    for path in ("/apps/kenya/repayments/", "/apps/kenya/repayments/?state=recorded"):
        link = re.search(r"export\.csv\?[^\"]*told=([^\"&]+)", desk.get(path).content.decode())
        assert link
        tokens.append(link[1])
    assert tokens[0] != tokens[1]
    assert "0 rows so far" in told(desk, tokens[0])
