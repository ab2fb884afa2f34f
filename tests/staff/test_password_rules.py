"""What a password may be, how its fields behave, and at which cost it is kept."""

import re
from datetime import timedelta

import pytest
from django.conf import global_settings
from django.contrib.auth.hashers import PBKDF2PasswordHasher, get_hasher
from django.contrib.auth.password_validation import validate_password
from django.test import Client
from django.utils import timezone

from lendingadmin import settings as own
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.setup_links import setup_tokens
from tests.conftest import PASSWORD, ClientOf

LOGIN = "/accounts/login/"
CHANGE = "/accounts/password/change/"


def gets_in(name: str, password: str) -> bool:
    client = Client()
    client.post(LOGIN, {"login": name, "password": password})
    return "_auth_user_id" in client.session


@pytest.mark.parametrize("password", [" orange fjord 71", "Orange Fjord 71", "orängé fjord 71 "])
def test_it_is_compared_exactly_as_it_was_typed(password: str, support: User) -> None:
    client = Client()
    client.force_login(support)
    form = {"oldpassword": PASSWORD, "password1": password, "password2": password}
    assert client.post(CHANGE, form).status_code == 302
    assert gets_in("support", password)
    assert not gets_in("support", password.strip().lower())


def test_a_long_one_counts_to_its_last_sign(support: User) -> None:
    long = "".join(f"orange fjord {number} " for number in range(8))
    assert len(long) > 100
    client = Client()
    client.force_login(support)
    client.post(CHANGE, {"oldpassword": PASSWORD, "password1": long, "password2": long})
    assert gets_in("support", long)
    assert not gets_in("support", f"{long[:-2]}x ")


@pytest.mark.parametrize(
    "password", ["quietlyorangefjord", "QUIETLYORANGEFJORD", "482913750264", "!?§-!?%&()=+*"]
)
def test_no_kind_of_sign_is_asked_for(db: None, password: str) -> None:
    validate_password(password, User(username="mary.wanjiru"))


def test_none_is_changed_without_the_old_one(support: User) -> None:
    client = Client()
    client.force_login(support)
    new = {"password1": "orange fjord 71", "password2": "orange fjord 71"}
    for old in ({}, {"oldpassword": "wrong"}):
        assert client.post(CHANGE, old | new).status_code == 200
    assert gets_in("support", PASSWORD)


def test_an_old_one_goes_on_working(support: User) -> None:
    before = timezone.now() - timedelta(days=3650)
    User.objects.filter(pk=support.pk).update(date_joined=before, last_login=before)
    assert gets_in("support", PASSWORD)


def test_its_fields_hide_it_and_let_password_managers_help(
    support: User, client_of: ClientOf
) -> None:
    new = User.objects.create_user("new", setup_link_at=timezone.now())
    stranger = Client()
    pages = [
        stranger.get(LOGIN),
        stranger.get(setup_tokens.build_path(new), follow=True),
        client_of(support).get(CHANGE),
    ]
    found = [
        field
        for page in pages
        for field in re.findall(r"<input[^>]*>", page.content.decode())
        if re.search(r'name="[a-z_]*password', field)
    ]
    assert len(found) == 6
    for field in found:
        assert 'type="password"' in field
        assert re.search(r'autocomplete="(current|new)-password"', field)
        assert not re.search(r"maxlength|onpaste|readonly", field)


def test_it_is_kept_at_a_cost() -> None:
    """The tests' own settings name a quicker hasher than the product's."""
    name = getattr(own, "PASSWORD_HASHERS", global_settings.PASSWORD_HASHERS)[0]
    assert name == "django.contrib.auth.hashers.PBKDF2PasswordHasher"
    # OWASP's figure for PBKDF2-HMAC-SHA256.
    assert PBKDF2PasswordHasher.iterations >= 600_000
    assert get_hasher().algorithm != PBKDF2PasswordHasher.algorithm


def test_a_new_database_has_nobody_in_it(db: None) -> None:
    assert not User.objects.exists()
