"""Asking for a page as a browser does, and what every page must be."""

import re
from html.parser import HTMLParser
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS
from django.test import Client

from tests.borrowers.forms import filled

# Python's word for nothing; our own sentences go on after theirs.
_NOTHING = re.compile(r"\bNone\b(?! (?:yet|that|of the|ticked))")
_READ_OUT = {"alt", "aria-label", "content", "data-label", "href", "placeholder", "title", "value"}


class _Visible(HTMLParser):
    """What a person reads of a page, or hears, or goes to."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.words += [value for name, value in attrs if value and name in _READ_OUT]

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def nothing_by_name(text: str) -> list[str]:
    """Where a page says `None`: each place with what stands around it."""
    page = _Visible()
    page.feed(text)
    visible = re.sub(r"\s+", " ", " ".join(page.words))
    return [visible[max(0, at.start() - 40) : at.end() + 20] for at in _NOTHING.finditer(visible)]


def ask(desk: Client, address: str) -> tuple[int, str]:
    """Ask for a page; its status and text. A fault in a view is raised here."""
    how, _, where = address.rpartition(" ")
    if how == "FORM":
        page: Any = desk.get(where)
        if page.status_code == 200:
            page = desk.post(where, filled(page))
            assert page.context["form"].has_error(NON_FIELD_ERRORS, "unchanged")
    elif how == "POST":
        context = desk.get(where.rpartition("/")[0] + "/").context or {}
        # What is revealed takes a purpose.
        fields = {"token": context.get("token", ""), "purpose": "complaint"}
        page = desk.post(where, fields, follow=True)
    else:
        page = desk.get(where)
    content = b"".join(page.streaming_content) if page.streaming else page.content
    return page.status_code, content.decode()


def check(desk: Client, address: str, allowed: set[int], tried: object) -> None:
    """A page has one of these statuses, nothing of what came is markup in it, and null no word."""
    code, text = ask(desk, address)
    assert code in allowed, (address, tried, code)
    assert address.endswith(".csv") or "<script>x" not in text, (address, tried)
    spelled = nothing_by_name(text)
    assert not spelled, (address, tried, spelled)
