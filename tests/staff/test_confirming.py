"""An open session is not enough: what changes people or decides about money asks who it is."""

import time
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal import auth as totp
from django.conf import settings
from django.test import Client
from django.urls import get_resolver

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.web.access import routes, rule_of
from tests.conftest import PASSWORD, ClientOf
from tests.repayments.rows import row
from tests.totp import make_code
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db

CHOSEN = "seven green kettles whistle"
BY_PASSWORD, BY_FACTOR = "/accounts/reauthenticate/", "/accounts/2fa/reauthenticate/"
RECORDS = "account_authentication_methods"


@pytest.fixture
def stale(client_of: ClientOf, manager: User) -> Client:
    """The browser of a manager who signed in six minutes ago."""
    client = client_of(manager)
    grow_old(client)
    return client


def grow_old(
    client: Client, seconds: float = settings.ACCOUNT_REAUTHENTICATION_TIMEOUT + 60
) -> None:
    session = client.session
    session[RECORDS] = [one | {"at": time.time() - seconds} for one in session[RECORDS]]
    session.save()


def test_what_asks_who_it_is() -> None:
    asked = {
        (route, *sorted(rule.confirmed - {"HEAD"}))
        for route, view in routes(get_resolver().url_patterns)
        if (rule := rule_of(view)) and rule.confirmed
    }
    app, person = "apps/<slug:app_id>/", "people/<int:number>/"
    assert asked == {
        ("people/new", "GET", "POST"),
        ("accounts/profile/sessions/end", "POST"),
        (person, "POST"),
        (f"{person}set-up-link", "POST"),
        (f"{person}password/require", "POST"),
        (f"{person}sessions/end", "POST"),
        (f"{person}two-step/remove", "POST"),
        (f"{person}changes/<int:change>/approve", "POST"),
        (f"{person}changes/<int:change>/decline", "POST"),
        (f"{person}deactivate", "POST"),
        (f"{person}reactivate", "POST"),
        (f"{app}loans/<key:account_id>/repayments/<slug:idempotency_key>/confirm", "GET", "POST"),
        (f"{app}repayments/<int:number>/approve", "GET", "POST"),
        (f"{app}borrowers/<key:borrower_id>/kept.json", "GET"),
        (f"{app}statements/<int:number>/batch/record", "GET", "POST"),
        (f"{app}statements/<int:number>/batch/approve", "GET", "POST"),
        (f"{app}settings/<slug:key>/<int:number>/decide", "POST"),
        (f"{app}repayments/<int:number>/resolve", "POST"),
        (f"{app}repayments/<int:number>/set-aside", "POST"),
        (f"{app}writes/<slug:idempotency_key>/resolve", "POST"),
        (f"{app}loans/<key:account_id>/delete", "GET", "POST"),
        (f"{app}borrowers/<key:borrower_id>/delete", "GET", "POST"),
    }


def test_nobody_is_changed_before_it_and_the_way_leads_back(stale: Client, viewer: User) -> None:
    page = f"/people/{viewer.pk}/"
    answer = stale.post(f"{page}deactivate", headers={"Referer": f"http://testserver{page}"})
    assert answer["Location"] == f"{BY_PASSWORD}?next={page}"
    assert User.objects.get(pk=viewer.pk).is_active
    asked = stale.get(answer["Location"])
    assert list_marks(asked, "finding") == ["confirm-first"]
    assert stale.post(BY_PASSWORD, {"password": "wrong", "next": page}).status_code == 200
    assert stale.post(f"{page}deactivate").status_code == 302
    assert User.objects.get(pk=viewer.pk).is_active
    answer = stale.post(BY_PASSWORD, {"password": PASSWORD, "next": page})
    assert answer["Location"] == page
    stale.post(f"{page}deactivate")
    assert not User.objects.get(pk=viewer.pk).is_active


def test_looking_asks_nothing(stale: Client, viewer: User) -> None:
    for path in ("/people/", f"/people/{viewer.pk}/", "/audit/", "/apps/kenya/"):
        assert stale.get(path).status_code == 200, path
    assert stale.get("/people/new")["Location"] == f"{BY_PASSWORD}?next=/people/new"


def test_a_fragment_leaves_the_page_for_it(stale: Client) -> None:
    here = {"HX-Request": "true", "HX-Current-URL": "http://testserver/people/"}
    assert stale.get("/people/new", headers=here)["HX-Redirect"] == f"{BY_PASSWORD}?next=/people/"


def test_a_sign_in_counts_for_five_minutes(client: Client, manager: User) -> None:
    client.post("/accounts/login/", {"login": "manager", "password": PASSWORD})
    assert client.get("/people/new").status_code == 200
    grow_old(client, settings.ACCOUNT_REAUTHENTICATION_TIMEOUT - 10)
    assert client.get("/people/new").status_code == 200
    grow_old(client)
    assert client.get("/people/new").status_code == 302


def test_who_has_a_second_factor_gives_that(client_of: ClientOf, manager: User) -> None:
    secret = totp.generate_totp_secret()
    totp.TOTP.activate(manager, secret)
    client = client_of(manager)
    grow_old(client)
    page = "/people/new"
    assert client.get(page)["Location"] == f"{BY_FACTOR}?next={page}"
    client.post(BY_PASSWORD, {"password": PASSWORD, "next": page})
    assert client.get(page).status_code == 302
    code = make_code(secret)
    assert client.post(BY_FACTOR, {"code": code, "next": page})["Location"] == page
    assert client.get(page).status_code == 200


def give_code(client: Client, secret: str, page: str) -> None:
    code = make_code(secret)
    assert client.post(BY_FACTOR, {"code": code, "next": page})["Location"] == page


@pytest.mark.parametrize(
    "page",
    [
        "/accounts/2fa/totp/deactivate/",
        "/accounts/2fa/recovery-codes/",
        "/accounts/2fa/recovery-codes/generate/",
        "/accounts/2fa/recovery-codes/download/",
        "/accounts/2fa/webauthn/add/",
        "/accounts/2fa/webauthn/keys/1/remove/",
        "/accounts/2fa/webauthn/keys/1/edit/",
        "/accounts/password/change/",
    ],
)
def test_one_s_own_factors_codes_and_password_ask_for_the_factor(
    client_of: ClientOf, manager: User, page: str
) -> None:
    secret = totp.generate_totp_secret()
    totp.TOTP.activate(manager, secret)
    codes = RecoveryCodes.activate(manager)
    client = client_of(manager)
    grow_old(client)
    client.post(BY_PASSWORD, {"password": PASSWORD, "next": page})
    for answer in (client.get(page), client.post(page)):
        assert answer.status_code == 302 and answer["Location"].startswith(f"{BY_FACTOR}?")
    assert Authenticator.objects.filter(user=manager).count() == 2
    newer = {"oldpassword": PASSWORD, "password1": CHOSEN, "password2": CHOSEN}
    client.post(page, newer)
    assert User.objects.get(pk=manager.pk).check_password(PASSWORD)
    unused = codes.get_unused_codes()
    assert not any(code in client.get(page, follow=True).content.decode() for code in unused)
    give_code(client, secret, page)
    # This person has no security key: its pages are not there.
    assert client.get(page).status_code == (404 if "/keys/" in page else 200)


def test_without_a_second_factor_the_password_is_enough(client_of: ClientOf, viewer: User) -> None:
    client = client_of(viewer)
    grow_old(client)
    page = "/accounts/password/change/"
    assert client.get(page).status_code == 200
    client.post(page, {"oldpassword": PASSWORD, "password1": CHOSEN, "password2": CHOSEN})
    assert User.objects.get(pk=viewer.pk).check_password(CHOSEN)


def test_the_factor_is_asked_of_a_person_who_must_choose_a_password(
    client_of: ClientOf, manager: User
) -> None:
    secret = totp.generate_totp_secret()
    totp.TOTP.activate(manager, secret)
    client = client_of(manager)
    grow_old(client)
    User.objects.filter(pk=manager.pk).update(must_choose_password=True)
    page = client.get("/apps/kenya/")["Location"]
    asked = client.get(page)["Location"]
    assert asked.startswith(BY_FACTOR) and client.get(asked).status_code == 200
    give_code(client, secret, page)
    assert client.get(page).status_code == 200


def test_money_is_decided_about_after_it(stale: Client, support: User) -> None:
    repayment = row(support, state="unknown")
    form: dict[str, Any] = {"resolution": "not_saved", "reason": "seen"}
    answer = stale.post(f"/apps/kenya/repayments/{repayment.pk}/resolve", form)
    assert answer["Location"].startswith(BY_PASSWORD)
    assert Repayment.objects.get(pk=repayment.pk).state == "unknown"
