"""What the tests want to know of every page of the map, found out on one visit to each."""

from dataclasses import dataclass, field
from itertools import product

from playwright.sync_api import Page

from tests.browser import axe
from tests.browser.places import Place

WIDTHS = (1280, 390)
THEMES = ("light", "dark")
# A phone's least width, a window of 1280 at 200 % zoom, and where the frame has a narrow sidebar.
FITTING = (320, 640, 1000, 1024, 1199)

_TOO_WIDE = """() => {
  const page = document.scrollingElement;
  if (page.scrollWidth <= page.clientWidth) return "";
  const scrolls = (one) => one && (/auto|scroll|hidden|clip/.test(getComputedStyle(one).overflowX)
    || scrolls(one.parentElement !== document.body && one.parentElement));
  const wide = [...document.querySelectorAll("body *")].filter((one) =>
    one.getBoundingClientRect().right > page.clientWidth + 0.5 && !scrolls(one.parentElement));
  const named = wide.slice(-3).map((one) => one.outerHTML.slice(0, 80));
  return `${page.scrollWidth} > ${page.clientWidth}: ${named.join(" … ")}`;
}"""

# Phones, ids and days in a table that take two lines. A time of day may go below its day.
_SPLIT = """() => {
  const count = (one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return new Set([...range.getClientRects()].map((line) => Math.round(line.bottom))).size;
  };
  const short = document.querySelectorAll(".rows :is(td, th) :is(a[href^='tel:'], a.id, time)");
  const split = [...short].filter((one) => one.checkVisibility() && count(one) > 1
    && !/\\d:\\d|\\S{25}/.test(one.textContent));
  return split.slice(0, 3).map((one) => one.outerHTML.slice(0, 80)).join(" … ");
}"""

_MOVING = """() => document.getAnimations()
  .filter((one) => one.playState === "running" && one.effect.getTiming().duration > 0)
  .map((one) => one.effect.target.outerHTML.slice(0, 80))"""

# WCAG 1.4.12, as a sheet that the page's policy knows nothing of.
_SPACED = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`* { line-height: 1.5 !important; letter-spacing: 0.12em !important;
    word-spacing: 0.16em !important; } p { margin-block-end: 2em !important; }`);
  document.adoptedStyleSheets.push(sheet);
}"""
_CUT_OFF = """() => [...document.querySelectorAll("main *")].filter((one) => {
  const style = getComputedStyle(one);
  if (!/hidden|clip/.test(style.overflowY) || style.position === "absolute") return false;
  return one.clientHeight > 1 && one.scrollHeight > one.clientHeight + 3;
}).map((one) => one.outerHTML.slice(0, 80))"""

_STRUCTURE = """() => {
  const found = [];
  const seen = (one) => one.checkVisibility() && !one.closest("dialog:not([open])");
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  const brief = (one) => one.outerHTML.slice(0, 100);
  const named = (one) => one.ariaLabel || one.getAttribute("aria-labelledby") || one.title;
  const levels = all("h1, h2, h3, h4, h5, h6");
  const firsts = levels.filter((one) => one.tagName === "H1");
  if (firsts.length !== 1) found.push(`${firsts.length} h1`);
  // The sidebar's headings stand before the page's own; the page's begin with its h1.
  let before = 0;
  for (const one of levels.filter((one) => one.closest("main"))) {
    const level = Number(one.tagName[1]);
    if (level > before + 1) found.push(`h${level} after h${before}: ${brief(one)}`);
    before = level;
  }
  if (all("main").length !== 1) found.push(`${all("main").length} main`);
  const navs = all("nav").map((one) => one.ariaLabel ?? one.getAttribute("aria-labelledby"));
  if (navs.includes(null) || new Set(navs).size !== navs.length) found.push(`navs: ${navs}`);
  for (const one of all("input:not([type=hidden], [type=submit]), select, textarea"))
    if (!one.labels?.length && !named(one)) found.push(`no label: ${brief(one)}`);
  for (const one of all("table")) {
    // Django's own lists leave a row's heading to its place, and their name to the h1 above.
    if (one.id === "result_list") continue;
    for (const cell of one.querySelectorAll('td[data-label=""]'))
      found.push(`no label on a phone: ${brief(cell)}`);
    for (const head of one.querySelectorAll("th:not([scope])"))
      if (head.textContent.trim())
        found.push(`no scope: ${brief(head)}`);
    const section = one.closest("section, figure, details, div[role=region]");
    if (!one.caption && !named(one) && !(section && (named(section) || section.matches("details"))))
      found.push(`table without a name: ${brief(one)}`);
  }
  const live = all("[aria-live], [role=status], [role=alert], [role=log], output");
  const ours = document.getElementById("announce");
  if (ours && (live.length !== 1 || ours.closest("[data-poll]")))
    found.push(`live: ${live.map(brief)}`);
  return found;
}"""


@dataclass
class Looked:
    """What one visit gave. Empty is well."""

    reports: dict[str, axe.Report] = field(default_factory=dict)
    too_wide: dict[int, str] = field(default_factory=dict)
    moving: list[str] = field(default_factory=list)
    structure: list[str] = field(default_factory=list)
    spaced: list[str] = field(default_factory=list)


def everything(page: Page, place: Place) -> Looked:
    """Look at the page that stands there, in both themes and at every width; it is loaded once."""
    looked = Looked(structure=page.evaluate(_STRUCTURE))
    axe.bring(page)
    for width, theme in product(WIDTHS, THEMES):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
        looked.reports[f"{width} {theme}"] = axe.run(page)
    for width in FITTING:
        page.set_viewport_size({"width": width, "height": 900})
        if told := page.evaluate(_TOO_WIDE) or page.evaluate(_SPLIT):
            looked.too_wide[width] = told
    page.emulate_media(reduced_motion="reduce")
    looked.moving = page.evaluate(_MOVING)
    page.evaluate(_SPACED)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        looked.spaced += page.evaluate(_CUT_OFF)
        if told := page.evaluate(_TOO_WIDE):
            looked.spaced.append(told)
    return looked
