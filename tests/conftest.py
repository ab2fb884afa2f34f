"""The cast, the same few people in every test, and the browser sessions they sit at."""

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from allauth.account.internal.flows.login import record_authentication
from django.http import HttpRequest
from django.test import Client
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from pytest_django import DjangoDbBlocker

from lendingadmin.core.monitoring.canary import write_canary
from lendingadmin.core.policies import services as policies
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import ROLES
from lendingadmin.lending.transport import Transport
from lendingadmin.records.borrowers.views import records
from lendingadmin.web import exports, navigation
from tests import changed, databases, emptying
from tests.at_sandbox import app, book
from tests.dearest import Dearest
from tests.faults.fixtures import fault_proxy, fault_server, refused_address, unanswered_address
from tests.faults.server import FaultServer
from tests.roles import give_roles
from tests.sandbox_process import sandbox, sandbox_app

__all__ = [
    "app",
    "book",
    "fault_proxy",
    "fault_server",
    "refused_address",
    "sandbox",
    "sandbox_app",
    "unanswered_address",
]

ClientOf = Callable[[User | None], Client]

# How quick an example is says how busy the machine is.
hypothesis_settings.register_profile(
    "suite", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("suite")

PASSWORD = "correct horse battery staple"

HERE = Path(__file__).parent
# What tries many answers, faults, states or looks, or starts the whole product again and again:
# `make test-all` runs it, `make test` does not.
EXHAUSTIVE = (
    "browser/",
    "demo/test_command.py",
    "demo/test_story.py",
    "events/test_large.py",
    "lending/test_in_step.py",
    "odd/",
    "proof/",
    "sandbox/seed/test_bulk.py",
    "sandbox/seed/test_filler.py",
    "sandbox/test_process.py",
    "sandbox/test_schemathesis.py",
)
# What is a drill as a whole; in other files the marker names the tests.
DRILLS = (
    "browser/test_main_job.py",
    "test_make.py",
    "test_proxies.py",
    "test_web_server.py",
)
# Of what is exhaustive, what `--part` leaves whole: the proofs, and what walks a part by itself.
WHOLE = ("proof/", "browser/test_places.py")
# What takes longest begins first, so that no worker is left alone with it at the end.
FIRST = ("browser/", "writes/test_unconfirmed.py", "web/test_access.py")


def pytest_xdist_auto_num_workers() -> int:
    """Three workers on two cores: a third of the time tests wait for a socket or a time-out."""
    return max(1, (os.cpu_count() or 1) * 3 // 2)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--part 2/4`: every fourth test of what is exhaustive, from the second on.

    `--changed 1`: what the last change needs; `--changed REV`: what has come since a revision.
    """
    parser.addoption("--changed", default="", help="REV or 1: the tests that a change needs")
    parser.addoption("--dearest", type=int, default=0, help="list the N dearest files and tests")
    parser.addoption("--part", default="1/1", help="K/N: every Nth exhaustive test from the Kth on")


def pytest_configure(config: pytest.Config) -> None:
    if most := config.getoption("--dearest"):
        config.pluginmanager.register(Dearest(most))


def part_of(config: pytest.Config) -> slice:
    """The part that is asked for, of any sequence."""
    found = re.fullmatch(r"(\d+)/(\d+)", config.getoption("--part"))
    number, count = map(int, found.groups()) if found else (0, 0)
    if not 1 <= number <= count:
        raise pytest.UsageError("--part takes K/N with K from 1 to N")
    return slice(number - 1, None, count)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is exhaustive, leave out what is not of the part; put the longest files first."""
    items.sort(key=lambda item: not _place(item).startswith(FIRST))
    for item in items:
        if _place(item).startswith(DRILLS):
            item.add_marker(pytest.mark.drill)
        elif _place(item).startswith(EXHAUSTIVE):
            item.add_marker(pytest.mark.exhaustive)
    left_out = set()
    if since := config.getoption("--changed"):
        areas = changed.list_areas(changed.list_changed(since))
        if areas is not None:
            left_out = {item for item in items if not changed.is_needed(item, areas)}
    in_parts = [
        item
        for item in items
        if item.get_closest_marker("exhaustive") and not _place(item).startswith(WHOLE)
    ]
    left_out |= set(in_parts) - set(in_parts[part_of(config)])
    config.hook.pytest_deselected(items=list(left_out))
    items[:] = [item for item in items if item not in left_out]


def _place(item: pytest.Item) -> str:
    return item.path.relative_to(HERE).as_posix()


@pytest.fixture(scope="session")
def django_db_setup(
    django_test_environment: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[None]:
    """A migrated database of this process, put back after each test that commits."""
    with ExitStack() as stack:
        with django_db_blocker.unblock():
            stack.enter_context(databases.use_copy(f"lendingadmin_tests_{os.getpid()}"))
            write_canary()
            emptying.FirstState().install(stack.enter_context(pytest.MonkeyPatch.context()))
        yield
        stack.enter_context(django_db_blocker.unblock())


@pytest.fixture(scope="session", autouse=True)
def no_back_off() -> Iterator[None]:
    """A read that failed is tried again at once, and pages wait for a busy machine.

    Tests of the pauses, and of pages that do not wait, name their own.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(Transport.__init__.__kwdefaults__, "backoff", 0.0)
        patch.setattr(records, "MOMENT", 8.0)
        yield


def cast(role: str) -> User:
    """A person of one role, named after it."""
    person = User.objects.create_user(role, password=PASSWORD)
    give_roles(person, role)
    return person


@pytest.fixture
def viewer(db: None) -> User:
    return cast("viewer")


@pytest.fixture
def officer(db: None) -> User:
    return cast("officer")


@pytest.fixture
def support(db: None) -> User:
    return cast("support")


@pytest.fixture
def manager(db: None) -> User:
    return cast("manager")


@pytest.fixture
def people(viewer: User, officer: User, support: User, manager: User) -> dict[str, User]:
    """All four, by role."""
    return dict(zip(ROLES, (viewer, officer, support, manager), strict=True))


@pytest.fixture(autouse=True)
def nothing_left_over(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test begins without the exports that another left unread, and without its badges.

    Rules that pages need are read once a test, so that no count of queries depends on the clock.
    """
    monkeypatch.setattr(policies, "RECENT_SECONDS", 10**9)
    exports.places.reset()
    navigation.write_badges.cache_clear()
    policies.read_values_of.cache_clear()
    has_database = {"db", "transactional_db"} & set(request.fixturenames)
    if not (has_database or request.node.get_closest_marker("django_db")):
        # A test without a database has the rules before any change.
        monkeypatch.setattr(policies, "read_values", lambda kind, *_where: kind.complete(None))


def confirm(client: Client, person: User) -> None:
    """Note in a browser's session that the person gave their strongest factor just now."""
    request = HttpRequest()
    request.session = client.session
    record_authentication(request, person, "mfa")
    request.session.save()


@pytest.fixture
def client_of() -> ClientOf:
    """A browser session in which the person has just signed in; None is a stranger's."""

    def open_session(person: User | None) -> Client:
        client = Client()
        if person is not None:
            client.force_login(person)
            confirm(client, person)
        return client

    return open_session


# A test module, or the conftest.py of its area, declares another ROLE or `make_service`.
ROLE = "officer"


def make_service(server: FaultServer) -> FaultServer:
    """Return the service of which a test decides what it answers; at first it knows nothing."""
    return server


def find_declared(request: pytest.FixtureRequest, name: str) -> Any:
    """Return what the test's module declares, else what the nearest conftest.py above declares."""
    parts = request.module.__name__.split(".")
    areas = (".".join(parts[:depth]) for depth in range(len(parts) - 1, 0, -1))
    places = [request.module.__name__, *(f"{area}.conftest" for area in areas)]
    modules = [sys.modules[place] for place in places if place in sys.modules]
    return next(getattr(module, name) for module in modules if hasattr(module, name))


@pytest.fixture
def desk(request: pytest.FixtureRequest, client_of: ClientOf) -> Client:
    """The browser session of the role that the module or its area declares as ROLE."""
    return client_of(request.getfixturevalue(find_declared(request, "ROLE")))


@pytest.fixture
def boss(client_of: ClientOf, manager: User) -> Client:
    """The browser session of a manager."""
    return client_of(manager)


@pytest.fixture
def clerk(client_of: ClientOf, support: User) -> Client:
    """The browser session of a support person."""
    return client_of(support)


@pytest.fixture
def service(request: pytest.FixtureRequest, fault_server: FaultServer, settings: Any) -> Any:
    """The service that the dashboard calls, made by `make_service` of the module or its area."""
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    return find_declared(request, "make_service")(fault_server)


@pytest.fixture
def only_kenya(settings: Any) -> None:
    """The dashboard has one app, `kenya`."""
    settings.LENDING_APPS = settings.LENDING_APPS[:1]
