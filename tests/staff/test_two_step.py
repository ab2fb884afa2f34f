"""Who must have a second factor gets some days for it, and then works no further without one."""

from datetime import timedelta
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.test import Client
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.two_step import is_required_of
from tests.conftest import PASSWORD, ClientOf
from tests.roles import give_roles, take_roles
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db

HOME, TWO_STEP = "/apps/kenya/", "/accounts/2fa/"


@pytest.fixture(autouse=True)
def required(settings: Any) -> None:
    settings.TWO_STEP_ROLES = ["manager", "support"]
    settings.TWO_STEP_GRACE = timedelta(days=7)


def sign_in(name: str) -> tuple[Client, str]:
    """A browser in which somebody signs in, and the page that they come to."""
    client = Client()
    form = {"login": name, "password": PASSWORD}
    return client, client.post("/accounts/login/", form, follow=True).content.decode()


def due(person: User, days: float) -> None:
    at = timezone.now() + timedelta(days=days)
    User.objects.filter(pk=person.pk).update(two_step_due_at=at)


def test_whom_it_is_required_of(people: dict[str, User], settings: Any) -> None:
    root = User.objects.create_superuser("root")
    names = {name for name, person in people.items() if is_required_of(person)}
    assert names == {"manager", "support"} and is_required_of(root)
    take_roles(people["viewer"])
    give_roles(people["viewer"], "support", apps=["ghana"])
    assert is_required_of(User.objects.get(username="viewer"))
    settings.TWO_STEP_ROLES = []
    assert not is_required_of(people["manager"]) and not is_required_of(root)


def test_the_first_sign_in_begins_the_days_of_grace(support: User, viewer: User) -> None:
    client, page = sign_in("support")
    assert list_marks(page, "finding").count("two-step-due") == 1
    assert client.get(HOME).status_code == 200
    began = User.objects.get(pk=support.pk).two_step_due_at
    assert began and abs(began - timezone.now() - timedelta(days=7)) < timedelta(minutes=1)
    sign_in("support")
    assert User.objects.get(pk=support.pk).two_step_due_at == began
    assert list_marks(sign_in("viewer")[1], "finding") == []


def test_after_them_only_the_way_to_one_is_open(support: User) -> None:
    due(support, -1)
    client, page = sign_in("support")
    assert list_marks(page, "finding") == ["set-up-two-step"]
    for method, path in (("get", HOME), ("get", "/accounts/profile/"), ("post", f"{HOME}find")):
        assert getattr(client, method)(path)["Location"].startswith(TWO_STEP), path
    assert client.get(HOME, headers={"HX-Request": "true"})["HX-Redirect"].startswith(TWO_STEP)
    assert client.get(TWO_STEP).status_code == 200
    asked = client.get(f"{TWO_STEP}totp/activate/")["Location"]
    assert asked.startswith("/accounts/reauthenticate/") and client.get(asked).status_code == 200
    totp.TOTP.activate(support, totp.generate_totp_secret())
    assert client.get(HOME).status_code == 200


@pytest.mark.parametrize("days", [None, -1, 5])
def test_a_person_who_lost_one_has_no_days_without(
    boss: Client, support: User, days: float | None
) -> None:
    totp.TOTP.activate(support, totp.generate_totp_secret())
    if days is not None:
        due(support, days)
    boss.post(f"/people/{support.pk}/two-step/remove")
    client, _page = sign_in("support")
    assert client.get(HOME)["Location"].startswith(TWO_STEP)


def test_nor_has_a_person_who_removed_it(client_of: ClientOf, support: User) -> None:
    totp.TOTP.activate(support, totp.generate_totp_secret())
    client = client_of(support)
    due(support, 5)
    client.post("/accounts/reauthenticate/", {"password": PASSWORD})
    client.post(f"{TWO_STEP}totp/deactivate/")
    assert not Authenticator.objects.filter(user=support).exists()
    client, _page = sign_in("support")
    assert client.get(HOME)["Location"].startswith(TWO_STEP)


def test_managers_find_who_has_none(boss: Client, support: User, viewer: User) -> None:
    totp.TOTP.activate(support, totp.generate_totp_secret())
    without = boss.get("/people/?two_step=without").content.decode()
    assert ">viewer<" in without and ">support<" not in without
    with_one = boss.get("/people/?two_step=with").content.decode()
    assert ">support<" in with_one and ">viewer<" not in with_one
