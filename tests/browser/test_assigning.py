"""A whole list goes to an officer by keyboard: chosen, counted and assigned."""

import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from lendingadmin.demo.environment import BASE_DIR
from tests.browser.house import House
from tests.browser.test_calling import counted

__all__ = ["counted"]


_WORK = """
import django
django.setup()
from lendingadmin.desk.assignments import bulk
from lendingadmin.desk.assignments.models import BulkAssignment
number = BulkAssignment.objects.latest("pk").pk
while bulk.run_slice(number) is not None:
    pass
"""


@pytest.fixture
def work(house: House) -> Callable[[], object]:
    """Does what waits for the worker."""
    command = [sys.executable, "-c", _WORK]
    return partial(subprocess.run, command, cwd=BASE_DIR, env=dict(house.environ), check=True)


def test_a_list_is_assigned_by_keyboard(
    page_of: Callable[[str], Page], work: Callable[[], object]
) -> None:
    page = page_of("manager")
    page.goto("/apps/kenya/loans/lists/?show=overdue")
    page.locator("main a[href*='/assignments/lists/new']").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("select[name=officer]")).to_be_focused()
    page.keyboard.type("officer")
    page.keyboard.press("Tab")
    expect(page.locator("main form[method=get] button")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**officer=*")
    confirm = page.locator("main form[method=post] button.main")
    expect(confirm).to_be_focused()
    found = re.search(r"\d+", confirm.inner_text())
    assert found
    # Nothing is changed before that.
    expect(page.locator("main")).to_contain_text(
        f"{found[0]} borrowers will be assigned to officer"
    )
    page.keyboard.press("Enter")
    page.wait_for_url("**/assignments/lists/*/")
    work()
    page.reload()
    result = page.get_by_role("listitem").filter(has_text=re.compile("^assigned"))
    expect(result).to_contain_text(found[0], timeout=15_000)
    page.goto("/apps/kenya/collections/assignments/")
    expect(page.get_by_role("row", name=re.compile("^officer"))).to_contain_text(found[0])
