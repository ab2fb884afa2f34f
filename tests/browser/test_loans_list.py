"""The loans list at work: a CSV of what the filter finds, and a way back to where one was."""

import csv
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

FILTERED = "/apps/kenya/loans/?status=2&order=desc"


def test_a_csv_has_what_the_filter_finds_and_back_leads_to_the_same_place(
    page_of: Callable[[str], Page], tmp_path: Path
) -> None:
    page = page_of("support")
    page.goto(FILTERED)
    with page.expect_download() as started:
        page.get_by_role("link", name="CSV").click()
    started.value.save_as(tmp_path / "loans.csv")
    with (tmp_path / "loans.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    # The word of the screen for status 2.
    assert {row["Status"] for row in rows} == {"open"}

    row = page.locator("tbody tr").nth(20).locator("a.stretch")
    account = row.inner_text()
    # By keyboard: a click scrolls a row below the window into view after the place was read.
    row.focus()
    stood, listed = page.evaluate("scrollY"), page.url
    assert stood > 100
    page.keyboard.press("Enter")
    expect(page.locator("nav.crumbs")).to_contain_text(account)
    page.go_back()
    assert page.url == listed
    expect(page.locator("select[name=status]")).to_have_value("2")
    expect(page.locator("select[name=order]")).to_have_value("desc")
    # Not `wait_for_function`: where the place is not there at once, that evaluates text, which the
    # Content-Security-Policy refuses.
    for _ in range(50):
        if page.evaluate("scrollY") == stood:
            break
        page.wait_for_timeout(100)
    assert page.evaluate("scrollY") == stood
