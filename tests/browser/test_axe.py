"""axe-core finds nothing, on any page of the map in any state, in both themes, wide and narrow."""

from collections import Counter

import pytest

from tests.browser import axe
from tests.browser.looks import THEMES, WIDTHS
from tests.browser.walking import Seen


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
