"""Filling in the forms of a page as a browser would."""

import re
from html.parser import HTMLParser
from typing import Any

# What a lender asks of every new borrower, unless its rule says otherwise.
PERSON = {"individual__surname": "Otieno", "individual__phoneNumber": "0712345678"}


def is_unchanged(page: Any) -> bool:
    """Return whether the form for a borrower says that nothing was changed."""
    general = page.context["form"].errors.as_data()
    return [one.code for one in general.get("__all__", ())] == ["unchanged"] and (
        general["__all__"][0].message in page.content.decode()
    )


class _Fields(HTMLParser):
    """The fields of every POST form, with the values that a browser would send."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self._in_form = False
        self._area = self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {key: value or "" for key, value in attrs}
        if tag == "form":
            self._in_form = found.get("method") == "post" and "logout" not in found.get(
                "action", ""
            )
        if not self._in_form or "disabled" in found:
            return
        name = found.get("name", "")
        if tag == "input" and name and (found.get("type") != "checkbox" or "checked" in found):
            value = found.get("value", "")
            # Browsers write times without seconds where they have none.
            is_time = found.get("type") == "datetime-local"
            self.values[name] = re.sub(r"(T\d\d:\d\d):00$", r"\1", value) if is_time else value
        elif tag == "textarea":
            self._area, self.values[name] = name, ""
        elif tag == "select":
            self._select = name
        elif tag == "option" and (self._select not in self.values or "selected" in found):
            self.values[self._select] = found.get("value", "")

    def handle_data(self, data: str) -> None:
        if self._area:
            self.values[self._area] += data.replace("\n", "\r\n")

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = ""
        if tag == "form":
            self._in_form = False


def filled(page: Any, **fields: str) -> dict[str, str]:
    """The form as the page offers it, with these fields filled in (`__` stands for `-`)."""
    parser = _Fields()
    parser.feed(page.content.decode())
    return parser.values | {name.replace("__", "-"): value for name, value in fields.items()}
