"""Nothing that a person types into stands where the page replaces itself."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TEMPLATES = Path(__file__).parents[2] / "templates"
# A piece that asks for itself again, and takes its own place.
ASKS = re.compile(r"\bdata-poll\b(?!-)|hx-swap=\"outerHTML\"")
INCLUDED = re.compile(r"""\{% include ["']([^"']+)["']""")
TYPED = re.compile(
    r"<(?:textarea|select)\b|<input\b(?![^>]*type=\"(?:hidden|submit)\")"
    r"|as_field_group|\{\{ *\w*form\w*(?:\.\w+)? *\}\}|\{\{ *field *\}\}",
)

# The form below an offer: it is there once the offer is, and then the piece asks no more.
ENDED = "offers/_outcome.html"


def pieces() -> list[str]:
    """The fragments that replace themselves."""
    found = TEMPLATES.rglob("_*.html")
    return sorted(str(at.relative_to(TEMPLATES)) for at in found if ASKS.search(at.read_text()))


def whole(name: str) -> Iterator[tuple[str, str]]:
    """A template, and all that it includes, with what each of them says."""
    text = (TEMPLATES / name).read_text()
    yield name, text
    for included in INCLUDED.findall(text):
        yield from whole(included)


@pytest.mark.parametrize("name", [piece for piece in pieces() if piece != "_top.html"])
def test_a_piece_that_replaces_itself_has_nothing_to_type_into(name: str) -> None:
    parts = {part: TYPED.findall(text) for part, text in whole(name) if part != ENDED}
    assert [part for part, found in parts.items() if found] == []


def test_the_form_below_an_offer_comes_with_its_end() -> None:
    text = (TEMPLATES / "offers/_status.html").read_text()
    done, _, rest = text.partition('{% if row.state == "done" %}')[2].partition("{% elif")
    assert text.count(ENDED) == done.count(ENDED) == 1
    assert "poll.delay" not in done
    assert "poll.delay" in rest


def test_the_polled_pieces_are_among_them() -> None:
    polled = {f"{area}/_status.html" for area in ("repayments", "offers", "assessments", "writes")}
    assert polled <= set(pieces())


def test_something_to_type_into_is_recognised() -> None:
    (top,) = [TYPED.findall(text) for name, text in whole("_top.html") if name == "_top.html"]
    assert top
    assert any(TYPED.search(text) for _, text in whole("repayments/_actions.html"))
    assert not TYPED.search('<input type="hidden" name="token" value="{{ token }}">')
