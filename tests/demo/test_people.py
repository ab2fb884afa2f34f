"""The demo's people: one for each role, and none beside a real service."""

import re

import pytest
from django.contrib.auth import authenticate
from django.contrib.auth.models import Group

from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import ROLE_WORDS, ROLES
from lendingadmin.demo.preparing import NotLoopback, make_people
from tests.roles import give_roles

SANDBOX = "http://127.0.0.1:8001"


def test_there_is_one_for_each_role() -> None:
    assert set(ROLE_WORDS) == set(ROLES)


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:8001", "http://127.1.2.3", "http://[::1]:8001", "http://localhost:8001"],
)
@pytest.mark.django_db
def test_they_are_made_beside_a_service_of_this_machine(address: str) -> None:
    make_people("demo", address)
    assert User.objects.count() == len(ROLES)


@pytest.mark.parametrize(
    "address",
    [
        "https://lending.example.com",
        "http://127.0.0.1.example.com",
        "http://localhost.example.com",
        "http://10.0.0.1",
        "http://0.0.0.0:8001",
        "127.0.0.1:8001",
        "",
    ],
)
@pytest.mark.django_db
def test_nobody_is_made_beside_any_other(address: str) -> None:
    with pytest.raises(NotLoopback, match=re.escape(f"for the service at {address}.")):
        make_people("demo", address)
    assert not User.objects.exists()


@pytest.mark.django_db
def test_each_has_exactly_the_group_of_that_name() -> None:
    make_people("demo", SANDBOX)
    make_people("demo", SANDBOX)
    assert {person.username: person.role for person in User.objects.all()} == {
        role: role for role in ROLES
    }
    assert not User.objects.filter(is_superuser=True).exists()


@pytest.mark.django_db
def test_the_manager_has_an_address_for_the_mail_that_is_printed_and_may_change_it() -> None:
    make_people("demo", SANDBOX)
    assert list(User.objects.exclude(email="").values_list("username", flat=True)) == ["manager"]
    User.objects.update(email="me@example.com")
    make_people("demo", SANDBOX)
    assert User.objects.get(username="manager").email == "me@example.com"


@pytest.mark.django_db
def test_the_password_is_the_one_that_was_given_last() -> None:
    make_people("demo", SANDBOX)
    make_people("another", SANDBOX)
    assert authenticate(username="support", password="another") is not None
    assert authenticate(username="support", password="demo") is None


@pytest.mark.django_db
def test_what_a_person_was_given_besides_stays() -> None:
    make_people("demo", SANDBOX)
    desk = Group.objects.create(name="night desk")
    give_roles(User.objects.get(username="viewer"), desk)
    make_people("demo", SANDBOX)
    assert "night desk" in User.objects.get(username="viewer").role
