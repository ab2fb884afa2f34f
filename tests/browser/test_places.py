"""What every page of the map must be, in every state, for a keyboard, a magnified screen, a screen
reader: axe-core finds nothing in both themes, wide and narrow, and what it cannot see is measured.
"""

from collections import Counter
from collections.abc import Callable

import pytest

from tests.browser import axe
from tests.browser.looks import THEMES, WIDTHS, Looked
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


def test_every_place_is_as_the_map_says(walked: list[Seen]) -> None:
    faults = [f"{seen.place.name}: {fault}" for seen in walked for fault in seen.faults]
    assert not faults, "\n".join(faults)


def test_axe_finds_nothing(walked: list[Seen], capsys: pytest.CaptureFixture[str]) -> None:
    told, undecided, runs = [], Counter[str](), 0
    for seen in walked:
        for state, report in (seen.found.reports if seen.found else {}).items():
            runs += 1
            told += [f"{seen.place.name} {state}: {one[:3]} {one[3]}" for one in report.violations]
            undecided.update(report.incomplete)
    tags = ", ".join(axe.TAGS)
    pages = len({seen.place.address.partition("?")[0] for seen in walked})
    with capsys.disabled():
        print(  # noqa: T201
            f"\naxe-core {axe.VERSION}, {tags}: {pages} pages in {len(walked)} states"
            f" × {len(THEMES)} themes × {len(WIDTHS)} widths = {runs} runs: {len(told)} violations"
            f" (left to a person's eye: {dict(undecided.most_common())})"
        )
    assert not told, "\n".join(told)
    assert runs == len(walked) * len(THEMES) * len(WIDTHS)


@pytest.mark.parametrize("part", PARTS)
def test_on_every_place(walked: list[Seen], part: str) -> None:
    told = [
        f"{seen.place.name}: {found}"
        for seen in walked
        if seen.found and (found := PARTS[part](seen.found))
    ]
    assert not told, "\n".join(told)
