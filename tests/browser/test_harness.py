"""The harness itself: what it promises to hear, it hears."""

import pytest
from playwright.sync_api import Browser

from tests.browser import chromium
from tests.browser.conftest import Console

PAGES = {
    "an error": ("", "<script>console.error('broken')</script>", "broken"),
    "an exception": ("", "<script>throw new Error('thrown')</script>", "thrown"),
    "an inline script": ("script-src 'self'", "<script>1</script>", "CSP: script-src"),
    "an inline style": ("style-src 'self'", "<p style='color:red'>", "CSP: style-src"),
    "a strange picture": ("img-src 'self'", "<img src='http://198.51.100.1/'>", "CSP: img-src"),
}


def _told_by(browser: Browser, policy: str, html: str, console: Console) -> list[str]:
    session = chromium.sit_down(browser, "http://page.test")
    headers = {"Content-Security-Policy": policy} if policy else {}
    session.route(
        "http://page.test/*",
        lambda route: route.fulfill(body=html, headers=headers, content_type="text/html"),
    )
    page = session.new_page()
    console.listen(page)
    page.goto("/")
    page.wait_for_timeout(100)
    session.close()
    return console.faults


@pytest.mark.parametrize("fault", PAGES)
def test_it_hears(fault: str, browser: Browser) -> None:
    policy, html, told = PAGES[fault]
    assert told in "\n".join(_told_by(browser, policy, html, Console()))


def test_it_stays_silent_over_a_sound_page(browser: Browser) -> None:
    assert (
        _told_by(browser, "script-src 'self'", "<p>hello<script src=''></script>", Console()) == []
    )


def test_what_is_expected_is_no_fault(browser: Browser) -> None:
    console = Console()
    console.allow("brok")
    assert _told_by(browser, "", "<script>console.error('broken')</script>", console) == []
