"""Which cookies there are, what they are called under HTTPS, and who may read them."""

import json

import pytest
from django.test import Client

from lendingadmin.core.staff.models import User
from tests.conftest import PASSWORD
from tests.test_checks import product

# The last is for scripts: it is no secret of the session's.
COOKIES = {
    "sessionid": True,
    "active": True,
    "known": True,
    "messages": True,
    "csrftoken": False,
}


def test_each_one_is_bound_to_this_site_and_closed_to_scripts(support: User) -> None:
    client = Client()
    answers = [
        client.get("/accounts/login/"),
        client.post("/accounts/login/", {"login": "support", "password": PASSWORD}),
        client.get("/apps/kenya/"),
        client.post("/accounts/profile/sessions/end"),
    ]
    found = {name: cookie for answer in answers for name, cookie in answer.cookies.items()}
    assert {name: bool(cookie["httponly"]) for name, cookie in found.items()} == COOKIES
    assert {cookie["samesite"] for cookie in found.values()} == {"Lax"}
    assert not any(cookie["domain"] for cookie in found.values())


@pytest.mark.drill
@pytest.mark.parametrize("scheme", ["https", "http"])
def test_under_https_each_name_says_that_it_is_of_this_host(scheme: str) -> None:
    show = (
        "import django, json; django.setup(); from django.conf import settings as s;"
        "from lendingadmin.core.staff import known_browsers as k, sessions as l;"
        "from django.utils.module_loading import import_string;"
        "m = import_string(s.MESSAGE_STORAGE).storage_classes[0];"
        "print(json.dumps([s.SESSION_COOKIE_NAME, l._COOKIE, k.COOKIE, m.cookie_name,"
        "s.CSRF_COOKIE_NAME]))"
    )
    environ = {
        "DASHBOARD_URL": f"{scheme}://desk",
        "DJANGO_SETTINGS_MODULE": "lendingadmin.settings",
    }
    told = product("-c", show, **environ)
    prefix = "__Host-" if scheme == "https" else ""
    assert json.loads(told.stdout) == [f"{prefix}{name}" for name in COOKIES]
