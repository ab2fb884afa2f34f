"""The book is counted while somebody watches, and a bar leads to its loans."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect

from lendingadmin.demo import serving
from lendingadmin.demo.environment import BASE_DIR
from tests.browser.house import House, running, sign_in


@contextmanager
def worker(house: House) -> Iterator[None]:
    """A worker of that house, as long as inside."""
    process = subprocess.Popen(
        [*serving.manage("db_worker"), "--interval", "0.2"], env=dict(house.environ), cwd=BASE_DIR
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)


START = "main form[action$='/book/count'] button"
STOP = "#snapshot-acts form button"


@pytest.fixture(scope="module")
def counting_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A filled house where nothing is counted by the clock."""
    folder = tmp_path_factory.mktemp("counting-house")
    with running(folder, settings={"HOUSE_EVERY": "0"}) as house:
        yield house


def test_it_is_counted_while_one_watches_and_a_bar_leads_to_its_loans(
    counting_house: House, open_page: Callable[..., Page]
) -> None:
    page = open_page(counting_house)
    sign_in(page, "manager", "/apps/kenya/")
    page.locator(START).first.click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(page.locator("#announce")).not_to_be_empty()
    stop = page.locator(STOP)
    stop.focus()
    with worker(counting_house):
        shown = page.locator("#counted [data-announce] a")
        expect(shown).to_be_visible(timeout=60_000)
    expect(page.locator("#announce")).to_contain_text(re.compile(r"Updated: \d+ loans"))
    expect(stop).to_have_count(0)
    expect(page.locator("[data-poll]")).to_have_count(0)
    shown.click()

    bar = page.locator("a.bar:visible", has_text="PAR 30")
    expect(bar).to_have_text(re.compile(r"PAR 30.*[\d.]+\s%"))
    told = str(bar.get_attribute("title"))
    found = re.fullmatch(r"(KES [\d,.]+) on (\d+) loans more than 30 days late", told)
    assert found, told
    bar.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/loans/lists/**")
    sums = page.locator("tfoot tr")
    expect(sums).to_contain_text(f"{found[2]} loans")
    expect(sums).to_contain_text(found[1].removeprefix("KES "))
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(min(int(found[2]), 50))
    account = rows.first.locator("a.stretch").inner_text()
    rows.first.click()
    expect(page.locator("nav.crumbs")).to_contain_text(account)


def test_without_scripts_it_is_started_refreshed_and_stopped(
    counting_house: House, open_page: Callable[..., Page]
) -> None:
    page = open_page(counting_house, java_script_enabled=False)
    sign_in(page, "manager", "/apps/ghana/")
    page.locator(START).first.click()
    page.click("#book a.button[href='/apps/ghana/']")
    expect(page.get_by_role("progressbar")).to_be_visible()
    page.locator(STOP).click()
    expect(page.locator("main")).to_contain_text("Stopped by manager.")
    expect(page.locator(START).first).to_be_visible()


def test_on_a_phone_nothing_runs_out_of_the_window(
    counting_house: House, open_page: Callable[..., Page]
) -> None:
    code = (
        "import django; django.setup()\n"
        "from lendingadmin.desk.portfolio import snapshot_job\n"
        "row = snapshot_job.begin_snapshot('kenya', None)\n"
        "while row and snapshot_job.CountWalk.run_slice(row.pk) is not None: pass"
    )
    for _ in range(2):
        subprocess.run(
            [sys.executable, "-c", code], env=dict(counting_house.environ), cwd=BASE_DIR, check=True
        )
    page = open_page(counting_house, width=390)
    sign_in(page, "viewer", "/apps/kenya/")
    expect(page.locator("a.bar:visible").first).to_be_visible()
    for details in page.locator("#book details").all():
        details.locator("summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.locator(".chart text.wide:visible")).to_have_count(0)
