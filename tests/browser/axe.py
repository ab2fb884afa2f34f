"""axe-core on a page: what breaks a rule, and what it could not decide.

The package brings axe; nothing of it is kept here. It is evaluated through the debugger's line, as
every other question of a test: the page's Content-Security-Policy stays in force and unloosened.
Nothing is preloaded, because for that axe writes styles into the page; no rule of these needs it.
"""

from typing import Any, NamedTuple

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

VERSION = AXE_SCRIPT[:40].partition("axe v")[2].split()[0]
TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
_CHANGED_OVER = """() => document.getAnimations()
    .filter((one) => one instanceof CSSTransition).forEach((one) => one.finish())"""
_RUN = """([tags]) => axe.run(document, {
    runOnly: {type: "tag", values: tags},
    resultTypes: ["violations", "incomplete"],
    preload: false,
}).then(({violations, incomplete}) => [
    violations.flatMap(({id, nodes}) => nodes.map((node) => [
        id, node.target.join(" "), node.html.slice(0, 160), node.failureSummary ?? "",
    ])),
    Object.fromEntries(incomplete.map(({id, nodes}) => [id, nodes.length])),
])"""


class Report(NamedTuple):
    """Each violation (the rule, where, its markup, why), and how often a rule could not tell."""

    violations: list[Any]
    incomplete: dict[str, int]


def bring(page: Page) -> None:
    """Give axe to the page, once for each load."""
    page.evaluate(AXE_SCRIPT)


def run(page: Page) -> Report:
    """All rules of TAGS, on the page as it is now, once its colours have changed over."""
    page.evaluate(_CHANGED_OVER)
    return Report(*page.evaluate(_RUN, [list(TAGS)]))
