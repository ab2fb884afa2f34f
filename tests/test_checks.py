"""Configuration mistakes are named, and a sound configuration passes."""

import base64
import secrets
from typing import Any

import pytest

from lendingadmin import checks
from lendingadmin.readers import data_keys


def ids(check: Any) -> list[str]:
    return [message.id for message in check()]


@pytest.mark.parametrize(
    ("https", "hosts", "expected"),
    [
        (False, ["localhost", "127.0.0.1", "[::1]", "demo.localhost"], []),
        (False, ["localhost", "lending.example.org"], ["lendingadmin.W001"]),
        (False, [".example.org"], ["lendingadmin.W001"]),
        (False, ["10.0.0.4"], ["lendingadmin.W001"]),
        (True, ["lending.example.org"], []),
    ],
)
def test_https(https: bool, hosts: list[str], expected: list[str], settings: Any) -> None:
    settings.HTTPS, settings.ALLOWED_HOSTS = https, hosts
    assert ids(checks.people_come_by_https) == expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("http://127.0.0.1:8001", []),
        ("http://localhost:8001", []),
        ("http://[::1]:8001", []),
        ("https://lending.example.org", []),
        ("http://lending.example.org", ["lendingadmin.W002"] * 2),
        ("http://10.0.0.4", ["lendingadmin.W002"] * 2),
        ("http://localhost.example.org", ["lendingadmin.W002"] * 2),
    ],
)
def test_the_service(address: str, expected: list[str], settings: Any) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = address
    assert ids(checks.the_service_is_called_by_https) == expected


def test_typed_keys(settings: Any) -> None:
    typed = base64.urlsafe_b64encode(b"our secret key, as typed by hand").decode()
    random = base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()
    settings.DATA_KEYS = data_keys(f"{random},{typed}")
    (message,) = checks.data_keys_are_random()
    assert message.id == "lendingadmin.W003"
    assert "Key 2" in message.msg
    assert typed not in str(message)
    settings.DATA_KEYS = (random,)
    assert ids(checks.data_keys_are_random) == []


def test_any_host(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["lending.example.org", "*"]
    assert ids(checks.any_host_is_not_allowed) == ["lendingadmin.W004"]
    settings.ALLOWED_HOSTS = ["lending.example.org"]
    assert ids(checks.any_host_is_not_allowed) == []


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        ("django.core.cache.backends.locmem.LocMemCache", ["lendingadmin.W005"]),
        ("django.core.cache.backends.dummy.DummyCache", ["lendingadmin.W005"]),
        ("django.core.cache.backends.db.DatabaseCache", []),
        ("django.core.cache.backends.redis.RedisCache", []),
    ],
)
def test_the_cache(backend: str, expected: list[str], settings: Any) -> None:
    settings.CACHES = {"default": {"BACKEND": backend}}
    assert ids(checks.the_cache_is_shared) == expected
