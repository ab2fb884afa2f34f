"""The four roles agree with the service's table, and the database with the roles."""

import csv
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, Permission
from django.db import IntegrityError, transaction

from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import (
    RIGHTS,
    ROLE_WORDS,
    ROLES,
    describe_group,
    describe_roles,
    list_role_rights,
    sort_rights,
)
from lendingadmin.core.staff.sync import sync_roles
from tests.roles import give_roles

TABLE = list(csv.DictReader((Path(__file__).parents[1] / "operations.csv").open()))

OWN = {
    "dashboard.repayments.resolve": {"manager"},
    "dashboard.repayments.approve": {"manager"},
    "dashboard.repayments.setAside": {"manager"},
    "dashboard.repayments.reportMistake": {"officer", "support", "manager"},
    "dashboard.repayments.reviewMistake": {"manager"},
    "dashboard.audit.view": {"manager"},
    "dashboard.developer": {"manager"},
    "dashboard.people.manage": {"manager"},
    "dashboard.personalContent.reveal": {"officer", "manager"},
    "dashboard.borrowers.search": {"officer", "support", "manager"},
    "dashboard.borrowers.names": {"officer", "support", "manager"},
    "dashboard.borrowers.contact": {"officer", "support", "manager"},
    "dashboard.borrowers.identity": {"officer", "manager"},
    "dashboard.events.content": set(),
    "dashboard.repayments.notes": {"officer", "support", "manager"},
    "dashboard.notes.read": {"officer", "support", "manager"},
    "dashboard.notes.write": {"officer", "support", "manager"},
    "dashboard.notes.delete": {"manager"},
    "dashboard.borrowers.exportKept": {"manager"},
    "dashboard.export": {"officer", "support", "manager"},
    "dashboard.loanLists.share": {"manager"},
    "dashboard.portfolio.count": {"officer", "support", "manager"},
    "dashboard.repayments.statement": {"support", "manager"},
    "dashboard.statements.read": {"support", "manager"},
    "dashboard.collections.call": {"officer", "support", "manager"},
    "dashboard.collections.decide": {"manager"},
    "dashboard.collections.manageQueues": {"manager"},
    "dashboard.assignments.change": {"manager"},
    "dashboard.assignments.handOver": {"officer", "support", "manager"},
    "dashboard.sheets.read": {"officer", "support", "manager"},
    "dashboard.sheets.make": {"officer", "support", "manager"},
    "dashboard.sheets.cancel": {"manager"},
    "dashboard.papers.make": {"officer", "support", "manager"},
    "dashboard.policies.change": {"manager"},
}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["operation"])
def test_the_table_of_operations_and_the_roles_agree(row: dict[str, str]) -> None:
    granted = {role for role in ROLES if row[role] == "yes"}
    assert set(RIGHTS[row["permission"]].roles) == granted


def test_no_right_is_missing_or_invented() -> None:
    assert set(RIGHTS) == {row["permission"] for row in TABLE} | set(OWN)


@pytest.mark.parametrize("name", OWN)
def test_our_own_rights_belong_to_the_roles_that_the_design_names(name: str) -> None:
    assert set(RIGHTS[name].roles) == OWN[name]


def test_people_hold_exactly_the_rights_of_their_role(people: dict[str, User]) -> None:
    for role, person in people.items():
        assert person.get_all_permissions() == list_role_rights(role)


def test_a_right_is_asked_for_by_the_services_own_name(support: User, officer: User) -> None:
    assert support.has_perm("lending.loans.makeRepayment")
    assert not officer.has_perm("lending.loans.makeRepayment")


def test_somebody_without_a_group_may_do_nothing(db: None) -> None:
    assert User.objects.create_user("new").get_all_permissions() == set()


def test_syncing_again_changes_nothing(db: None) -> None:
    def state() -> dict[str, set[int]]:
        return {
            group.name: set(group.permissions.values_list("pk", flat=True))
            for group in Group.objects.all()
        }

    before, permissions = state(), Permission.objects.count()
    sync_roles()
    assert state() == before
    assert Permission.objects.count() == permissions


def test_syncing_mends_the_four_groups_and_leaves_others_alone(db: None) -> None:
    delete = Permission.objects.get(codename="loans.delete")
    Group.objects.get(name="viewer").permissions.add(delete)
    Group.objects.get(name="support").permissions.clear()
    own = Group.objects.create(name="night desk")
    own.permissions.add(delete)
    sync_roles()
    assert delete not in Group.objects.get(name="viewer").permissions.all()
    assert Group.objects.get(name="support").permissions.count() == len(list_role_rights("support"))
    assert list(own.permissions.all()) == [delete]


def test_syncing_drops_a_right_that_no_longer_exists(db: None) -> None:
    label = Permission.objects.get(codename="loans.delete").content_type
    Permission.objects.create(content_type=label, codename="loans.writeOff", name="old")
    sync_roles()
    assert not Permission.objects.filter(codename="loans.writeOff").exists()


def test_a_role_is_the_name_of_the_groups_in_the_order_of_the_table(support: User) -> None:
    assert support.role == "support"
    both = User.objects.get(pk=support.pk)
    for name in ("another", "officer"):
        give_roles(both, Group.objects.get_or_create(name=name)[0])
    assert both.role == "officer, support, another"
    assert User.objects.create_user("new").role == "no role"
    root = User.objects.create_superuser("root")
    assert root.role == root.roles_by_app == "superuser"
    give_roles(root, "manager")
    root = User.objects.get(pk=root.pk)
    assert root.role == root.roles_by_app == "superuser, manager"
    give_roles(root, "support", apps=["kenya"])
    told = User.objects.get(pk=root.pk).roles_by_app
    assert told == "superuser; kenya: support, manager; ghana: manager"


def test_roles_in_words() -> None:
    assert describe_roles("dashboard.audit.view") == "manager"
    assert describe_roles("lending.loans.makeRepayment") == "support or manager"
    assert describe_roles("dashboard.export") == "officer, support or manager"


def test_rights_stand_under_headings() -> None:
    see, record = "lending.loans.get", "lending.loans.makeRepayment"
    (loans, of_loans), (repayments, of_repayments) = sort_rights([see, record])
    assert loans != repayments
    assert (of_loans, of_repayments) == ([RIGHTS[see].words], [RIGHTS[record].words])
    several = ["lending.loans.list", "lending.loans.create", "lending.loans.delete"]
    told = [(loans, [RIGHTS[one].words for one in several])]
    assert sort_rights([*several, "staff.view_user"]) == told
    assert sort_rights([]) == []


def test_no_right_is_left_out() -> None:
    told = sort_rights(RIGHTS)
    for right in RIGHTS.values():
        what = right.words.partition(" ")[2] or right.words
        assert any(what in " ".join(words) for _, words in told), right.name


def test_a_role_is_told_by_what_it_is_for_and_another_group_by_its_rights() -> None:
    assert {name for name in ROLES if describe_group(name, [])} == set(ROLE_WORDS)
    assert describe_group("support", []) == ROLE_WORDS["support"]
    rights = ["lending.loans.list", "lending.loans.create", "lending.loans.get"]
    told = describe_group("night desk", rights[::-1])
    assert told == ", ".join(RIGHTS[one].words for one in rights)
    assert describe_group("night desk", []) not in ("", told)


def test_repr_shows_no_more_than_the_user_name(db: None) -> None:
    person = User(username="ann", first_name="Anna", last_name="Smith", email="a@example.org")
    assert (str(person), repr(person)) == ("ann", "<User ann>")


def test_user_names_that_differ_only_by_case_are_one(db: None) -> None:
    User.objects.create_user("ann")
    with pytest.raises(IntegrityError), transaction.atomic():
        User.objects.create_user("Ann")
