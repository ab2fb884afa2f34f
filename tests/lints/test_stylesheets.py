"""The stylesheets: small enough, without what the CSP refuses, and legible in both themes."""

import gzip
import re
from pathlib import Path

import pytest

from lendingadmin.styleguide.tokens import contrast, pairs
from lendingadmin.web.static_files import shrink

STATIC = Path(__file__).parents[2] / "static"
SHEETS = sorted((STATIC / "css").glob("*.css"))
SCRIPTS = sorted((STATIC / "js").glob("*.js"))
TOKENS = pairs((STATIC / "css" / "tokens.css").read_text())
TONES = ("good", "warn", "bad", "info", "odd")
TEXT, GRAPHIC = 4.5, 3.0

# What is written or drawn on what, and how far the two must stand apart (WCAG 1.4.3, 1.4.11).
PAIRS = [
    *[
        (ink, on, TEXT)
        for ink in ("ink", "soft", "accent")
        for on in ("ground", "surface", "hover")
    ],
    *[(ink, "sunken", TEXT) for ink in ("ink", "soft")],
    ("accent-deep", "surface", TEXT),
    ("accent-deep", "hover", TEXT),
    ("accent", "accent-wash", TEXT),
    ("on-accent", "accent", TEXT),
    ("on-accent", "accent-deep", TEXT),
    ("soft", "plain-wash", TEXT),
    ("ink", "plain-wash", TEXT),
    *[(tone, f"{tone}-wash", TEXT) for tone in TONES],
    *[(tone, "surface", TEXT) for tone in TONES],
    *[(ink, f"{tone}-wash", TEXT) for ink in ("ink", "soft", "accent") for tone in TONES],
    ("edge", "surface", GRAPHIC),
    ("edge", "ground", GRAPHIC),
    ("accent", "sunken", GRAPHIC),
    ("principal", "surface", GRAPHIC),
    ("penalty", "surface", GRAPHIC),
]


def test_contrast_is_measured_rightly() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.01)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground", "least"), PAIRS, ids=lambda value: str(value))
def test_every_pair_is_legible(ink: str, ground: str, least: float, theme: int) -> None:
    assert contrast(TOKENS[ink][theme], TOKENS[ground][theme]) >= least


def test_the_stylesheets_of_a_page_weigh_at_most_eleven_kilobytes_compressed() -> None:
    """Every page has those of the head, and at most one of its own."""
    head = (STATIC.parent / "templates" / "_head.html").read_text()
    weights = {
        sheet.name: len(gzip.compress(shrink(sheet.name, sheet.read_text()).encode()))
        for sheet in SHEETS
    }
    everywhere = [weight for name, weight in weights.items() if f"css/{name}" in head]
    own = [weight for name, weight in weights.items() if f"css/{name}" not in head]
    assert everywhere and own
    assert sum(everywhere) + max(own) <= 11_000


def test_shrinking_leaves_comments_and_indentation_out() -> None:
    style = "/* a\n b */\n.a {\n  color: red; /* c */\n}\n"
    assert shrink("a.css", style) == ".a{color: red;}"
    script = '// a\n(() => {\n  // b\n  const at = "https://x"; // c\n})();\n'
    assert shrink("a.js", script) == '(() => {\nconst at = "https://x"; // c\n})();\n'


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_has_a_text_of_several_lines(script: Path) -> None:
    assert all(line.count("`") % 2 == 0 for line in script.read_text().splitlines())


def test_every_rule_stands_in_a_layer() -> None:
    for sheet in SHEETS:
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.S).strip()
        assert re.match(r"@layer [a-z, ]+[;{]", text), sheet.name
        assert "@import" not in text, sheet.name


def test_scripts_need_nothing_that_the_csp_refuses() -> None:
    assert SCRIPTS
    for script in SCRIPTS:
        found = re.search(r"\beval\(|new Function|innerHTML|\.style\b", script.read_text())
        assert not found, f"{script.name}: {found}"
