"""Django's admin: superusers keep people and groups there, and nobody else reaches it."""

from collections.abc import Callable
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from lendingadmin.audit.models import Entry
from lendingadmin.staff.models import User
from lendingadmin.staff.sessions import list_sessions

PEOPLE = "/admin/staff/user/"
GROUPS = "/admin/auth/group/"
NEW = {"password1": "orange fjord 71", "password2": "orange fjord 71", "usable_password": "true"}


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root", password="the old one")


@pytest.fixture
def desk(root: User, client_of: Callable[[User], Client]) -> Client:
    return client_of(root)


def group(name: str) -> int:
    return Group.objects.get(name=name).pk


def form_of(person: User, **changes: object) -> dict[str, object]:
    """The admin's form of a person as it is, with changes."""
    held = {
        "username": person.username,
        "first_name": person.first_name,
        "last_name": person.last_name,
        "is_active": "on",
        "uses_keys": "on",
    }
    return {name: value for name, value in (held | changes).items() if value is not None}


def last() -> tuple[str, str, str, str, str]:
    entry = Entry.objects.latest("id")
    return entry.username, entry.action, entry.subject, entry.outcome, entry.detail


class TestPeople:
    def test_somebody_is_entered_without_a_role(self, desk: Client) -> None:
        form = NEW | {"username": "ann"}
        answer = desk.post(f"{PEOPLE}add/", form)
        ann = User.objects.get(username="ann")
        assert answer.status_code == 302
        assert (ann.role, ann.is_superuser, ann.is_staff) == ("no role", False, False)
        assert last()[:4] == ("root", "people", "ann", "added")
        assert "orange" not in last()[4]

    def test_a_name_is_changed_and_the_trail_says_so(self, desk: Client, viewer: User) -> None:
        form = form_of(viewer, first_name="Vi")
        assert desk.post(f"{PEOPLE}{viewer.pk}/change/", form).status_code == 302
        assert User.objects.get(pk=viewer.pk).role == "viewer"
        assert last() == (
            "root",
            "people",
            "viewer",
            "changed",
            "first name",
        )

    def test_somebody_is_deactivated_and_signed_out(
        self, desk: Client, viewer: User, client_of: Callable[[User], Client]
    ) -> None:
        client_of(viewer)
        assert len(list_sessions(viewer)) == 1
        desk.post(f"{PEOPLE}{viewer.pk}/change/", form_of(viewer, is_active=None))
        assert not User.objects.get(pk=viewer.pk).is_active
        assert last()[4] == "active"
        assert list_sessions(User.objects.get(pk=viewer.pk)) == []

    def test_a_change_voids_the_persons_set_up_link(self, desk: Client, viewer: User) -> None:
        User.objects.filter(pk=viewer.pk).update(setup_link_at=timezone.now())
        desk.post(f"{PEOPLE}{viewer.pk}/change/", form_of(viewer, first_name="Vi"))
        assert User.objects.get(pk=viewer.pk).setup_link_at is None

    def test_a_password_is_set_and_the_trail_does_not_know_it(
        self, desk: Client, viewer: User
    ) -> None:
        assert desk.post(f"{PEOPLE}{viewer.pk}/password/", NEW).status_code == 302
        assert User.objects.get(pk=viewer.pk).check_password(NEW["password1"])
        assert last() == ("root", "people", "viewer", "changed", "password")

    def test_nobody_is_deleted(self, desk: Client, viewer: User) -> None:
        assert desk.post(f"{PEOPLE}{viewer.pk}/delete/", {"post": "yes"}).status_code == 403
        chosen = {"action": "delete_selected", "_selected_action": [viewer.pk], "post": "yes"}
        desk.post(PEOPLE, chosen)
        assert User.objects.filter(pk=viewer.pk).exists()

    def test_a_superuser_cannot_lock_themselves_out(self, desk: Client, root: User) -> None:
        answer = desk.post(f"{PEOPLE}{root.pk}/change/", form_of(root, is_active=None))
        assert answer.status_code == 200
        assert "Another manager must deactivate" in answer.content.decode()
        assert User.objects.get(pk=root.pk).is_active

    def test_nobody_removes_their_own_second_factor_here(self, desk: Client, root: User) -> None:
        Authenticator.objects.create(user=root, type=Authenticator.Type.TOTP, data={})
        chosen = {"action": "remove_second_factors", "_selected_action": [root.pk]}
        desk.post(PEOPLE, chosen)
        assert Authenticator.objects.filter(user=root).exists()


class TestGroups:
    def test_rights_are_told_in_words(self, desk: Client) -> None:
        page = desk.get("/admin/auth/group/add/").content.decode()
        assert "see the audit trail (dashboard.audit.view)" in page

    def test_a_group_of_ones_own(self, desk: Client) -> None:
        form = {
            "name": "night desk",
            "permissions": [Permission.objects.get(codename="loans.get").pk],
        }
        assert desk.post(f"{GROUPS}add/", form).status_code == 302
        assert last()[:4] == ("root", "groups", "night desk", "added")

    def test_no_superuser_changes_one_alone(self, desk: Client, settings: Any) -> None:
        settings.SECOND_MANAGER = True
        made = Group.objects.create(name="night desk")
        right = Permission.objects.get(codename="loans.delete")
        form = {"name": "night desk", "permissions": [right.pk]}
        assert desk.post(f"{GROUPS}add/", form | {"name": "other"}).status_code == 403
        assert desk.get(f"{GROUPS}{made.pk}/change/").status_code == 200
        assert desk.post(f"{GROUPS}{made.pk}/change/", form).status_code == 403
        assert desk.post(f"{GROUPS}{made.pk}/delete/", {"post": "yes"}).status_code == 403
        assert not made.permissions.exists()
        assert not Group.objects.filter(name="other").exists()

    def test_no_superuser_makes_another_alone(
        self, desk: Client, settings: Any, viewer: User
    ) -> None:
        settings.SECOND_MANAGER = True
        address = f"{PEOPLE}{viewer.pk}/change/"
        assert 'name="is_superuser"' not in desk.get(address).content.decode()
        desk.post(address, {"username": "viewer", "is_active": "on", "is_superuser": "on"})
        assert not User.objects.get(pk=viewer.pk).is_superuser

    @pytest.mark.parametrize("role", ["viewer", "officer", "support", "manager"])
    def test_the_four_roles_are_read_only(self, role: str, desk: Client) -> None:
        address = f"{GROUPS}{group(role)}/"
        rights = set(Group.objects.get(name=role).permissions.values_list("pk", flat=True))
        assert desk.get(f"{address}change/").status_code == 200
        form = {"name": role, "permissions": [Permission.objects.get(codename="loans.delete").pk]}
        assert desk.post(f"{address}change/", form).status_code == 403
        assert desk.post(f"{address}delete/", {"post": "yes"}).status_code == 403
        chosen = {"action": "delete_selected", "_selected_action": [group(role)], "post": "yes"}
        desk.post(GROUPS, chosen)
        kept = Group.objects.get(name=role)
        assert set(kept.permissions.values_list("pk", flat=True)) == rights

    def test_what_lies_beyond_roles_is_given_here(self, desk: Client, viewer: User) -> None:
        page = desk.get(f"{PEOPLE}{viewer.pk}/change/").content.decode()
        assert 'name="is_superuser"' in page
        assert 'name="user_permissions"' not in page


class TestTheDoor:
    def test_it_redirects_to_no_object_s_own_address(self) -> None:
        with pytest.raises(NoReverseMatch):
            reverse("admin:view_on_site", args=[1, 1])

    def test_strangers_go_to_the_products_own_sign_in(self, client: Client, db: None) -> None:
        answer = client.get(PEOPLE, follow=True)
        assert answer.redirect_chain[-1][0].startswith("/accounts/login/?next=")
        assert answer.templates[0].name == "account/login.html"

    def test_djangos_own_form_is_never_there(
        self, desk: Client, viewer: User, manager: User, client: Client
    ) -> None:
        form = {"username": "root", "password": "the old one"}
        assert client.post("/admin/login/", form).status_code == 302
        assert "_auth_user_id" not in client.session
        assert desk.post("/admin/login/", form)["Location"] == reverse("admin:index")
        for person in (viewer, manager):
            client.force_login(person)
            assert client.post("/admin/login/", form).status_code == 403
        client.force_login(viewer)
        User.objects.filter(pk=viewer.pk).update(is_staff=True)
        assert client.post("/admin/login/", form).status_code == 403

    @pytest.mark.parametrize("role", ["viewer", "manager"])
    def test_being_staff_opens_nothing(
        self, role: str, people: dict[str, User], client_of: Callable[[User], Client]
    ) -> None:
        User.objects.filter(pk=people[role].pk).update(is_staff=True)
        answer = client_of(people[role]).get("/admin/", follow=True)
        assert answer.status_code == 403
        assert "This part is for superusers" in answer.content.decode()

    def test_ones_password_is_changed_on_the_products_page(self, desk: Client) -> None:
        answer = desk.get("/admin/password_change/")
        assert answer["Location"] == reverse("account_change_password")

    def test_only_people_and_groups_are_there(self, desk: Client) -> None:
        page = desk.get("/admin/").content.decode()
        assert PEOPLE in page
        assert "authenticator" not in page.lower()
        assert "emailaddress" not in page.lower()
        assert "/admin/audit/" not in page
