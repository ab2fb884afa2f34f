"""The cast, the same few people in every test, and the browser sessions they sit at."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from lendingadmin.staff.models import User
from lendingadmin.staff.roles import ROLES
from tests.at_sandbox import app, book
from tests.faults.fixtures import fault_proxy, fault_server, refused_address, unanswered_address
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

PASSWORD = "correct horse battery staple"


def cast(role: str) -> User:
    """A person of one role, named after it."""
    person = User.objects.create_user(role, password=PASSWORD)
    person.groups.add(Group.objects.get(name=role))
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


@pytest.fixture
def client_of() -> Callable[[User | None], Client]:
    """A browser session in which the person is signed in; None is a stranger's."""

    def open_session(person: User | None) -> Client:
        client = Client()
        if person is not None:
            client.force_login(person)
        return client

    return open_session
