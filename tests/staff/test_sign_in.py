"""Signing in and out through allauth: what works, what is throttled, what the trail keeps."""

from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth as totp
from django.core.cache import cache
from django.core.exceptions import NON_FIELD_ERRORS
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from tests.conftest import PASSWORD, confirm
from tests.totp import make_code

LOGIN = "/accounts/login/"
# What the trail says of one that is refused.
DETAILS = {
    "password": "wrong password",
    "nobody": "no such user name",
    "factor": "wrong second factor",
}


@pytest.fixture(autouse=True)
def fresh_throttle(db: None) -> None:
    cache.clear()


def sign_in(client: Client, username: str, password: str = PASSWORD, **more: Any) -> Any:
    return client.post(LOGIN, {"login": username, "password": password}, **more)


def signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def trail() -> list[tuple[str, str, str, str, str]]:
    columns = ("username", "action", "subject", "outcome", "detail")
    return list(Entry.objects.order_by("id").values_list(*columns))


def test_signing_in_and_out_is_written_down(client: Client, support: User) -> None:
    assert sign_in(client, "support")["Location"] == "/"
    assert signed_in(client)
    client.post("/accounts/logout/")
    assert not signed_in(client)
    assert trail() == [
        ("support", "sign-in", "support", "done", "password"),
        ("support", "sign-out", "support", "done", ""),
    ]
    assert Entry.objects.first().role == "support"


def test_signing_in_leads_back_to_the_page(client: Client, support: User) -> None:
    answer = client.post(
        LOGIN, {"login": "support", "password": PASSWORD, "next": "/apps/kenya/loans/7/"}
    )
    assert answer["Location"] == "/apps/kenya/loans/7/"


def test_signing_in_never_leads_elsewhere(client: Client, support: User) -> None:
    form = {"login": "support", "password": PASSWORD, "next": "https://evil.example/"}
    assert "evil" not in client.post(LOGIN, form)["Location"]


def test_signing_out_takes_a_post(client: Client, support: User) -> None:
    client.force_login(support)
    client.get("/accounts/logout/")
    assert signed_in(client)


def test_a_wrong_password_is_written_down_without_it(client: Client, support: User) -> None:
    sign_in(client, "SUPPORT", "hunter2")
    assert not signed_in(client)
    assert trail() == [("", "sign-in", "support", "refused", DETAILS["password"])]


def test_a_name_that_nobody_has_is_not_repeated_it_may_be_a_password(client: Client) -> None:
    sign_in(client, "hunter2", "x")
    assert trail() == [("", "sign-in", "", "refused", DETAILS["nobody"])]


def test_the_page_says_the_same_for_a_wrong_name_and_a_wrong_password(
    client: Client, support: User
) -> None:
    pages = [
        sign_in(client, name, "wrong").context["form"].errors.as_json()
        for name in ("support", "nobody")
    ]
    assert pages[0] == pages[1]


def test_somebody_deactivated_does_not_get_in(client: Client, support: User) -> None:
    User.objects.filter(pk=support.pk).update(is_active=False)
    sign_in(client, "support")
    assert not signed_in(client)
    assert not Entry.objects.filter(outcome="done").exists()


def test_after_five_wrong_passwords_even_the_right_one_waits(client: Client, support: User) -> None:
    for _ in range(5):
        sign_in(client, "support", "wrong")
    answer = sign_in(client, "support")
    assert not signed_in(client)
    assert answer.context["form"].has_error(NON_FIELD_ERRORS, "too_many_login_attempts")


def test_one_address_trying_many_names_waits_too(client: Client, support: User) -> None:
    for number in range(60):
        sign_in(client, f"nobody{number}", "wrong")
    sign_in(client, "support")
    assert not signed_in(client)
    assert Entry.objects.filter(outcome="refused").count() == 60


def test_nobody_signs_up(client: Client) -> None:
    form = {"username": "ann", "password1": "orange fjord 71", "password2": "orange fjord 71"}
    assert client.get("/accounts/signup/").templates[0].name == "account/signup_closed.html"
    client.post("/accounts/signup/", form)
    assert not User.objects.exists()


@pytest.mark.parametrize("page", ["email/", "password/reset/", "login/code/", "confirm-email/"])
def test_what_needs_mail_is_not_there(page: str, client: Client, support: User) -> None:
    assert client.get(f"/accounts/{page}").status_code == 404


def test_changing_ones_password_is_written_down(client: Client, support: User) -> None:
    sign_in(client, "support")
    form = {"oldpassword": PASSWORD, "password1": "orange fjord 71", "password2": "orange fjord 71"}
    assert client.post("/accounts/password/change/", form).status_code == 302
    assert trail()[-1] == ("support", "password", "support", "changed", "")
    assert signed_in(client)


class TestSecondFactor:
    @pytest.fixture
    def secret(self, support: User) -> str:
        secret = totp.generate_totp_secret()
        totp.TOTP.activate(support, secret)
        RecoveryCodes.activate(support)
        return secret

    def test_the_secret_is_stored_sealed(self, support: User, secret: str) -> None:
        for factor in Authenticator.objects.filter(user=support):
            assert secret not in str(factor.data)
            if "secret" in factor.data:
                assert factor.data["secret"].startswith("gAAAA")

    def test_the_password_alone_is_not_enough(
        self, client: Client, support: User, secret: str
    ) -> None:
        assert sign_in(client, "support")["Location"] == "/accounts/2fa/authenticate/"
        assert not signed_in(client)
        assert trail() == []

    def test_with_the_code_one_is_in(self, client: Client, support: User, secret: str) -> None:
        sign_in(client, "support")
        code = make_code(secret)
        client.post("/accounts/2fa/authenticate/", {"code": code})
        assert signed_in(client)
        assert trail()[-1] == ("support", "sign-in", "support", "done", "password, totp")

    def test_a_wrong_code_is_written_down(self, client: Client, support: User, secret: str) -> None:
        sign_in(client, "support")
        client.post("/accounts/2fa/authenticate/", {"code": "000000"})
        assert not signed_in(client)
        assert trail() == [("", "sign-in", "support", "refused", DETAILS["factor"])]

    def test_setting_one_up_asks_for_the_password_again(
        self, client: Client, support: User
    ) -> None:
        client.force_login(support)
        answer = client.get("/accounts/2fa/totp/activate/")
        assert answer["Location"].startswith("/accounts/reauthenticate/")

    def test_a_manager_removes_a_lost_one(
        self, client: Client, manager: User, support: User, secret: str
    ) -> None:
        client.force_login(manager)
        confirm(client, manager)
        client.post(f"/people/{support.pk}/two-step/remove")
        assert not Authenticator.objects.filter(user=support).exists()
        assert trail()[-1] == ("manager", "people.secondFactor", "support", "removed", "")


def test_a_user_name_is_called_so_where_it_is_typed(client: Client) -> None:
    html = client.get("/accounts/login/").content.decode()
    assert "User name" in html and "Username" not in html
