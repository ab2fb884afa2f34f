"""Colour, space and type are said once, in tokens.css; the other sheets only name them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CSS = Path(__file__).parents[2] / "static" / "css"
TOKENS = CSS / "tokens.css"
SHEETS = sorted(sheet for sheet in CSS.rglob("*.css") if sheet != TOKENS)

RULE = re.compile(r"(?<![\w-])(-{0,2}[a-z][\w-]*):\s*([^;{}]+)(?=[;}])")
COLOUR = re.compile(
    r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch)a?\(|\b(?:black|white)\b"
)
SPACE = re.compile(r"(?:padding|margin|gap|row-gap|column-gap|scroll-padding|scroll-margin)\b")
LENGTH = re.compile(r"(?<![\w.-])-?[\d.]+(?:rem|em|px|pt)\b")
# Hairlines, which stay one or two pixels at any size of type.
HAIRLINES = {"1px", "2px", "-1px", "-2px"}


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def raw(css: str) -> Iterator[str]:
    """Each declaration of a sheet that says a colour, a size of type or a space by itself."""
    for name, value in RULE.findall(without_comments(css)):
        bare = re.sub(r"var\([^()]*\)", "", re.sub(r"color-mix\(in \w+", "", value))
        sized = name == "font-size" or name == "font" or name == "font-weight"
        if (
            COLOUR.search(bare)
            or (sized and re.search(r"\d", bare) and not re.fullmatch(r"\s*(100%|0)\s*", bare))
            or (SPACE.match(name) and set(LENGTH.findall(bare)) - HAIRLINES)
        ):
            yield f"{name}: {value.strip()}"


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_no_colour_type_or_space_stands_outside_the_tokens(sheet: Path) -> None:
    assert list(raw(sheet.read_text())) == []


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_every_token_that_is_named_exists(sheet: Path) -> None:
    # A sheet of paper takes its size from one that stands beside it.
    beside = sheet.parent.glob("*.css") if sheet.parent.name == "paper" else [sheet]
    text = "".join(one.read_text() for one in [TOKENS, *beside])
    known = set(re.findall(r"(--[\w-]+):", text))
    assert set(re.findall(r"var\((--[\w-]+)", sheet.read_text())) <= known


def test_every_token_is_used() -> None:
    text = "".join(sheet.read_text() for sheet in [*SHEETS, TOKENS])
    said = set(re.findall(r"^    (--[\w-]+):", TOKENS.read_text(), re.M))
    assert said <= set(re.findall(r"var\((--[\w-]+)", text))


@pytest.mark.parametrize(
    "css",
    [
        "a { color: #fff; }",
        "a { border: 1px solid rgb(0 0 0 / 5%); }",
        "a { background: white }",
        "a { font-size: 0.8125rem; }",
        "a { font: 12px/1.4 var(--font); }",
        "a { font-weight: 600; }",
        "a { margin-block-start: 0.3rem; }",
        "a { padding: var(--space-1) 7px; }",
        "a { gap: 0.5em }",
    ],
)
def test_a_raw_value_is_seen(css: str) -> None:
    assert list(raw(css))


@pytest.mark.parametrize(
    "css",
    [
        "a { color: var(--ink, var(--soft)); }",
        "a { background: color-mix(in srgb, var(--wash) 55%, var(--surface)); }",
        "a { font: var(--text-body)/var(--leading) var(--font); }",
        "a { padding: var(--space-1) 0 1px; margin: 0 auto; }",
        "a { font: inherit; white-space: nowrap; inline-size: 3rem; }",
        "a { padding: 16mm; } /* paper: #fff, 3rem */",
    ],
)
def test_a_named_value_passes(css: str) -> None:
    assert not list(raw(css))
