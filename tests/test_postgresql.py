"""A PostgreSQL server that says nothing is given up, and what comes later is nobody's answer."""

import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="this is of PostgreSQL alone"),
]
__all__ = ["connection"]


@pytest.fixture(autouse=True)
def _short_wait() -> Iterator[None]:
    """A connection that waits half a second for an answer, as a web process waits longer."""
    connection.close()
    connection.settings_dict["LONGEST_WAIT"] = 0.5
    yield
    del connection.settings_dict["LONGEST_WAIT"]
    connection.close()


def test_a_statement_without_an_answer_is_given_up() -> None:
    began = time.monotonic()
    with connection.cursor() as cursor, pytest.raises(OperationalError):
        cursor.execute("SELECT pg_sleep(3)")
    assert time.monotonic() - began < 2.5
    assert not connection.is_usable()
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)


def test_without_a_limit_it_waits() -> None:
    connection.settings_dict["LONGEST_WAIT"] = None
    with connection.cursor() as cursor:
        cursor.execute("SELECT 7, pg_sleep(1)")
        assert cursor.fetchone()[0] == 7
    assert connection.is_usable()


def test_a_database_that_is_gone_is_not_taken_for_too_many_tries(
    monkeypatch: pytest.MonkeyPatch, refused_address: str
) -> None:
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", "127.0.0.1")
        patch.setitem(connection.settings_dict, "PORT", str(urlsplit(refused_address).port))
        with pytest.raises(OperationalError):
            cache.add("tries", 1)
    connection.close()
    assert cache.add("tries", 1)
