"""Hints of the demo: people at the sign-in, things to try, a file to try. None elsewhere."""

import re
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import ROLES
from lendingadmin.demo.environment import PASSWORD
from lendingadmin.demo.preparing import make_people
from lendingadmin.web.checks import the_demo_is_on_this_machine
from tests.conftest import ClientOf

SIGN_IN, HOME, UPLOAD = "/accounts/login/", "/apps/kenya/", "/apps/kenya/statements/new"
MARK = re.compile(r'data-demo="(\w+)"')
pytestmark = pytest.mark.django_db


@pytest.fixture
def in_demo(settings: LazySettings) -> None:
    settings.DEMO = True
    settings.ROOT_URLCONF = "tests.demo.urls"


def _read_marks(client: Client, address: str) -> list[str]:
    return MARK.findall(client.get(address).content.decode())


@pytest.mark.parametrize(("address", "found"), [(HOME, ["tour"]), (UPLOAD, ["file"])])
def test_pages_have_hints_in_the_demo_only(
    address: str, found: list[str], boss: Client, settings: LazySettings
) -> None:
    assert _read_marks(boss, address) == []
    settings.DEMO, settings.ROOT_URLCONF = True, "tests.demo.urls"
    assert _read_marks(boss, address) == found
    assert _read_marks(boss, address.replace("kenya", "ghana")) == []


@pytest.mark.usefixtures("in_demo")
def test_each_person_signs_in_with_one_button() -> None:
    make_people(PASSWORD, "http://127.0.0.1:8001")
    page = Client().get(f"{SIGN_IN}?next=/glossary/").content.decode()
    buttons = re.findall(r'<form.*?data-person="(\w+)".*?</form>', page, re.S)
    assert buttons == list(ROLES)
    for form in re.findall(r"<form[^>]*>(?:(?!</form>).)*data-person.*?</form>", page, re.S):
        fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', form))
        client = Client()
        answer = client.post(SIGN_IN, fields)
        assert (answer.status_code, answer.headers["Location"]) == (302, "/glossary/")
        person = User.objects.get(pk=client.session["_auth_user_id"])
        assert person.username == fields["login"]


def test_nobody_signs_in_with_one_button_elsewhere() -> None:
    page = Client().get(SIGN_IN).content.decode()
    assert "data-person" not in page and PASSWORD not in MARK.findall(page)


@pytest.mark.usefixtures("in_demo")
def test_each_person_sees_five_things_and_may_open_them(
    people: dict[str, User], client_of: ClientOf
) -> None:
    for person in people.values():
        page = client_of(person).get(HOME).content.decode()
        [card] = re.findall(r'data-demo="tour".*?</section>', page, re.S)
        addresses = re.findall(r'href="([^"]+)"', card)
        assert len(set(addresses)) == 5, person


@pytest.mark.usefixtures("in_demo")
def test_a_viewer_gets_no_file(people: dict[str, User], client_of: ClientOf) -> None:
    address = "/apps/kenya/demo/this-morning.csv"
    assert client_of(people["viewer"]).get(address).status_code == 403


@pytest.mark.parametrize(
    ("address", "count"), [("http://127.0.0.1:8001", 0), ("https://lending.example.com", 1)]
)
def test_a_demo_beside_a_real_service_is_reported(address: str, count: int, settings: Any) -> None:
    settings.LENDING_BASE_URL = address
    assert the_demo_is_on_this_machine() == []
    settings.DEMO = True
    assert len(the_demo_is_on_this_machine()) == count
