"""The morning's job, counted: ten customers called, noted and promised, by keyboard.

What is typed of amount, day and note counts for nothing; every other key does.
"""

import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from lendingadmin.demo.environment import BASE_DIR
from tests.browser.house import House
from tests.browser.test_day_of_work import Counted

PageOf = Callable[[str], Page]
_COUNT = """
import django
django.setup()
from lendingadmin.desk.portfolio import snapshot_job
row = snapshot_job.begin_snapshot("kenya", None)
while row and snapshot_job.CountWalk.run_slice(row.pk) is not None:
    pass
"""
# One after the other, as a morning goes.
OUTCOMES = "prnprnprpn"
NOTES = {"p": "promised all of it", "r": "spoke to his wife", "n": ""}


@pytest.fixture(scope="module", autouse=True)
def counted(house: House) -> None:
    """The loans are counted, as the worker does it."""
    subprocess.run(
        [sys.executable, "-c", _COUNT], cwd=BASE_DIR, env=dict(house.environ), check=True
    )


def test_ten_customers_are_called_noted_and_promised(page_of: PageOf) -> None:
    page = page_of("officer")
    page.goto("/apps/kenya/collections/late-31/")
    expect(page.get_by_role("button", name="Next")).to_be_focused()
    morning, called, most = Counted(page), list[str](), 0
    morning.press("Enter")
    for outcome in OUTCOMES:
        page.wait_for_url(re.compile(r"/calls/(?!.*DONE)"))
        before = morning.keys
        name = page.locator("main h1").inner_text()
        expect(page.locator("[data-choose]:checked")).to_have_count(0)
        morning.press(outcome)
        expect(page.locator("[name=note]")).to_be_focused()
        morning.type(NOTES[outcome])
        here = page.url
        morning.press("Enter")
        page.wait_for_function("before => location.href !== before", arg=here)
        most = max(most, morning.keys - before)
        called.append(name)
    assert len(set(called)) == len(OUTCOMES)
    assert most <= 6
    morning.report("ten customers called, noted, promised")
    page.goto("/apps/kenya/collections/")
    row = page.get_by_role("row", name=re.compile("31 days late and more")).last
    expect(row).to_contain_text(re.compile(r"10\s*7\s*4\s*0"))


def test_the_promise_is_filled_in_and_shown_for_a_promise_alone(page_of: PageOf) -> None:
    page = page_of("support")
    page.goto("/apps/kenya/collections/late-8-30/")
    page.keyboard.press("Enter")
    page.wait_for_url("**/calls/**")
    amount = page.locator("[name=amount]")
    expect(amount).to_be_hidden()
    page.keyboard.press("p")
    expect(amount).to_be_visible()
    expect(amount).not_to_have_value("")
    expect(page.locator("[name=day]")).not_to_have_value("")
    page.locator("h1").click()
    page.keyboard.press("d")
    expect(amount).to_be_hidden()
    expect(page.locator("[data-choose=d]")).to_be_checked()
    page.get_by_role("button", name="Release").click()
    page.wait_for_url("**/collections/late-8-30/")
