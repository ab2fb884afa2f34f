"""`manage.py role`: rights of a role of one's own, changed at the server."""

from io import StringIO

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError, call_command

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from tests.roles import give_roles, take_roles

pytestmark = pytest.mark.django_db


def run(*words: str) -> str:
    out = StringIO()
    call_command("role", *words, stdout=out)
    return out.getvalue()


def test_rights_are_given_and_taken_and_hold(viewer: User) -> None:
    said = run("night desk", "--give", "dashboard.export", "--give", "lending.loans.list")
    assert said == "night desk: dashboard.export, lending.loans.list\n"
    take_roles(viewer)
    give_roles(viewer, Group.objects.get(name="night desk"))
    assert viewer.has_perm("dashboard.export", "kenya")
    assert run("night desk", "--take", "dashboard.export") == "night desk: lending.loans.list\n"
    assert not User.objects.get(pk=viewer.pk).has_perm("dashboard.export", "kenya")
    entry = Entry.objects.latest("pk")
    assert entry.subject == "role night desk" and "− dashboard.export" in entry.detail


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("manager", "--give", "dashboard.export"), "a built-in role"),
        (("night desk", "--give", "dashboard.everything"), "not a right"),
        (("night desk", "--take", "export"), "not a right"),
    ],
)
def test_what_it_refuses_changes_nothing(words: tuple[str, ...], told: str) -> None:
    with pytest.raises(CommandError, match=told):
        run(*words)
    assert not Group.objects.filter(name="night desk").exists()
    assert not Entry.objects.exists()


def test_a_role_that_nobody_holds_is_removed(viewer: User) -> None:
    run("night desk", "--give", "dashboard.export")
    give_roles(viewer, Group.objects.get(name="night desk"))
    with pytest.raises(CommandError, match="Remove it"):
        run("night desk", "--remove")
    take_roles(viewer)
    run("night desk", "--remove")
    assert not Group.objects.filter(name="night desk").exists()
    assert Entry.objects.latest("pk").detail.startswith("removed")
    with pytest.raises(CommandError, match="no role"):
        run("night desk", "--remove")
