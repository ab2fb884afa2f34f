"""That a process answers is known without its database."""

from django.test import Client


def test_the_process_is_alive_without_a_database() -> None:
    # No database here: any query would fail this test.
    assert Client().get("/healthz").content == b"alive\n"
