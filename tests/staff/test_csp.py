"""The pages that come with allauth hold nothing that the policy forbids."""

from html.parser import HTMLParser

import pytest
from django.conf import settings
from django.test import Client

from lendingadmin.core.staff.models import User
from tests.conftest import PASSWORD

Person = User | None
ACCOUNT = (
    "/accounts/logout/",
    "/accounts/password/change/",
    "/accounts/reauthenticate/",
    "/accounts/2fa/",
    "/accounts/2fa/totp/activate/",
    "/accounts/2fa/webauthn/",
    "/accounts/2fa/webauthn/add/",
)
STRANGER = ("/accounts/login/", "/accounts/signup/", "/accounts/inactive/")


class Forbidden(HTMLParser):
    """Collects what `script-src 'self'; style-src 'self'` would block."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = dict(attrs)
        is_data = held.get("type") in ("application/json", "importmap")
        if tag == "style" or (tag == "script" and "src" not in held and not is_data):
            self.found.append(f"<{tag}>")
        self.found += [f"{tag} {name}" for name in held if name == "style" or name.startswith("on")]
        self.found += [
            f"{tag} {name}={value}"
            for name, value in held.items()
            if name in ("src", "href") and (value or "").startswith(("http", "//", "javascript:"))
        ]


def looked_at(client: Client, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200, (address, answer.status_code)
    parser = Forbidden()
    parser.feed(answer.content.decode())
    assert parser.found == [], address
    policy = answer["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "idempotency_key" not in policy


@pytest.mark.parametrize("address", ACCOUNT)
def test_ones_own_account(address: str, support: User, client: Client) -> None:
    client.force_login(support)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    looked_at(client, address)


@pytest.mark.parametrize("address", STRANGER)
def test_the_way_in(address: str, client: Client, db: None) -> None:
    looked_at(client, address)


def test_the_policy_is_strict() -> None:
    directives = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    assert directives["script-src"] == directives["style-src"] == ["'self'"]
    assert directives["default-src"] == ["'none'"]
