"""The seam: one client for each process, of the settings' making, for the settings' apps alone."""

import os
import threading

import pytest
from django.http import Http404

from lendingadmin.core import gateway
from lendingadmin.core.gateway.clients import trial_client
from tests.faults.behaviours import reply, token
from tests.faults.server import FaultServer


def make_service(server: FaultServer) -> FaultServer:
    """A service that has no loans."""
    server.default = reply({"loans": [], "nextPageToken": None})
    server.on("POST /v1/oauth2/token", token())
    return server


def test_a_process_has_one_client():
    made = [gateway.client()]
    threads = [threading.Thread(target=lambda: made.append(gateway.client())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(made) == 9
    assert len({id(client) for client in made}) == 1


def test_a_client_opens_nothing_before_its_first_call(service):
    gateway.app("kenya")

    assert service.connections() == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LENDING_BASE_URL", "http://127.0.0.1:1"),
        ("LENDING_AUTH_URL", "http://127.0.0.1:1"),
        ("LENDING_CLIENT_ID", "other"),
        ("LENDING_CLIENT_SECRET", "other"),
        ("LENDING_SCOPE", "platform"),
        ("LENDING_PROJECT_ID", "other"),
        ("LENDING_CUSTOM_METHODS", "slash"),
    ],
)
def test_other_settings_make_another_client(settings, name, value):
    before = gateway.client()

    setattr(settings, name, value)

    assert gateway.client() is not before


def test_a_forked_child_makes_its_own_client():
    parent = gateway.client()
    child = os.fork()
    if child == 0:
        os._exit(0 if gateway.client() is not parent else 1)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert gateway.client() is parent


@pytest.mark.django_db(transaction=True)
def test_the_settings_reach_the_service(service, settings):
    settings.LENDING_PROJECT_ID = "p"
    settings.LENDING_CUSTOM_METHODS = "slash"

    gateway.app("ghana").loans.list(page_size=1)

    assert service.last().path == "/v1/projects/p/apps/ghana/loans?pageSize=1"
    assert service.last("oauth2").body.decode().split("&") == [
        "client_id=sandbox",
        "client_secret=sandbox-secret",
        "grant_type=client_credentials",
        "scope=platform.lending",
    ]
    service.default = reply({"accountId": "L"})
    gateway.app("ghana").loans.make_repayment("L", {"amount": 1})
    assert service.last().path == "/v1/projects/p/apps/ghana/loans/L/makeRepayment"


@pytest.mark.django_db(transaction=True)
def test_all_clients_share_the_stored_token_and_a_trial_asks_for_its_own(service, settings):
    gateway.app("kenya").loans.list()
    settings.LENDING_PROJECT_ID = "another-client"
    gateway.app("kenya").loans.list()
    assert service.hits("oauth2") == 1

    trial_client().app("kenya").loans.list()
    assert service.hits("oauth2") == 2


def test_an_app_has_its_currency_and_zone():
    known = gateway.lending_app("ghana")

    assert (known.app_id, known.currency, known.zone.key) == ("ghana", "GHS", "Africa/Accra")


@pytest.mark.parametrize("unknown", ["uganda", "", "..", "kenya/loans", "KENYA"])
def test_an_app_that_the_settings_do_not_list_is_not_found(unknown):
    with pytest.raises(Http404):
        gateway.lending_app(unknown)
    with pytest.raises(Http404):
        gateway.app(unknown)


@pytest.mark.django_db(transaction=True)
def test_a_call_leaves_a_line_that_names_nobody(service, caplog):
    caplog.set_level("INFO", "lendingadmin.core.gateway")
    service.default = reply({"borrowerId": "grace-wanjiru"}, headers={"X-Request-Id": "r-77"})

    gateway.app("kenya").borrowers.get("grace-wanjiru")

    (record,) = [one for one in caplog.records if one.name == "lendingadmin.core.gateway"]
    line = record.getMessage()
    assert line.startswith("borrowers.get 200 in ")
    assert line.endswith("attempts 1, request id r-77, ok")
    assert "grace" not in caplog.text
    assert "token-1" not in caplog.text
