"""Signing in by an identity provider, which is a real one in a process of its own."""

import hashlib
import re
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from html import unescape
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import jwt
import pytest
from allauth.account.internal.flows.login import perform_login
from allauth.account.models import Login
from allauth.mfa.totp.internal import auth as totp
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.contrib.auth import SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.test import Client, RequestFactory
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff import provider as provider_messages
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.provider_roles import read_provider_roles
from lendingadmin.core.staff.roles import ROLES
from lendingadmin.core.staff.services import NEEDS_NO_PASSWORD
from lendingadmin.core.staff.sessions import SessionStore
from tests.conftest import PASSWORD, ClientOf
from tests.identity_provider import IdentityProvider, running_provider
from tests.roles import take_roles
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db

LOGIN, GO = "/accounts/login/", "/accounts/provider/"
BACK, CONFIRM = "/accounts/provider/callback", "/accounts/provider/confirm"
NAMED = {"provider": "Umoja account"}
GROUPS = "officers=kenya:officer, heads = kenya:manager+ghana:viewer"
AMINA = {
    "preferred_username": "amina@lender.example",
    "given_name": "Amina",
    "family_name": "Odhiambo",
    "email": "amina@lender.example",
    "email_verified": True,
    "phone_number": "+254700000001",
    "groups": ["officers", "everybody"],
}


@pytest.fixture(scope="module")
def provider() -> Iterator[IdentityProvider]:
    with running_provider() as running:
        yield running


@pytest.fixture(autouse=True)
def chosen(provider: IdentityProvider, settings: Any) -> None:
    settings.OIDC_ISSUER = provider.issuer
    settings.OIDC_NAME = "Umoja account"
    settings.OIDC_CLIENT_ID = "lendingadmin"
    settings.OIDC_CLIENT_SECRET = "the secret of the client"
    settings.OIDC_ROLES = read_provider_roles(settings.LENDING_APPS, *ROLES)(GROUPS)
    provider.set_person("s-1", **AMINA)


def find_address(page: Any) -> str:
    """Where the page that leads to the provider leads."""
    found = re.search(r'http-equiv="refresh" content="0;url=([^"]+)"', page.content.decode())
    assert found, page.content.decode()
    return unescape(found[1])


def come_back(client: Client, address: str) -> Any:
    parts = urlsplit(address)
    return client.get(parts.path, parse_qs(parts.query))


def sign_in(provider: IdentityProvider, client: Client, sub: str = "s-1", **form: str) -> Any:
    """The whole way: our form, the provider's, and what we answer."""
    return come_back(client, provider.sign_in(find_address(client.post(GO, form)), sub))


def change(address: str, **parameters: str) -> str:
    parts = urlsplit(address)
    return parts._replace(query=urlencode(dict(parse_qsl(parts.query)) | parameters)).geturl()


def roles_of(person: User) -> set[str]:
    return {str(one) for one in person.app_roles.select_related("role")}


def is_signed_in(client: Client) -> bool:
    return client.get("/accounts/profile/").status_code == 200


def amina() -> User:
    return User.objects.get(username="amina")


# What the trail says of a sign-in.
DETAILS = {
    "one step": "identity provider",
    "two steps": "identity provider with a second factor",
    "no role": "no role from the identity provider",
    "not there": "did not use the identity provider",
}


def told(answer: Any) -> str:
    """The words of the page that refuses."""
    page = answer.content.decode()
    assert "account/provider_refused.html" in [one.name for one in answer.templates], page
    return unescape(page)


def list_trail(*fields: str) -> list[Any]:
    return list(Entry.objects.order_by("id").values_list(*fields))


class TestTheFirstSignIn:
    def test_it_makes_a_person_with_the_roles_of_their_groups(
        self, provider: IdentityProvider
    ) -> None:
        client = Client()
        answer = sign_in(provider, client, next="/glossary/")
        assert answer.status_code == 302 and answer["Location"] == "/glossary/"
        assert is_signed_in(client)
        person = amina()
        assert (person.first_name, person.last_name) == ("Amina", "Odhiambo")
        assert person.email == "amina@lender.example"
        assert roles_of(person) == {"officer in kenya"}
        assert not (person.has_usable_password() or person.is_superuser or person.is_staff)
        assert list_trail("username", "action", "subject", "outcome", "detail") == [
            (
                *("system", "people", "amina", "added"),
                "roles from the identity provider (+officer in kenya)",
            ),
            ("amina", "sign-in", "amina", "done", DETAILS["one step"]),
        ]

    def test_no_claim_and_no_token_is_kept(self, provider: IdentityProvider) -> None:
        sign_in(provider, client := Client())
        account = SocialAccount.objects.get()
        assert (account.provider, account.uid) == (provider.issuer, "s-1")
        assert account.extra_data == {} and not SocialToken.objects.exists()
        kept = str([session.get_decoded() for session in Session.objects.all()])
        assert is_signed_in(client)
        for secret in ("Odhiambo", "everybody", "+2547", "code_verifier", "access_token", "eyJ"):
            assert secret not in kept

    def test_it_asks_with_pkce_state_and_nonce(self, provider: IdentityProvider) -> None:
        client = Client()
        asked = dict(parse_qsl(urlsplit(find_address(client.post(GO))).query))
        (state,) = client.session["socialaccount_states"].values()
        digest = hashlib.sha256(state[0]["pkce_code_verifier"].encode()).digest()
        assert asked["code_challenge"] == urlsafe_b64encode(digest).decode().rstrip("=")
        assert asked["code_challenge_method"] == "S256"
        assert len(asked["nonce"]) > 20 and len(asked["state"]) >= 16
        assert asked["redirect_uri"] == f"http://testserver{BACK}"
        assert "prompt" not in asked and asked["response_type"] == "code"

    def test_nobody_sends_it_further_parameters(self, provider: IdentityProvider) -> None:
        page = Client().post(f"{GO}?auth_params=prompt%3Dnone&scope=all&process=connect")
        assert "prompt" not in find_address(page) and "scope=all" not in find_address(page)

    def test_a_name_that_others_have_is_changed(
        self, provider: IdentityProvider, officer: User
    ) -> None:
        for number, wanted in enumerate(("officer", "0fficer", "system", "", "Zoë Ödön"), start=2):
            provider.set_person(f"s-{number}", preferred_username=wanted, groups="heads")
            sign_in(provider, Client(), f"s-{number}")
        found = User.objects.order_by("id").values_list("username", flat=True)
        assert list(found) == ["officer", "officer-2", "0fficer-3", "system-2", "person", "ZoeOdon"]
        assert roles_of(User.objects.get(username="person")) == {
            "manager in kenya",
            "viewer in ghana",
        }

    def test_the_e_mail_address_of_an_account_does_not_open_it(
        self, provider: IdentityProvider, manager: User
    ) -> None:
        manager.email = "manager@lender.example"
        manager.save()
        provider.set_person(
            "s-2",
            preferred_username="manager",
            email="manager@lender.example",
            email_verified=True,
            groups=["officers"],
        )
        sign_in(provider, client := Client(), "s-2")
        assert client.session["_auth_user_id"] != str(manager.pk)
        assert roles_of(manager) == {"manager in kenya", "manager in ghana"}
        assert roles_of(User.objects.get(username="manager-2")) == {"officer in kenya"}

    @pytest.mark.parametrize("groups", [["everybody"], [], None, {"officers": True}, 7])
    def test_somebody_without_a_group_of_ours_is_told_and_not_made(
        self, provider: IdentityProvider, groups: object
    ) -> None:
        provider.set_person("s-2", preferred_username="eve", groups=groups)
        answer = sign_in(provider, client := Client(), "s-2")
        assert answer.status_code == 403 and not is_signed_in(client)
        assert provider_messages.NO_ROLE % NAMED in told(answer)
        assert not User.objects.exists()
        assert list_trail("username", "subject", "outcome", "detail") == [
            ("", "", "refused", DETAILS["no role"])
        ]

    def test_an_address_that_is_not_verified_is_not_kept(self, provider: IdentityProvider) -> None:
        provider.set_person("s-1", **AMINA | {"email_verified": False})
        sign_in(provider, Client())
        assert amina().email == ""


class TestTheNextOnes:
    def test_roles_follow_the_groups(self, provider: IdentityProvider) -> None:
        sign_in(provider, Client())
        provider.set_person("s-1", **AMINA | {"groups": ["heads"], "given_name": "Other"})
        sign_in(provider, Client())
        person = amina()
        assert roles_of(person) == {"manager in kenya", "viewer in ghana"}
        assert User.objects.count() == 1 and person.first_name == "Amina"
        entry = Entry.objects.get(outcome="changed")
        assert (entry.username, entry.subject) == ("system", "amina")
        assert entry.detail == (
            "roles from the identity provider "
            "(+manager in kenya, +viewer in ghana, -officer in kenya)"
        )

    def test_what_did_not_change_is_not_recorded(self, provider: IdentityProvider) -> None:
        sign_in(provider, Client())
        sign_in(provider, Client())
        assert [outcome for (outcome,) in list_trail("outcome")] == ["added", "done", "done"]

    def test_who_lost_all_groups_loses_all_roles_and_does_not_get_in(
        self, provider: IdentityProvider
    ) -> None:
        sign_in(provider, before := Client())
        provider.set_person("s-1", **AMINA | {"groups": []})
        answer = sign_in(provider, client := Client())
        assert answer.status_code == 403 and provider_messages.NO_ROLE % NAMED in told(answer)
        assert not is_signed_in(client) and roles_of(amina()) == set()
        assert before.get("/apps/kenya/").status_code == 403

    def test_a_closed_account_stays_closed(self, provider: IdentityProvider) -> None:
        sign_in(provider, Client())
        User.objects.update(is_active=False)
        provider.set_person("s-1", **AMINA | {"groups": ["heads"]})
        answer = sign_in(provider, client := Client())
        assert answer["Location"] == "/accounts/inactive/" and not is_signed_in(client)
        assert roles_of(amina()) == {"officer in kenya"}
        assert list_trail("outcome", "detail")[-1] == ("refused", "inactive")

    def test_a_superuser_does_not_come_from_there(self, provider: IdentityProvider) -> None:
        sign_in(provider, Client())
        User.objects.update(is_superuser=True)
        answer = sign_in(provider, client := Client())
        assert answer.status_code == 403 and not is_signed_in(client)
        assert str(provider_messages.SUPERUSERS_SIGN_IN_HERE) in told(answer)

    def test_another_provider_s_people_are_others(
        self, provider: IdentityProvider, settings: Any
    ) -> None:
        account = SocialAccount(provider="https://id.example.com", uid="s-1")
        account.user = User.objects.create_user("before")
        account.save()
        sign_in(provider, client := Client())
        assert client.session["_auth_user_id"] == str(amina().pk)

    def test_signing_out_ends_the_session_here(self, provider: IdentityProvider) -> None:
        sign_in(provider, client := Client())
        client.post("/accounts/logout/")
        assert not is_signed_in(client)

    def test_who_is_signed_in_as_somebody_else_is_signed_out_first(
        self, provider: IdentityProvider, client_of: ClientOf, viewer: User
    ) -> None:
        client = client_of(viewer)
        sign_in(provider, client)
        assert client.session["_auth_user_id"] == str(amina().pk)


class TestWhatIsNoAnswerToUs:
    def test_another_state(self, provider: IdentityProvider) -> None:
        client = Client()
        address = provider.sign_in(find_address(client.post(GO)), "s-1")
        answer = come_back(client, change(address, state="0123456789abcdef"))
        assert answer.status_code == 401 and str(provider_messages.NOT_FINISHED) in told(answer)
        assert not is_signed_in(client) and not User.objects.exists()

    def test_the_state_of_another_browser(self, provider: IdentityProvider) -> None:
        address = provider.sign_in(find_address(Client().post(GO)), "s-1")
        client = Client()
        assert come_back(client, address).status_code == 401 and not is_signed_in(client)

    def test_an_answer_counts_once(self, provider: IdentityProvider) -> None:
        client = Client()
        address = provider.sign_in(find_address(client.post(GO)), "s-1")
        assert come_back(client, address).status_code == 302
        client.post("/accounts/logout/")
        assert come_back(client, address).status_code == 401 and not is_signed_in(client)

    def test_another_nonce(self, provider: IdentityProvider) -> None:
        client = Client()
        asked = change(find_address(client.post(GO)), nonce="of-another-question")
        answer = come_back(client, provider.sign_in(asked, "s-1"))
        assert answer.status_code == 401 and str(provider_messages.NOT_FINISHED) in told(answer)
        assert not is_signed_in(client) and not User.objects.exists()

    def test_a_token_for_another_client(self, provider: IdentityProvider, settings: Any) -> None:
        client = Client()
        asked = change(find_address(client.post(GO)), client_id="another")
        assert come_back(client, provider.sign_in(asked, "s-1")).status_code == 401
        assert not is_signed_in(client)

    def test_a_code_of_nobody(self, provider: IdentityProvider) -> None:
        client = Client()
        address = provider.sign_in(find_address(client.post(GO)), "s-1")
        assert come_back(client, change(address, code="none")).status_code == 401

    def test_a_sign_in_that_was_cancelled_there(self, provider: IdentityProvider) -> None:
        client = Client()
        state = dict(parse_qsl(find_address(client.post(GO))))["state"]
        answer = client.get(BACK, {"state": state, "error": "access_denied"})
        assert answer.status_code == 401
        assert provider_messages.CANCELLED % NAMED in told(answer)

    @pytest.mark.parametrize(
        ("wrong", "status"),
        [
            ({}, 302),
            ({"iss": "https://other.example.com"}, 401),
            ({"aud": "another"}, 401),
            ({"exp": 1000}, 401),
            ({"exp": None}, 401),
            ({"exp": float("inf")}, 401),
            ({"exp": "9999999999"}, 401),
            ({"iat": float("-inf")}, 401),
            ({"nbf": float("nan")}, 401),
            ({"auth_time": float("inf")}, 401),
            ({"auth_time": float("nan")}, 401),
            ({"auth_time": "now"}, 302),
            ({"auth_time": 1000.5}, 302),
            ({"azp": "another"}, 401),
            ({"azp": "lendingadmin"}, 302),
            ({"aud": ["lendingadmin", "another"], "azp": "another"}, 401),
            ({"nonce": None}, 401),
            ({"sub": ""}, 401),
            ({"sub": "x" * 191}, 302),
            ({"sub": "x" * 192}, 401),
            ({"sub": "a\x00b"}, 401),
            ({"sub": "zoë"}, 401),
        ],
    )
    def test_each_claim_of_the_token_is_checked(
        self,
        provider: IdentityProvider,
        wrong: dict[str, object],
        status: int,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        client = Client()
        asked = find_address(client.post(GO))
        claims = {
            "iss": provider.issuer,
            "aud": "lendingadmin",
            "exp": time.time() + 60,
            "sub": "s-9",
            "groups": ["heads"],
            "nonce": dict(parse_qsl(urlsplit(asked).query))["nonce"],
        }

        def answer_with(adapter: Any, *_: object, **__: object) -> dict[str, str]:
            adapter.did_fetch_access_token = True
            said = {name: value for name, value in (claims | wrong).items() if value is not None}
            return {"access_token": "x", "id_token": jwt.encode(said, "k" * 32)}

        where, sub = "lendingadmin.core.staff.provider.ClaimsAdapter", (claims | wrong)["sub"]
        monkeypatch.setattr(f"{where}.get_access_token_data", answer_with)
        monkeypatch.setattr(f"{where}._fetch_user_info", lambda *_: {"sub": sub})
        assert come_back(client, provider.sign_in(asked, "s-1")).status_code == status
        assert User.objects.count() == (status == 302)

    def test_an_answer_without_an_id_token(
        self, provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        where = "lendingadmin.core.staff.provider.ClaimsAdapter.get_access_token_data"
        monkeypatch.setattr(where, lambda *_, **__: {"access_token": "x"})
        assert sign_in(provider, Client()).status_code == 401

    def test_a_person_who_is_made_twice_at_once(
        self, provider: IdentityProvider, officer: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        where = "lendingadmin.core.staff.provided_people.make_distinct"
        monkeypatch.setattr(where, lambda *_: "officer")
        assert sign_in(provider, Client()).status_code == 401
        assert not SocialAccount.objects.exists()

    def test_it_leads_nowhere_else(self, provider: IdentityProvider) -> None:
        answer = sign_in(provider, Client(), next="https://evil.example.com/")
        assert answer["Location"] == "/"

    def test_claims_about_another_person(
        self, provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        where = "lendingadmin.core.staff.provider.ClaimsAdapter._fetch_user_info"
        monkeypatch.setattr(where, lambda *_: {"sub": "s-2", "groups": ["heads"]})
        assert sign_in(provider, Client()).status_code == 401
        assert not User.objects.exists()


class TestTheProviderIsNotAsItShouldBe:
    def test_it_is_gone(self, settings: Any) -> None:
        settings.OIDC_ISSUER = "http://127.0.0.1:9"
        answer = Client().post(GO)
        assert answer.status_code == 503
        assert provider_messages.NO_ANSWER % NAMED in told(answer)

    def test_it_goes_while_somebody_signs_in(
        self, provider: IdentityProvider, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        client = Client()
        address = provider.sign_in(find_address(client.post(GO)), "s-1")
        where = "lendingadmin.core.staff.provider.LenderProvider.wk_server_url"
        monkeypatch.setattr(where, lambda *_: "http://127.0.0.1:9")
        answer = come_back(client, address)
        assert answer.status_code == 503 and provider_messages.NO_ANSWER % NAMED in told(answer)

    @pytest.mark.parametrize(
        "wrong",
        [
            {"issuer": "https://other.example.com"},
            {"token_endpoint": "ftp://id.example.com/token"},
            {"authorization_endpoint": "javascript:alert(1)"},
            {"token_endpoint": 7},
            {"userinfo_endpoint": "ftp://id.example.com/userinfo"},
            {"issuer": None},
        ],
    )
    def test_what_it_publishes_is_wrong(
        self, wrong: dict[str, object], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        overrides = {"openid_configuration_overrides": wrong}
        where = "lendingadmin.core.staff.provider.SocialApp.__init__"
        made = SocialAccount._meta.apps.get_model("socialaccount", "SocialApp").__init__

        def make(app: Any, *args: Any, settings: Any = None, **options: Any) -> None:
            made(app, *args, settings=settings | overrides, **options)

        monkeypatch.setattr(where, make)
        answer = Client().post(GO)
        assert answer.status_code == 401 and str(provider_messages.NOT_FINISHED) in told(answer)

    def test_a_redirect_of_its_is_not_followed(self, settings: Any) -> None:
        asked: list[str] = []

        class Redirecting(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                self.send_response(307)
                self.send_header("Location", "/elsewhere")
                self.end_headers()

        server = HTTPServer(("127.0.0.1", 0), Redirecting)
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            settings.OIDC_ISSUER = f"http://127.0.0.1:{server.server_port}"
            assert Client().post(GO).status_code == 503
        finally:
            server.shutdown()
        assert asked == ["/.well-known/openid-configuration"]

    def test_no_secret_and_no_claim_is_logged(
        self, provider: IdentityProvider, caplog: pytest.LogCaptureFixture
    ) -> None:
        caplog.set_level("DEBUG")
        client = Client()
        address = provider.sign_in(find_address(client.post(GO)), "s-1")
        come_back(client, change(address, code="none"))
        sign_in(provider, Client())
        assert "sign-in by the identity provider: OAuth2Error" in caplog.text
        asked = change(find_address(client.post(GO)), nonce="of-another-question")
        come_back(client, provider.sign_in(asked, "s-1"))
        assert "provider: the token is the answer to another request" in caplog.text
        ours = [one.getMessage() for one in caplog.records if not one.name.startswith("urllib3")]
        for secret in ("Odhiambo", "s-1", "secret of", "code=", "eyJ", "another-question"):
            assert secret not in "\n".join(ours)


class TestWithoutLocalSignIn:
    @pytest.fixture(autouse=True)
    def off(self, settings: Any) -> None:
        settings.LOCAL_SIGN_IN = False

    def test_the_page_shows_the_provider_alone(self) -> None:
        answer = Client().get(LOGIN)
        page = answer.content.decode()
        assert f'action="{GO}"' in page and answer.context["provider"] == NAMED["provider"]
        assert 'type="password"' not in page and "passkey" not in page
        assert 'data-finding="forgotten"' not in page

    def test_a_password_is_not_even_looked_at(self, officer: User) -> None:
        client = Client()
        answer = client.post(LOGIN, {"login": "officer", "password": PASSWORD})
        assert answer.status_code == 404 and not is_signed_in(client)
        assert not Entry.objects.exists()

    def test_nothing_else_of_here_opens_it_either(self, officer: User, rf: RequestFactory) -> None:
        request = rf.post("/accounts/2fa/webauthn/login/")
        request.user, request.session = AnonymousUser(), SessionStore()
        answer = perform_login(request, Login(user=officer))
        assert answer.status_code == 403 and SESSION_KEY not in request.session

    def test_nobody_gets_a_password(self, client_of: ClientOf, manager: User) -> None:
        client = client_of(manager)
        assert client.get("/people/new").status_code == 404
        assert client.post(f"/people/{manager.pk}/set-up-link").status_code == 404
        assert client.get("/accounts/password/change/").status_code == 404
        assert client.get("/accounts/set-up/MQ/no/").status_code == 404
        assert "/people/new" not in client.get("/people/").content.decode()
        assert "set-up-link" not in client.get(f"/people/{manager.pk}/").content.decode()

    def test_signing_in_by_the_provider_works(self, provider: IdentityProvider) -> None:
        sign_in(provider, client := Client())
        assert is_signed_in(client)


def test_local_people_sign_in_as_before(officer: User) -> None:
    client = Client()
    page = client.get(LOGIN).content.decode()
    assert f'action="{GO}"' in page and 'type="password"' in page
    client.post(LOGIN, {"login": "officer", "password": PASSWORD})
    assert is_signed_in(client)


def test_without_a_provider_there_is_nothing_of_it(
    settings: Any, client_of: ClientOf, officer: User
) -> None:
    settings.OIDC_ISSUER = ""
    assert "Umoja account" not in Client().get(LOGIN).content.decode()
    assert Client().post(GO).status_code == 404
    assert Client().get(BACK).status_code == 404
    assert client_of(officer).get(CONFIRM).status_code == 404


def test_a_link_from_elsewhere_begins_no_sign_in() -> None:
    assert Client().get(GO).status_code == 405
    assert Client(enforce_csrf_checks=True).post(GO).status_code == 403


@pytest.mark.parametrize("path", ["connections/", "social/signup/", "oidc/x/login/callback/"])
def test_allauth_s_own_addresses_are_not_there(path: str) -> None:
    assert Client().get(f"/accounts/{path}").status_code == 404


def test_it_is_throttled(provider: IdentityProvider, settings: Any) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"login": "2/m/ip", "reauthenticate": "1/m/user"}
    cache.clear()
    sign_in(provider, client := Client())
    assert client.post(CONFIRM).status_code == 200
    assert client.post(CONFIRM).status_code == 429
    assert Client().post(GO).status_code == 200
    assert Client().post(GO).status_code == 429
    cache.clear()


class TestConfirming:
    @pytest.fixture
    def head(self, provider: IdentityProvider) -> Client:
        """A manager who signed in at the provider this morning, and here just now."""
        provider.set_person("s-1", **AMINA | {"groups": ["heads"], "auth_time": 1000})
        sign_in(provider, client := Client())
        return client

    def confirm(
        self, provider: IdentityProvider, client: Client, *, sub: str = "s-1", ago: float = 0
    ) -> Any:
        claims = AMINA | {"groups": ["heads"], "auth_time": int(time.time() - ago)}
        provider.set_person(sub, **claims)
        page = client.post(CONFIRM, {"next": "/people/new"})
        return come_back(client, provider.sign_in(find_address(page), sub))

    def test_what_is_sensitive_asks_for_it_and_leads_back(
        self, provider: IdentityProvider, head: Client
    ) -> None:
        answer = head.get("/people/new")
        assert answer["Location"] == f"{CONFIRM}?next=/people/new"
        asked = head.get(answer["Location"])
        page = asked.content.decode()
        assert f'action="{CONFIRM}"' in page and asked.context["provider"] == NAMED["provider"]
        assert 'value="/people/new"' in page
        before = head.session.session_key
        answer = self.confirm(provider, head)
        assert answer["Location"] == "/people/new" and head.session.session_key != before
        assert head.get("/people/new").status_code == 200

    def test_the_provider_is_asked_to_ask(self, head: Client) -> None:
        asked = dict(parse_qsl(find_address(head.post(CONFIRM))))
        assert (asked["prompt"], asked["max_age"]) == ("login", "0")

    def test_an_old_sign_in_there_confirms_nothing(
        self, provider: IdentityProvider, head: Client
    ) -> None:
        answer = self.confirm(provider, head, ago=200)
        assert answer.status_code == 403
        assert provider_messages.NOT_ASKED_AGAIN % NAMED in told(answer)
        assert head.get("/people/new").status_code == 302 and is_signed_in(head)

    def test_nor_does_somebody_else(self, provider: IdentityProvider, head: Client) -> None:
        answer = self.confirm(provider, head, sub="s-2")
        assert answer.status_code == 403 and str(provider_messages.ANOTHER_PERSON) in told(answer)
        assert head.get("/people/new").status_code == 302
        assert User.objects.count() == 1

    def test_a_fresh_sign_in_there_needs_none(self, provider: IdentityProvider) -> None:
        claims = AMINA | {"groups": ["heads"], "auth_time": int(time.time())}
        provider.set_person("s-1", **claims)
        sign_in(provider, client := Client())
        assert client.get("/people/new").status_code == 200

    def test_a_time_to_come_counts_as_now(self, provider: IdentityProvider) -> None:
        claims = AMINA | {"groups": ["heads"], "auth_time": int(time.time()) + 10**6}
        provider.set_person("s-1", **claims)
        sign_in(provider, client := Client())
        (record,) = client.session["account_authentication_methods"]
        assert record["at"] <= time.time()

    def test_a_time_that_is_not_told_confirms_nothing(
        self, provider: IdentityProvider, head: Client
    ) -> None:
        provider.set_person("s-1", **AMINA | {"groups": ["heads"], "auth_time": None})
        page = head.post(CONFIRM)
        answer = come_back(head, provider.sign_in(find_address(page), "s-1"))
        assert answer.status_code == 403

    def test_a_factor_here_is_added_after_it_alone(
        self, provider: IdentityProvider, head: Client
    ) -> None:
        activate = "/accounts/2fa/totp/activate/"
        assert head.get("/accounts/2fa/").status_code == 200
        assert head.get(activate)["Location"] == f"{CONFIRM}?next={activate}"
        assert head.post(activate)["Location"].startswith(CONFIRM)
        self.confirm(provider, head)
        assert head.get(activate).status_code == 200

    def test_who_has_a_factor_here_confirms_with_it(
        self, provider: IdentityProvider, head: Client
    ) -> None:
        totp.TOTP.activate(amina(), totp.generate_totp_secret())
        assert head.get("/people/new")["Location"].startswith("/accounts/2fa/reauthenticate/")

    def test_there_is_no_password_to_change(self, head: Client) -> None:
        assert head.get("/accounts/password/change/").status_code == 404
        page = head.get("/accounts/profile/").content.decode()
        assert "/accounts/password/change/" not in page


class TestTwoStep:
    @pytest.fixture(autouse=True)
    def required(self, settings: Any) -> None:
        settings.TWO_STEP_ROLES = ["officer"]

    @pytest.mark.parametrize("amr", [["pwd", "otp"], ["mfa"], ["hwk"]])
    def test_two_steps_at_the_provider_are_enough(
        self, provider: IdentityProvider, amr: list[str]
    ) -> None:
        provider.set_person("s-1", **AMINA | {"amr": amr})
        sign_in(provider, client := Client())
        assert amina().two_step_due_at is None
        assert list_trail("detail")[-1] == (DETAILS["two steps"],)
        User.objects.update(two_step_due_at=timezone.now())
        assert client.get("/apps/kenya/").status_code == 200

    @pytest.mark.parametrize("amr", [None, ["pwd"], ["sms"], "mfa"])
    def test_one_step_is_not(self, provider: IdentityProvider, amr: object) -> None:
        provider.set_person("s-1", **AMINA | {"amr": amr})
        sign_in(provider, client := Client())
        assert amina().two_step_due_at is not None
        User.objects.update(two_step_due_at=timezone.now())
        assert client.get("/apps/kenya/")["Location"] == "/accounts/2fa/?next=/apps/kenya/"

    def test_who_must_set_one_up_here_can_confirm_for_it(self, provider: IdentityProvider) -> None:
        provider.set_person("s-1", **AMINA | {"auth_time": 1000})
        sign_in(provider, client := Client())
        User.objects.update(two_step_due_at=timezone.now())
        activate = "/accounts/2fa/totp/activate/"
        page = client.get(activate)["Location"]
        assert page == f"{CONFIRM}?next={activate}" and client.get(page).status_code == 200
        provider.set_person("s-1", **AMINA)
        address = provider.sign_in(find_address(client.post(CONFIRM, {"next": activate})), "s-1")
        assert come_back(client, address)["Location"] == activate
        assert client.get(activate).status_code == 200

    def test_a_factor_here_is_asked_for(self, provider: IdentityProvider) -> None:
        sign_in(provider, Client())
        totp.TOTP.activate(amina(), totp.generate_totp_secret())
        answer = sign_in(provider, client := Client())
        assert answer["Location"] == "/accounts/2fa/authenticate/" and not is_signed_in(client)


class TestWhoIsProvided:
    @pytest.fixture
    def person(self, provider: IdentityProvider) -> User:
        sign_in(provider, Client())
        return amina()

    def test_a_manager_reads_who_decides_the_roles(
        self, person: User, client_of: ClientOf, manager: User
    ) -> None:
        client = client_of(manager)
        answer = client.get(f"/people/{person.pk}/")
        page = answer.content.decode()
        assert list_marks(answer, "finding") == ["roles-by-provider"]
        assert 'name="roles"' not in page
        assert "set-up-link" not in page and f"<dd>{NAMED['provider']}</dd>" in page
        assert list_marks(client.get("/people/"), "state") == []

    def test_a_manager_changes_the_name_and_no_role(
        self, person: User, client_of: ClientOf, manager: User
    ) -> None:
        form = {"first_name": "Aminah", "last_name": "", "email": "", "roles": []}
        assert client_of(manager).post(f"/people/{person.pk}/", form).status_code == 302
        assert amina().first_name == "Aminah" and roles_of(amina()) == {"officer in kenya"}

    def test_there_is_no_set_up_link(
        self, person: User, client_of: ClientOf, manager: User
    ) -> None:
        answer = client_of(manager).post(f"/people/{person.pk}/set-up-link", follow=True)
        assert NEEDS_NO_PASSWORD % NAMED in answer.content.decode()
        assert amina().setup_link_at is None

    def test_a_password_here_opens_nothing(self, person: User) -> None:
        person.set_password(PASSWORD)
        person.save()
        client = Client()
        answer = client.post(LOGIN, {"login": "amina", "password": PASSWORD})
        assert answer.status_code == 403 and provider_messages.SIGN_IN_THERE % NAMED in told(answer)
        assert not is_signed_in(client)
        assert list_trail("subject", "outcome", "detail")[-1] == (
            *("amina", "refused"),
            DETAILS["not there"],
        )

    def test_without_the_provider_they_are_like_others(
        self, person: User, client_of: ClientOf, manager: User, settings: Any
    ) -> None:
        settings.OIDC_ISSUER = ""
        take_roles(person)
        page = client_of(manager).get(f"/people/{person.pk}/").content.decode()
        assert 'name="roles"' in page and "set-up-link" in page


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("a=kenya:viewer", {"a": [("kenya", "viewer")]}),
        (
            "/lender/a=b = kenya:viewer + ghana:officer ,",
            {"/lender/a=b": [("kenya", "viewer"), ("ghana", "officer")]},
        ),
    ],
)
def test_the_setting(text: str, found: dict[str, Any], settings: Any) -> None:
    assert read_provider_roles(settings.LENDING_APPS, *ROLES)(text) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("officers", "as group=app:role"),
        ("=kenya:officer", "as group=app:role"),
        (",", "as group=app:role"),
        ("a=kenya:officer,a=ghana:officer", "each group once"),
        ("a=", "is not an app of LENDING_APPS"),
        ("a=tanzania:officer", "“tanzania” of “tanzania:officer” is not an app of LENDING_APPS"),
        ("a=kenya:superuser", "“superuser” of “kenya:superuser” is not one of: viewer, officer"),
        ("a=kenya", "“” of “kenya” is not one of"),
    ],
)
def test_a_setting_that_is_refused(text: str, said: str, settings: Any) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        read_provider_roles(settings.LENDING_APPS, *ROLES)(text)
