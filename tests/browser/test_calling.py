"""A call's form: what it asks, and when."""

import subprocess
import sys
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from lendingadmin.demo.environment import BASE_DIR
from tests.browser.house import House

PageOf = Callable[[str], Page]
_COUNT = """
import django
django.setup()
from lendingadmin.desk.portfolio import snapshot_job
row = snapshot_job.begin_snapshot("kenya", None)
while row and snapshot_job.CountWalk.run_slice(row.pk) is not None:
    pass
"""


@pytest.fixture(scope="module", autouse=True)
def counted(house: House) -> None:
    """The loans are counted, as the worker does it."""
    subprocess.run(
        [sys.executable, "-c", _COUNT], cwd=BASE_DIR, env=dict(house.environ), check=True
    )


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
