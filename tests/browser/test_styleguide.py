"""The styleguide in a browser: photographed in two widths, quiet, and no wider than its window."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from lendingadmin.styleguide.samples import PARTS
from lendingadmin.styleguide.tokens import pairs, sheet
from tests.browser.house import House, running, sign_in

# Of an element, as the browser paints it.
PAINTED = "(part) => getComputedStyle(part).backgroundColor"


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A dashboard with what the demo has, as whoever builds its pages runs it."""
    folder = tmp_path_factory.mktemp("workshop")
    with running(folder, fill=False, settings={"HOUSE_DEMO": "on"}) as house:
        yield house


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_the_styleguide_stands_in_its_window(
    open_page: Callable[..., Page], workshop: House, tmp_path: Path, width: int
) -> None:
    page = open_page(workshop, width=width)
    sign_in(page, "viewer", "/styleguide/")
    for part in PARTS:
        for theme in ("light", "dark"):
            assert page.locator(f".theme.{theme} [data-part={part}]").is_visible(), part
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    photo = tmp_path / f"styleguide-{width}.png"
    page.screenshot(path=photo, full_page=True)
    assert photo.stat().st_size > 50_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_both_themes_stand_side_by_side_whatever_the_reader_prefers(
    open_page: Callable[..., Page], workshop: House, scheme: str
) -> None:
    page = open_page(workshop, color_scheme=scheme)
    sign_in(page, "viewer", "/styleguide/")
    card = "[data-part=chips]"
    assert page.locator(f".theme.light {card}").evaluate(PAINTED) == "rgb(255, 255, 255)"
    assert page.locator(f".theme.dark {card}").evaluate(PAINTED) == "rgb(21, 28, 34)"


def test_on_paper_the_words_stay_and_the_buttons_go(
    open_page: Callable[..., Page], workshop: House
) -> None:
    page = open_page(workshop)
    sign_in(page, "viewer", "/styleguide/")
    page.emulate_media(media="print")
    light = page.locator(".theme.light")
    assert light.locator("[data-part=terms] button.term").is_visible()
    assert light.locator("[data-part=tables] td").first.is_visible()
    assert not light.locator("[data-part=buttons] button").first.is_visible()
    assert not page.locator(".sidebar").is_visible()


def test_in_forced_colours_a_chip_has_an_edge_and_a_legend_its_colours(
    open_page: Callable[..., Page], workshop: House
) -> None:
    page = open_page(workshop, forced_colors="active")
    sign_in(page, "viewer", "/styleguide/")
    border = "(part) => getComputedStyle(part).borderTopStyle"
    assert page.locator(".theme.light .chip").first.evaluate(border) == "solid"
    swatch = "(part) => getComputedStyle(part, '::before').backgroundColor"
    legend = page.locator(".theme.light .legend").first
    kinds, known = ("principal", "interest"), pairs(sheet())
    shown = [legend.locator(f".{kind}").evaluate(swatch) for kind in kinds]
    assert shown == [write_rgb(known[kind][0]) for kind in kinds]
    assert len(set(shown)) == 2


def write_rgb(colour: str) -> str:
    """The colour as a browser computes it."""
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return f"rgb({', '.join(map(str, parts))})"


def test_with_reduced_motion_nothing_turns(open_page: Callable[..., Page], workshop: House) -> None:
    page = open_page(workshop, reduced_motion="reduce")
    sign_in(page, "viewer", "/styleguide/")
    turns = "(part) => getComputedStyle(part).animationName"
    assert page.locator(".spin").first.evaluate(turns) == "none"
