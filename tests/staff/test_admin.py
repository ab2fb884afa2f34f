"""What a manager can and cannot do in the admin; above all, become a superuser."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import Group, Permission
from django.test import Client
from django.urls import reverse

from lendingadmin.audit.models import Entry
from lendingadmin.staff.models import User

PEOPLE = "/admin/staff/user/"
GROUPS = "/admin/auth/group/"
NEW = {"password1": "orange fjord 71", "password2": "orange fjord 71", "usable_password": "true"}


@pytest.fixture
def desk(manager: User, client_of: Callable[[User], Client]) -> Client:
    return client_of(manager)


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root", password="the old one")


def group(name: str) -> int:
    return Group.objects.get(name=name).pk


def form_of(person: User, **changes: object) -> dict[str, object]:
    """The admin's form of a person as it is, with changes."""
    held = {
        "username": person.username,
        "first_name": person.first_name,
        "last_name": person.last_name,
        "is_active": "on",
        "groups": list(person.groups.values_list("pk", flat=True)),
    }
    return {name: value for name, value in (held | changes).items() if value is not None}


def last() -> tuple[str, str, str, str, str]:
    entry = Entry.objects.latest("id")
    return entry.username, entry.action, entry.subject, entry.outcome, entry.detail


class TestPeople:
    def test_a_manager_enters_somebody_with_a_role(self, desk: Client) -> None:
        form = NEW | {"username": "ann", "groups": [group("officer")]}
        answer = desk.post(f"{PEOPLE}add/", form)
        ann = User.objects.get(username="ann")
        assert answer.status_code == 302
        assert (ann.role, ann.is_superuser, ann.is_staff) == ("officer", False, False)
        assert last()[:4] == ("manager", "people", "ann", "added")
        assert "groups (+officer)" in last()[4]
        assert "orange" not in last()[4]

    def test_a_manager_changes_a_role_and_the_trail_says_from_what_to_what(
        self, desk: Client, viewer: User
    ) -> None:
        form = form_of(viewer, groups=[group("support")], first_name="Vi")
        assert desk.post(f"{PEOPLE}{viewer.pk}/change/", form).status_code == 302
        assert User.objects.get(pk=viewer.pk).role == "support"
        assert last() == (
            "manager",
            "people",
            "viewer",
            "changed",
            "first_name, groups (+support, -viewer)",
        )

    def test_a_manager_deactivates_somebody(self, desk: Client, viewer: User) -> None:
        desk.post(f"{PEOPLE}{viewer.pk}/change/", form_of(viewer, is_active=None))
        assert not User.objects.get(pk=viewer.pk).is_active
        assert last()[4] == "is_active"

    def test_a_manager_sets_a_password_and_the_trail_does_not_know_it(
        self, desk: Client, viewer: User
    ) -> None:
        assert desk.post(f"{PEOPLE}{viewer.pk}/password/", NEW).status_code == 302
        assert User.objects.get(pk=viewer.pk).check_password(NEW["password1"])
        assert last() == ("manager", "people", "viewer", "changed", "password")

    def test_nobody_is_deleted(self, desk: Client, viewer: User, root: User) -> None:
        assert desk.post(f"{PEOPLE}{viewer.pk}/delete/", {"post": "yes"}).status_code == 403
        desk.force_login(root)
        assert desk.post(f"{PEOPLE}{viewer.pk}/delete/", {"post": "yes"}).status_code == 403
        chosen = {"action": "delete_selected", "_selected_action": [viewer.pk], "post": "yes"}
        desk.post(PEOPLE, chosen)
        assert User.objects.filter(pk=viewer.pk).exists()

    @pytest.mark.parametrize("change", [{"is_active": None}, {"groups": []}])
    def test_a_manager_cannot_lock_themselves_out(
        self, change: dict[str, object], desk: Client, manager: User
    ) -> None:
        answer = desk.post(f"{PEOPLE}{manager.pk}/change/", form_of(manager, **change))
        assert answer.status_code == 200
        assert "Another manager must" in answer.content.decode()
        again = User.objects.get(pk=manager.pk)
        assert (again.is_active, again.role) == (True, "manager")

    def test_a_manager_may_change_their_own_name(self, desk: Client, manager: User) -> None:
        desk.post(f"{PEOPLE}{manager.pk}/change/", form_of(manager, first_name="Mo"))
        assert User.objects.get(pk=manager.pk).first_name == "Mo"


class TestEscalation:
    """Everything here must leave no new superuser, and no permission beyond the dashboard's."""

    BEYOND = {"is_superuser": "on", "is_staff": "on"}

    def permissions(self) -> list[int]:
        return list(Permission.objects.values_list("pk", flat=True))

    @pytest.mark.parametrize("whom", ["manager", "viewer"])
    def test_a_manager_makes_nobody_a_superuser(
        self, whom: str, desk: Client, people: dict[str, User]
    ) -> None:
        person = people[whom]
        form = form_of(person, **self.BEYOND, user_permissions=self.permissions())
        assert desk.post(f"{PEOPLE}{person.pk}/change/", form).status_code == 302
        after = User.objects.get(pk=person.pk)
        assert (after.is_superuser, after.is_staff) == (False, False)
        assert after.user_permissions.count() == 0

    def test_nor_while_entering_them(self, desk: Client) -> None:
        form = NEW | {"username": "ann"} | self.BEYOND | {"user_permissions": self.permissions()}
        assert desk.post(f"{PEOPLE}add/", form).status_code == 302
        ann = User.objects.get(username="ann")
        assert (ann.is_superuser, ann.user_permissions.count()) == (False, 0)

    def test_a_superuser_is_out_of_sight_and_out_of_reach(self, desk: Client, root: User) -> None:
        before = User.objects.get(pk=root.pk).password
        assert "root" not in desk.get(PEOPLE).content.decode()
        for page in ("change", "password", "history", "delete"):
            for send in (desk.get, desk.post):
                answer = send(f"{PEOPLE}{root.pk}/{page}/", NEW | form_of(root, first_name="Mine"))
                assert answer.status_code in (302, 403, 404), page
        after = User.objects.get(pk=root.pk)
        assert (after.password, after.first_name, after.is_active) == (before, "", True)

    def test_nor_is_a_superuser_reached_by_an_action(self, desk: Client, root: User) -> None:
        chosen = {"action": "remove_second_factors", "_selected_action": [root.pk]}
        desk.post(PEOPLE, chosen)
        assert not Entry.objects.filter(subject="root").exists()

    def test_a_group_with_more_than_the_dashboards_rights_cannot_be_given(
        self, desk: Client, manager: User
    ) -> None:
        strong = Group.objects.create(name="vault")
        strong.permissions.add(Permission.objects.get(codename="change_permission"))
        form = form_of(manager, groups=[group("manager"), strong.pk])
        assert desk.post(f"{PEOPLE}{manager.pk}/change/", form).status_code == 200
        assert strong not in manager.groups.all()
        assert "vault" not in desk.get(GROUPS).content.decode()
        assert desk.get(f"{GROUPS}{strong.pk}/change/").status_code == 302

    @pytest.mark.parametrize("through", ["group", "user_permissions"])
    def test_somebody_who_holds_more_is_out_of_reach_like_a_superuser(
        self, through: str, desk: Client, viewer: User
    ) -> None:
        more = Permission.objects.get(codename="change_permission")
        if through == "group":
            strong = Group.objects.create(name="vault")
            strong.permissions.add(more)
            viewer.groups.add(strong)
        else:
            viewer.user_permissions.add(more)
        before = viewer.password
        assert desk.post(f"{PEOPLE}{viewer.pk}/password/", NEW).status_code == 404
        assert User.objects.get(pk=viewer.pk).password == before

    def test_rights_are_told_in_words(self, desk: Client) -> None:
        page = desk.get("/admin/auth/group/add/").content.decode()
        assert "see the audit trail (dashboard.audit.view)" in page

    def test_a_group_of_ones_own_takes_the_dashboards_rights_only(self, desk: Client) -> None:
        form = {"name": "night desk", "permissions": self.permissions()}
        assert desk.post(f"{GROUPS}add/", form).status_code == 200
        assert not Group.objects.filter(name="night desk").exists()
        form["permissions"] = [Permission.objects.get(codename="loans.get").pk]
        assert desk.post(f"{GROUPS}add/", form).status_code == 302
        assert last()[:4] == ("manager", "groups", "night desk", "added")

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

    def test_a_superuser_may_do_what_managers_may_not(self, desk: Client, root: User) -> None:
        desk.force_login(root)
        viewer = User.objects.create_user("ann")
        page = desk.get(f"{PEOPLE}{viewer.pk}/change/").content.decode()
        assert 'name="is_superuser"' in page
        assert 'name="user_permissions"' in page


class TestTheDoor:
    def test_strangers_go_to_the_products_own_sign_in(self, client: Client, db: None) -> None:
        answer = client.get(PEOPLE, follow=True)
        assert answer.redirect_chain[-1][0].startswith("/accounts/login/?next=")
        assert answer.templates[0].name == "account/login.html"

    def test_djangos_own_form_is_never_there(
        self, desk: Client, viewer: User, root: User, client: Client
    ) -> None:
        form = {"username": "root", "password": "the old one"}
        assert client.post("/admin/login/", form).status_code == 302
        assert "_auth_user_id" not in client.session
        assert desk.post("/admin/login/", form)["Location"] == reverse("admin:index")
        client.force_login(viewer)
        assert client.post("/admin/login/", form).status_code == 403
        User.objects.filter(pk=viewer.pk).update(is_staff=True)
        assert client.post("/admin/login/", form).status_code == 403

    def test_being_staff_opens_nothing(
        self, viewer: User, client_of: Callable[[User], Client]
    ) -> None:
        User.objects.filter(pk=viewer.pk).update(is_staff=True)
        assert client_of(viewer).get("/admin/", follow=True).status_code == 403

    def test_ones_password_is_changed_on_the_products_page(self, desk: Client) -> None:
        answer = desk.get("/admin/password_change/")
        assert answer["Location"] == reverse("account_change_password")

    def test_only_people_and_groups_are_there(self, desk: Client, root: User) -> None:
        desk.force_login(root)
        page = desk.get("/admin/").content.decode()
        assert PEOPLE in page
        assert "authenticator" not in page.lower()
        assert "emailaddress" not in page.lower()
        assert "/admin/audit/" not in page
