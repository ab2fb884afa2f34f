"""What takes two people, or a second factor: each in a browser of their own, at the same time."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from allauth.mfa.totp.internal import auth as totp
from playwright.sync_api import Page, expect

from lendingadmin.demo.environment import BASE_DIR
from tests.browser.conftest import Console
from tests.browser.house import PASSWORD, House, running, sign_in
from tests.browser.test_statement_desk import FOUND, PAID, bring_in, worker

__all__ = ["worker"]

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"  # pragma: allowlist secret
SETTINGS = {"TWO_STEP_ROLES": "officer"}
# A second manager, a colleague who is new, and the officer's factor, given an hour ago.
_STAGE = f"""
import time
import django
django.setup()
from allauth.mfa.totp.internal.auth import TOTP
from django.contrib.auth.models import Group
from django.test import Client
from lendingadmin.core.staff.models import User
from tests.browser.house import PASSWORD
from tests.policies.setting import set_limits, set_second_manager
from tests.roles import give_roles
set_limits(amount="5")
set_second_manager()
for name, role in (("deputy", "manager"), ("colleague", "support")):
    person = User.objects.create_user(name, password=PASSWORD)
    give_roles(person, role)
officer = User.objects.get(username="officer")
TOTP.activate(officer, "{SECRET}")
client = Client()
client.force_login(officer)
session = client.session
session["account_authentication_methods_user"] = str(officer.pk)
session["account_authentication_methods"] = [
    {{"method": method, "at": time.time() - 3600}} for method in ("password", "mfa")
]
session.save()
role = Group.objects.get(name="manager").pk
print(session.session_key, User.objects.get(username="colleague").pk, f"kenya:{{role}}")
"""


class Staged(NamedTuple):
    """The key of the officer's session, the colleague's number, and the manager's role in kenya."""

    session: str
    colleague: str
    role: str


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house with low limits and the rules of two managers and two steps."""
    with running(tmp_path_factory.mktemp("two"), settings=SETTINGS) as house:
        yield house


@pytest.fixture(scope="module", autouse=True)
def staged(house: House) -> Staged:
    command, environ = [sys.executable, "-c", _STAGE], dict(house.environ)
    done = subprocess.run(
        command, env=environ, cwd=BASE_DIR, stdout=subprocess.PIPE, text=True, check=True
    )
    return Staged(*done.stdout.split()[-3:])


def send(page: Page) -> None:
    """Press the main button of the page's form."""
    page.locator("main form button.main").click()


def submit(page: Page, batch: str) -> None:
    """Have what is accepted recorded, for which a second person is asked."""
    page.goto(f"{batch}record")
    send(page)
    expect(page.locator("#batch[data-state=awaiting]")).to_be_visible()


def test_a_manager_approves_only_the_rows_that_they_saw(
    page_of: Callable[[str], Page], worker: None
) -> None:
    clerk, manager = page_of("support"), page_of("manager")
    bring_in(clerk, ("SJTP000001", "6.25", PAID), ("SJTP000002", "6.50", FOUND))
    batch = clerk.url
    submit(clerk, batch)
    manager.goto(f"{batch}approve")
    rows = manager.locator("tbody tr")
    expect(rows).to_have_count(2)

    clerk.locator("form[action$=reopen] button").click()
    clerk.locator("tbody tr", has_text="SJTP000002").locator("th a").click()
    clerk.fill("[name=reason]", "the customer called it back")
    clerk.locator("button[value=leave]").click()
    submit(clerk, batch)

    send(manager)
    expect(manager).to_have_url(f"{batch}approve")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("SJTP000001")
    clerk.goto(batch)
    expect(clerk.locator("#batch[data-state=awaiting]")).to_be_visible()
    expect(clerk.locator("td a[href*='/repayments/']")).to_have_count(0)

    send(manager)
    expect(manager).to_have_url(batch)
    recorded = manager.locator("td a[href*='/repayments/']")
    for _ in range(60):
        if recorded.count():
            break
        manager.wait_for_timeout(500)
        manager.reload()
    expect(recorded).to_have_count(1)
    expect(manager.locator("#batch[data-state=done]")).to_be_visible()


def make_link(page: Page) -> str:
    """Press the button that makes a set-up link; the link, or nothing where none is shown."""
    page.locator("form[action$='set-up-link'] button").click()
    page.wait_for_load_state()
    link = page.locator("code", has_text="/set-up/")
    return link.inner_text() if link.count() else ""


def test_a_link_ends_with_the_role_that_a_second_manager_gives(
    page_of: Callable[[str], Page],
    open_page: Callable[..., Page],
    house: House,
    staged: Staged,
    console: Console,
) -> None:
    console.allow("410")
    manager, deputy, stranger = page_of("manager"), page_of("deputy"), open_page(house)
    person = f"/people/{staged.colleague}/"
    manager.goto(person)
    link = make_link(manager)
    answer = stranger.goto(link)
    assert answer and answer.status == 200

    manager.goto(person)
    manager.locator(f"[name=roles][value='{staged.role}']").check()
    manager.locator("main form:has([name=first_name]) button.main").click()
    expect(manager.locator("form[action$=decline]")).to_be_visible()
    expect(manager.locator("form[action$=approve]")).to_have_count(0)
    assert make_link(manager) == ""
    expect(manager).to_have_url(re.compile(f"{person}$"))

    deputy.goto(person)
    deputy.locator("form[action$=approve] button").click()
    expect(deputy.locator("form[action$=approve]")).to_have_count(0)
    answer = stranger.goto(link)
    assert answer and answer.status == 410


def test_a_person_who_removes_their_factor_sets_one_up_again(
    open_page: Callable[..., Page], house: House, staged: Staged
) -> None:
    page = open_page(house)
    page.context.add_cookies([{"name": "sessionid", "value": staged.session, "url": house.address}])
    page.goto("/accounts/2fa/totp/deactivate/")
    expect(page).to_have_url(re.compile("/accounts/2fa/reauthenticate/"))
    counter = next(totp.yield_hotp_counters_from_time())
    page.fill("[name=code]", totp.format_hotp_value(totp.hotp_value(SECRET, counter)))
    page.locator("main form:has([name=code]) [type=submit]").click()
    expect(page).to_have_url(re.compile("/accounts/2fa/totp/deactivate/"))
    page.locator("main form [type=submit]").last.click()
    expect(page).to_have_url(re.compile(r"/accounts/2fa/(\?|$)"))

    again = open_page(house)
    sign_in(again, "officer")
    for path in ("/apps/kenya/", "/apps/kenya/loans/"):
        again.goto(path)
        expect(again).to_have_url(re.compile(r"/accounts/2fa/(\?|$)"))
    again.locator("main a[href$='/totp/activate/']").click()
    again.fill("input[name=password]", PASSWORD)
    again.locator("main form:has([name=password]) [type=submit]").click()
    expect(again.locator("input[name=code]")).to_be_visible()
