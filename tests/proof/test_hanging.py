"""While the service hangs and everybody waits for it, the dashboard itself still answers."""

import re
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.faults.behaviours import hang, token
from tests.faults.server import FaultServer
from tests.proof.dashboard import Dashboard, Session, database
from tests.proof.prepare import PASSWORD

PAGES = 60
# Seconds. The service is given up after ten; what does not wait for it takes a fraction of that.
BOUND = 5.0
APP = "/apps/kenya"
# Reads one after the other, in parallel, at once everywhere, and on the home page.
ASKED = (
    f"{APP}/loans/",
    f"{APP}/loans/L-1/",
    f"{APP}/borrowers/B-1/",
    f"{APP}/borrowers/",
    "SEARCH",
    f"{APP}/events/",
    f"{APP}/assessments/A-1/",
    f"{APP}/loans/L-1/repayments/new",
    "/products/",
)


@pytest.fixture
def server() -> Iterator[FaultServer]:
    """A service that gives tokens and says nothing more."""
    hanging = FaultServer(hang())
    hanging.on("/v1/oauth2/token", token())
    yield hanging
    hanging.stop()


@pytest.fixture
def dashboard(tmp_path: Path, server: FaultServer) -> Iterator[Dashboard]:
    """The dashboard before it."""
    with database(tmp_path) as address:
        running = Dashboard(tmp_path, server.url, address, 1, 20)
        yield running
        running.stop()


def wait_for(session: Session, address: str) -> None:
    """Ask for a page; for SEARCH, type an id into the find box and go where that leads."""
    if address == "SEARCH":
        session.get("/glossary/")
        address = session.post(f"{APP}/find", {"q": "L-1"}).location
    session.get(address)


def seconds_to_sign_in(url: str) -> float:
    browser, began = requests.Session(), time.monotonic()
    page = browser.get(f"{url}/accounts/login/", timeout=60)
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page.text)
    assert found
    fields = {"login": "manager0", "password": PASSWORD, "csrfmiddlewaretoken": found[1]}
    answer = browser.post(f"{url}/accounts/login/", data=fields, allow_redirects=False, timeout=60)
    assert answer.status_code == 302, answer.text
    return time.monotonic() - began


def seconds_to_health(url: str) -> float:
    began = time.monotonic()
    assert requests.get(f"{url}/healthz", timeout=60).ok
    return time.monotonic() - began


def test_health_and_sign_in_answer_while_sixty_pages_wait(
    dashboard: Dashboard, server: FaultServer
) -> None:
    people = [
        threading.Thread(
            target=wait_for,
            args=(Session(dashboard, "manager0"), ASKED[n % len(ASKED)]),
            daemon=True,
        )
        for n in range(PAGES)
    ]
    for person in people:
        person.start()
    while server.hits("/v1/projects/") < 6:
        time.sleep(0.05)
    health = [seconds_to_health(dashboard.url)]
    sign_in = seconds_to_sign_in(dashboard.url)
    health += [seconds_to_health(dashboard.url) for _ in range(4)]
    assert any(person.is_alive() for person in people), "nobody waited for the service"
    server.stop()
    for person in people:
        person.join()
    assert (max(health) < BOUND, sign_in < BOUND) == (True, True), (health, sign_in)
