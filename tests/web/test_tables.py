"""Tables of lists: headings for head and card, escaped cells, odd items in rows of their own."""

from html.parser import HTMLParser
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.lending.values import Assessment, Event, Loan, Malformed
from lendingadmin.records.borrowers.loan_table import LoanRow
from lendingadmin.records.borrowers.panels import AssessmentRow
from lendingadmin.records.loans.rows import build_rows
from lendingadmin.web.display.templatetags.text import breakable
from lendingadmin.web.templatetags import lists

EVIL = '<script>"x"</script>'
APP = LendingApp("kenya", "KES", ZoneInfo("Africa/Nairobi"))
WIDE = {"loans": 7, "assessments": 7, "events": 7}
IN_PANEL = {"loans": 8, "assessments": 5, "events": 4}
KINDS: dict[str, Any] = {"loans": Loan, "assessments": Assessment, "events": Event}


class Parts(HTMLParser):
    """The tags with their attributes, and the text, of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def drawn(name: str, *items: Any, **given: object) -> Parts:
    context = {name: items, "app": APP} | given
    if name == "loans" and given.get("in_panel"):
        rows = [LoanRow(item) for item in items]
        context |= {"listed": {"rows": rows}, "borrower_id": "B-1"}
        return Parts(render_to_string("borrowers/_loans.html", context))
    if name == "assessments" and given.get("in_panel"):
        context |= {"listed": {"items": [AssessmentRow(item) for item in items]}}
        return Parts(render_to_string("borrowers/_assessments.html", context))
    if name == "loans":
        context |= {"rows": build_rows(items, APP, User(), {})}
    return Parts(render_to_string(f"{name}/list.html#table", context))


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("in_panel", [False, True])
def test_the_first_column_heads_the_row_and_the_headings_label_the_card(
    name: str, in_panel: bool
) -> None:
    found = drawn(name, KINDS[name]({}), in_panel=in_panel)
    heads = [attrs for tag, attrs in found.tags if tag == "th"]
    cells = [attrs for tag, attrs in found.tags if tag == "td"]
    width = (IN_PANEL if in_panel else WIDE)[name]
    assert [attrs["scope"] for attrs in heads] == ["col"] * width + ["row"]
    assert len(cells) == width - 1
    words = found.text.split("\n")
    for attrs, head in zip(cells, heads[1:], strict=False):
        assert attrs.get("class") == head.get("class")
        assert any(line.strip().startswith(str(attrs["data-label"])) for line in words)


@pytest.mark.parametrize("name", WIDE)
@pytest.mark.parametrize("in_panel", [False, True])
def test_an_odd_item_is_one_cell_across_the_table(name: str, in_panel: bool) -> None:
    found = drawn(name, Malformed(EVIL), in_panel=in_panel)
    width = str((IN_PANEL if in_panel else WIDE)[name])
    assert ("th", {"scope": "row", "colspan": width, "class": "soft"}) in found.tags
    assert EVIL in found.text


def test_text_is_escaped_in_every_cell() -> None:
    fields = ("borrowerId", "loanType", "loanAmount", "status", "maturityDate")
    found = drawn("loans", Loan({"accountId": EVIL} | dict.fromkeys(fields, EVIL)))
    assert found.text.count(EVIL) == 1 + len(fields)
    assert "script" not in [tag for tag, _ in found.tags]


def test_links_escape_what_they_are_given() -> None:
    row = Parts(str(lists.row_link("loan", APP, Loan({"accountId": EVIL}))))
    assert row.text == EVIL
    _, attrs = row.tags[0]
    assert attrs["href"] == reverse("loan", args=["kenya", EVIL])
    assert attrs["class"] == "stretch id"
    inner = Parts(str(lists.borrower_link(APP, EVIL)))
    assert (inner.text, inner.tags[0][1]["class"]) == (EVIL, "id")


def test_what_can_be_no_id_is_shown_without_a_link() -> None:
    assert lists.row_link("loan", APP, Loan({"accountId": ".."})) == ".."
    assert "/loans/u-1/" in str(lists.row_link("loan", APP, Loan({"uid": "u-1"})))
    assert lists.borrower_link(APP, None) == "\N{EM DASH}"
    assert lists.account_link(APP, "agent:B-1") == "agent:B-1"
    assert "/borrowers/B-1/" in str(lists.account_link(APP, "borrower:B-1"))


def test_only_a_very_long_word_may_break() -> None:
    def spans(text: str) -> list[str]:
        return [attrs["class"] or "" for tag, attrs in Parts(str(breakable(text))).tags]

    assert spans("W" * 60) == ["long"]
    assert spans("a long text " + "W" * 25) == ["long"]
    assert spans("a text of many words, none of them long") == []
    assert breakable(SafeString("<b>" + "W" * 60)) == "<b>" + "W" * 60
    assert Parts(str(breakable(EVIL * 9))).text == EVIL * 9
