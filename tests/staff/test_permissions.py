"""Rights are a person's, by role, in an app: each place that asks, with two apps at hand."""

import re
from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.audit import record
from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff import reach
from lendingadmin.core.staff.models import AppRole, User
from lendingadmin.core.staff.roles import ROLES
from tests.conftest import ClientOf, cast
from tests.roles import choose, give_roles, hold_only, take_roles
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db

COUNT, LIST = "dashboard.portfolio.count", "lending.loans.list"


@pytest.fixture
def split() -> User:
    """A manager in Kenya who only looks in Ghana."""
    person = cast("manager")
    take_roles(person)
    give_roles(person, "manager", apps=["kenya"])
    give_roles(person, "viewer", apps=["ghana"])
    return User.objects.get(pk=person.pk)


class TestARight:
    def test_is_held_in_an_app(self, split: User) -> None:
        assert split.has_perm(COUNT, "kenya") and not split.has_perm(COUNT, "ghana")
        assert split.has_perm(LIST, "kenya") and split.has_perm(LIST, "ghana")
        assert [app.app_id for app in split.list_apps_with(COUNT)] == ["kenya"]

    def test_without_an_app_is_that_of_the_page_or_of_any(self, split: User) -> None:
        assert split.has_perm(COUNT)
        split.app_id = "ghana"
        assert not split.has_perm(COUNT) and split.role == "viewer"
        assert split.has_perm(COUNT, "kenya")

    def test_is_none_without_a_role(self, db: None) -> None:
        nobody = User.objects.create_user("nobody")
        assert not nobody.has_perm(LIST) and nobody.get_all_permissions() == set()

    def test_ends_with_the_account(self, split: User) -> None:
        split.is_active = False
        assert not split.has_perm(LIST) and not split.has_perm(LIST, "kenya")

    def test_counts_for_nothing_in_an_app_that_is_gone(self, settings: Any, split: User) -> None:
        settings.LENDING_APPS = settings.LENDING_APPS[1:]
        person = User.objects.get(pk=split.pk)
        assert not person.has_perm(COUNT) and not person.has_perm(COUNT, "kenya")

    def test_is_a_superuser_s_everywhere(self, db: None) -> None:
        root = User.objects.create_superuser("root")
        assert root.has_perm(COUNT, "ghana") and len(root.lending_apps) == 2

    def test_finds_its_people(self, split: User, viewer: User) -> None:
        find: Any = User.objects.with_perm
        assert list(find(COUNT, obj="kenya")) == list(find(COUNT)) == [split]
        assert list(find(COUNT, obj="ghana")) == []
        assert set(find(LIST, obj="ghana")) == {split, viewer}

    def test_of_many_people_is_one_query(
        self, split: User, viewer: User, django_assert_num_queries: Any
    ) -> None:
        with django_assert_num_queries(1):
            held = AppRole.read_held([split, viewer])
        assert set(held[split.pk]) == {"kenya", "ghana"} and "viewer" in held[viewer.pk]["kenya"]


class TestAPage:
    def test_offers_what_may_be_done_in_its_app(self, split: User, client_of: ClientOf) -> None:
        desk = client_of(split)
        kenya, ghana = (desk.get(f"/apps/{x}/").content.decode() for x in ("kenya", "ghana"))
        assert "/book/count" in kenya and "/book/count" not in ghana
        kenya, ghana = (desk.get(f"/apps/{x}/loans/").content.decode() for x in ("kenya", "ghana"))
        assert 'class="card calls' in kenya and 'class="card calls' not in ghana

    def test_switches_between_the_person_s_apps(
        self, split: User, officer: User, client_of: ClientOf
    ) -> None:
        assert 'href="/apps/ghana/"' in client_of(split).get("/apps/kenya/").content.decode()
        officer.app_roles.filter(app_id="ghana").delete()
        assert "/apps/ghana/" not in client_of(officer).get("/apps/kenya/").content.decode()

    def test_at_the_start_is_the_first_app_of_the_person(
        self, officer: User, client_of: ClientOf
    ) -> None:
        officer.app_roles.filter(app_id="kenya").delete()
        desk = client_of(officer)
        assert desk.get("/")["Location"] == "/apps/ghana/"
        assert "/apps/kenya/" not in desk.get("/products/").content.decode()

    def test_tells_a_person_without_a_role(self, client_of: ClientOf) -> None:
        page = client_of(User.objects.create_user("nobody")).get("/")
        assert page.status_code == 200 and list_marks(page, "finding") == ["no-role"]


class TestTheTrail:
    def test_is_that_of_the_apps_in_which_it_may_be_seen(
        self, split: User, client_of: ClientOf
    ) -> None:
        for app_id in ("kenya", "ghana", ""):
            record(None, "loans.create", outcome="saved", app_id=app_id, subject=f"of-{app_id}")
        desk = client_of(split)

        def subjects(query: str) -> set[str]:
            return set(re.findall(r"of-\w*", desk.get(f"/audit/{query}").content.decode()))

        assert subjects("") == {"of-kenya", "of-"}
        assert subjects("?record=of-ghana&action=loans.create") <= {"of-ghana"}
        nothing = desk.get("/audit/?action=loans.create&record=of-ghana")
        assert list_marks(nothing, "finding") == ["none-match"]
        assert subjects("?app=ghana") == set()
        give_roles(split, "manager")
        assert subjects("") == {"of-kenya", "of-ghana", "of-"}


class TestManagingPeople:
    def test_roles_are_given_in_one_s_own_apps(self, split: User, client_of: ClientOf) -> None:
        boss, ann = client_of(split), User.objects.create_user("ann")
        page = boss.get(f"/people/{ann.pk}/").content.decode()
        assert 'value="kenya:' in page and 'value="ghana:' not in page
        answer = boss.post(f"/people/{ann.pk}/", {"roles": choose("officer", apps=["ghana"])})
        assert "roles" in answer.context["form"].errors and not ann.app_roles.exists()
        boss.post(f"/people/{ann.pk}/", {"roles": choose("officer", apps=["kenya"])})
        assert [str(one) for one in ann.app_roles.all()] == ["officer in kenya"]
        assert Entry.objects.latest("id").detail == "roles (+officer in kenya)"

    def test_a_role_in_an_app_that_is_gone_stays(
        self, manager: User, viewer: User, client_of: ClientOf
    ) -> None:
        give_roles(viewer, "viewer", apps=["tanzania"])
        form = {"roles": choose("officer", apps=["kenya"])}
        client_of(manager).post(f"/people/{viewer.pk}/", form)
        held = {str(one) for one in viewer.app_roles.all()}
        assert held == {"viewer in tanzania", "officer in kenya"}

    def test_one_keeps_managing_each_of_one_s_apps(self, manager: User) -> None:
        def chosen(*apps: str) -> list[reach.RoleInApp]:
            return [
                reach.RoleInApp(one.app_id, one.role)
                for one in manager.app_roles.filter(app_id__in=apps)
            ]

        assert reach.gives_up_managing(manager, manager, chosen("kenya"))
        assert not reach.gives_up_managing(manager, manager, chosen("kenya", "ghana"))

    def test_roles_are_told_by_app_where_they_differ(self, split: User, viewer: User) -> None:
        assert split.roles_by_app == "kenya: manager; ghana: viewer"
        assert viewer.roles_by_app == "viewer"
        assert User.objects.create_user("ann").roles_by_app == "no role"

    def test_rights_are_told_once_where_they_are_the_same(self, boss: Client, viewer: User) -> None:
        page = boss.get(f"/people/{viewer.pk}/").content.decode()
        assert page.count("<dt>Borrowers</dt>") == 1 and "In kenya" not in page

    def test_rights_are_told_by_app(self, manager: User, client_of: ClientOf) -> None:
        ann = User.objects.create_user("ann")
        hold_only(ann, "lending.loans.delete", apps=["ghana"])
        page = client_of(manager).get(f"/people/{ann.pk}/").content.decode()
        assert "In ghana" in page and "In kenya" not in page and "Delete loans" in page

    def test_roles_are_shown_with_their_rights_and_people(
        self, manager: User, viewer: User, client_of: ClientOf
    ) -> None:
        hold_only(User.objects.create_user("ann"), "lending.loans.delete", apps=["ghana"])
        page = client_of(manager).get("/people/roles/").content.decode()
        cards = dict(re.findall(r'data-role="([^"]+)".*?data-people="(\d+)"', page, re.S))
        assert {name: cards[name] for name in ROLES} == {
            name: str(AppRole.objects.filter(role__name=name).values("person").distinct().count())
            for name in ROLES
        }
        assert len(cards) == len(ROLES) + 1
