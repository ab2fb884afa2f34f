"""The way by an identity provider, as a browser goes it: its policy lets one there and back."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Console
from tests.browser.house import House, running
from tests.identity_provider import IdentityProvider, running_provider


@pytest.fixture(scope="module")
def provider() -> Iterator[IdentityProvider]:
    with running_provider() as running_one:
        running_one.set_person("s-1", preferred_username="amina", groups=["heads"], auth_time=1000)
        yield running_one


@pytest.fixture(scope="module")
def closed_house(
    provider: IdentityProvider, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[House]:
    """A dashboard that nobody enters but by the provider."""
    settings = {
        "OIDC_ISSUER": provider.issuer,
        "OIDC_NAME": "Umoja account",
        "OIDC_CLIENT_ID": "lendingadmin",
        "OIDC_CLIENT_SECRET": "secret",
        "OIDC_ROLES": "heads=kenya:manager",
        "LOCAL_SIGN_IN": "off",
    }
    with running(tmp_path_factory.mktemp("closed"), fill=False, settings=settings) as house:
        yield house


def test_signing_in_and_confirming(
    provider: IdentityProvider,
    closed_house: House,
    open_page: Callable[..., Page],
    console: Console,
) -> None:
    # The provider's pages want a style sheet of another machine, and their own frame is theirs.
    console.allow(re.escape(provider.issuer))
    console.allow("cdn.jsdelivr.net")
    page = open_page(closed_house, width=390)
    page.goto("/people/")
    expect(page.locator("input[name=password]")).to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.click("text=Sign in with Umoja account")
    _sign_in_there(page, provider)
    expect(page).to_have_url(f"{closed_house.address}/people/")
    page.goto("/accounts/2fa/totp/activate/")
    expect(page.locator("h1")).to_have_text("Confirm that it is you")
    provider.set_person("s-1", preferred_username="amina", groups=["heads"])
    page.click("text=Confirm with Umoja account")
    _sign_in_there(page, provider)
    expect(page).to_have_url(f"{closed_house.address}/accounts/2fa/totp/activate/")


def _sign_in_there(page: Page, provider: IdentityProvider) -> None:
    page.wait_for_url(lambda url: url.startswith(provider.issuer))
    page.fill("input[name=sub]", "s-1")
    page.click("text=Authorize >> nth=-1")
