"""What every page of the map must be for a keyboard, a magnified screen, and a screen reader."""

from collections.abc import Callable

import pytest

from tests.browser.looks import Looked
from tests.browser.walking import Seen

Part = Callable[[Looked], object]

PARTS: dict[str, Part] = {
    "nothing scrolls sideways at 320, nor at 1280 with 200 % zoom": lambda one: one.too_wide,
    "with reduced motion nothing moves": lambda one: one.moving,
    "headings, landmarks, labels, tables and the live region are in order": lambda one: (
        one.structure
    ),
    "wider text spacing cuts nothing off": lambda one: one.spaced,
}


@pytest.mark.parametrize("part", PARTS)
def test_on_every_place(walked: list[Seen], part: str) -> None:
    told = [
        f"{seen.place.name}: {found}"
        for seen in walked
        if seen.found and (found := PARTS[part](seen.found))
    ]
    assert not told, "\n".join(told)
