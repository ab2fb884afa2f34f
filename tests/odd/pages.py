"""Asking for a page as a browser does, and what every page must be."""

from typing import Any

from django.test import Client

from tests.borrowers.forms import filled


def ask(desk: Client, address: str) -> tuple[int, str]:
    """Ask for a page; its status and text. A fault in a view is raised here."""
    how, _, where = address.rpartition(" ")
    if how == "FORM":
        page: Any = desk.get(where)
        if page.status_code == 200:
            page = desk.post(where, filled(page))
            assert "Nothing was changed" in page.content.decode()
    elif how == "POST":
        context = desk.get(where.rpartition("/")[0] + "/").context or {}
        page = desk.post(where, {"token": context.get("token", "")}, follow=True)
    else:
        page = desk.get(where)
    content = b"".join(page.streaming_content) if page.streaming else page.content
    return page.status_code, content.decode()


def check(desk: Client, address: str, allowed: set[int], tried: object) -> None:
    """A page has one of these statuses, and nothing of what came is markup in it."""
    code, text = ask(desk, address)
    assert code in allowed, (address, tried, code)
    assert address.endswith(".csv") or "<script>x" not in text, (address, tried)
