"""Ids may be phone numbers: no address of a page reaches the log."""

import logging

import pytest

from lendingadmin.gateway import LendingApp
from lendingadmin.staff.models import User
from lendingadmin.ui.logs import NoAddress
from tests.conftest import ClientOf
from tests.search.words import place_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """The log as the settings' handler writes it."""
    caplog.handler.addFilter(NoAddress())
    caplog.set_level(logging.INFO)
    return caplog


def test_a_record_that_is_not_there_is_logged_by_its_route(
    heard: pytest.LogCaptureFixture,
    client_of: ClientOf,
    viewer: User,
    app: LendingApp,
) -> None:
    client_of(viewer).get(f"/apps/{app.app_id}/loans/254700000001/")
    assert "254700000001" not in heard.text
    assert "loans/<key:account_id>/" in heard.text


def test_an_address_without_a_route_is_not_repeated(
    heard: pytest.LogCaptureFixture, client_of: ClientOf, viewer: User
) -> None:
    client_of(viewer).get("/nowhere/254700000001")
    assert "254700000001" not in heard.text
    assert "Not Found: (no route)" in heard.text


def test_nor_is_one_that_django_writes_in_escapes(
    heard: pytest.LogCaptureFixture,
    client_of: ClientOf,
    viewer: User,
    app: LendingApp,
) -> None:
    client_of(viewer).get(f"/apps/{app.app_id}/loans/محمد-254700000001/")
    assert "254700000001" not in heard.text
    assert "Not Found: (no route)" in heard.text


def test_what_was_looked_for_is_in_no_line(
    heard: pytest.LogCaptureFixture,
    client_of: ClientOf,
    viewer: User,
    app: LendingApp,
) -> None:
    desk = client_of(viewer)
    desk.get(place_of(desk, app.app_id, "cellar", "254700000001"))
    desk.post(f"/apps/{app.app_id}/find", {"q": "254700000001"}, follow=True)
    assert "254700000001" not in heard.text
    assert "find/for/<str:encrypted>/in/<slug:place>" in heard.text
