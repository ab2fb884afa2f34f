"""Tokens of tokens.css, and the contrast between two colours."""

import re
from pathlib import Path
from typing import NamedTuple

from django.contrib.staticfiles import finders

_COLOUR = re.compile(r"--([a-z-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)")
_STEP = re.compile(r"--((?:space|text)-[a-z0-9-]+):\s*([^;]+);")
_THEMES = ("light", "dark")


class Colour(NamedTuple):
    """A token and its colour in one theme; `contrast` is against the surface, from 1 to 21."""

    name: str
    value: str
    contrast: str


class Step(NamedTuple):
    """A step of a scale. `size` is its value in tokens.css."""

    name: str
    size: str


def luminance(colour: str) -> float:
    """Return the relative luminance of a `#rrggbb` colour, from 0 to 1, as in WCAG 2."""
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two `#rrggbb` colours, from 1 to 21, as in WCAG 2."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def pairs(css: str) -> dict[str, tuple[str, str]]:
    """Return the colours of a style sheet by name: `#rrggbb` in the light and in the dark theme."""
    return {name: (light, dark) for name, light, dark in _COLOUR.findall(css)}


def sheet() -> str:
    """Return the text of tokens.css, the only file that defines the tokens."""
    found = finders.find("css/tokens.css")
    return Path(str(found)).read_text()


def colours(theme: str) -> list[Colour]:
    """Return every colour of a theme, `light` or `dark`, in the order of tokens.css."""
    known, at = pairs(sheet()), _THEMES.index(theme)
    ground = known["surface"][at]
    return [
        Colour(name, both[at], f"{contrast(both[at], ground):.1f}") for name, both in known.items()
    ]


def steps(kind: str) -> list[Step]:
    """Return the scale of `space` or `text`, without the steps for paper or drawings."""
    found = [Step(name, size) for name, size in _STEP.findall(sheet()) if name.startswith(kind)]
    return [step for step in found if not re.search(r"print|chart", step.name)]
