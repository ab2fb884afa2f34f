"""The codes of second factors: where they come from, how long they hold, how often they work."""

import secrets
from collections.abc import Iterator

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth as totp
from django.core.cache import cache
from django.test import Client

from lendingadmin.core.staff.models import User
from tests.conftest import PASSWORD
from tests.totp import make_code

SECRET = totp.generate_totp_secret()


@pytest.fixture(autouse=True)
def fresh_counters(db: None) -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def gets_in(code: str) -> bool:
    client = Client()
    client.post("/accounts/login/", {"login": "support", "password": PASSWORD})
    client.post("/accounts/2fa/authenticate/", {"code": code})
    return "_auth_user_id" in client.session


@pytest.fixture
def recovery(support: User) -> RecoveryCodes:
    totp.TOTP.activate(support, SECRET)
    return RecoveryCodes.activate(support)


def test_a_recovery_code_works_once(recovery: RecoveryCodes) -> None:
    first, second, *_ = recovery.generate_codes()
    assert gets_in(first)
    assert not gets_in(first)
    assert gets_in(second)


def test_a_code_holds_for_its_half_minute_and_those_beside_it(recovery: RecoveryCodes) -> None:
    assert totp.app_settings.TOTP_PERIOD == 30
    # A half minute more aside, so that the end of one between here and there changes nothing.
    assert not gets_in(make_code(SECRET, -3))
    assert not gets_in(make_code(SECRET, +3))
    # Phones' clocks are some seconds off.
    assert gets_in(make_code(SECRET, -1)) or gets_in(make_code(SECRET, -1))
    assert gets_in(make_code(SECRET, +1))
    assert gets_in(make_code(SECRET, 0)) or gets_in(make_code(SECRET, 0))


def test_a_recovery_code_has_eight_digits_of_its_own(recovery: RecoveryCodes) -> None:
    codes = recovery.generate_codes()
    assert len(set(codes)) == len(codes) == 10
    assert all(len(code) == 8 and code.isdigit() for code in codes)


def test_both_come_from_the_secure_generator(
    support: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def give_bytes(length: int) -> bytes:
        asked.append(length)
        return bytes(length)

    monkeypatch.setattr(secrets, "token_bytes", give_bytes)
    monkeypatch.setattr(secrets, "token_hex", lambda length: give_bytes(length).hex())
    assert set(totp.generate_totp_secret()) == {"A"}
    RecoveryCodes.activate(support)
    assert asked == [20, 40]
    assert Authenticator.objects.filter(user=support).count() == 1
