"""A second manager approves changes about money and people, and exactly what was asked for."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import lending_app
from lendingadmin.core.policies.deciding import (
    APPROVE_WITHIN,
    SECOND_MANAGER,
    NothingToDecide,
    decide,
    is_second_on,
)
from lendingadmin.core.policies.models import PolicyVersion
from lendingadmin.core.policies.services import list_versions, read_values
from lendingadmin.core.policies.tasks import tell_managers
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.policies import LIMITS, read_limits
from tests.conftest import ClientOf, confirm
from tests.policies.setting import set_limits, set_second_manager
from tests.repayments.threads import at_once
from tests.roles import give_roles

pytestmark = pytest.mark.django_db
ROLE = "manager"
State = PolicyVersion.State
PAGE = "/apps/kenya/settings/repayment-limits/"


@pytest.fixture
def second() -> User:
    """Another manager, who has a mail address."""
    person = User.objects.create_user("second", email="second@example.org")
    give_roles(person, "manager")
    return person


@pytest.fixture
def office(client_of: ClientOf, second: User) -> Client:
    """The browser of the second manager."""
    client = client_of(second)
    confirm(client, second)
    return client


@pytest.fixture(autouse=True)
def on() -> None:
    set_second_manager()


def ask(desk: Client, amount: str = "900", **more: str) -> Any:
    newest = list_versions("kenya", LIMITS).first()
    seen = str(newest.number) if newest else "0"
    return desk.post(PAGE, {"amount": amount, "reason": "fewer cheques", "seen": seen, **more})


def put(client: Client, version: PolicyVersion, decision: str) -> Any:
    return client.post(f"{PAGE}{version.number}/decide", {"decision": decision})


def test_a_change_is_not_in_force_before_another_approved_it(
    desk: Client, office: Client, manager: User, second: User
) -> None:
    assert ask(desk).status_code == 302
    version = PolicyVersion.objects.get(kind=LIMITS.key)
    assert version.state == State.WAITING and read_limits("kenya") is None
    assert 'data-decision="policies"' in office.get("/apps/kenya/").content.decode()
    assert 'data-decision="policies"' not in desk.get("/apps/kenya/").content.decode()
    assert 'value="approve"' in office.get(PAGE).content.decode()
    before = timezone.now()
    put(office, version, "approve")
    version.refresh_from_db()
    assert (version.state, version.decided_by) == (State.SAVED, second)
    assert version.valid_from >= before and version.values["amount"] == "900"
    limits = read_limits("kenya")
    assert limits and limits.amount == Decimal(900)
    found = Entry.objects.filter(action="dashboard.policies.change").order_by("pk")
    assert [(one.username, one.outcome) for one in found] == [
        ("manager", "asked"),
        ("second", "approved"),
    ]


def test_nobody_approves_their_own_and_it_can_be_withdrawn(desk: Client, second: User) -> None:
    ask(desk)
    version = PolicyVersion.objects.get(kind=LIMITS.key)
    page = desk.get(PAGE).content.decode()
    assert 'data-finding="waiting"' in page and 'value="approve"' not in page
    put(desk, version, "approve")
    version.refresh_from_db()
    assert version.state == State.WAITING
    put(desk, version, "decline")
    version.refresh_from_db()
    assert version.state == State.WITHDRAWN and read_limits("kenya") is None
    assert ask(desk).status_code == 302


def test_a_declined_change_never_holds_and_leaves_the_earlier_one(
    desk: Client, office: Client
) -> None:
    set_limits(amount="100")
    ask(desk)
    put(office, PolicyVersion.objects.get(state=State.WAITING), "decline")
    limits = read_limits("kenya")
    assert limits and limits.amount == Decimal(100)
    changes = office.get(PAGE).context["history"]
    assert [(one.version.state, one.changes[0][1:]) for one in changes] == [
        (State.DECLINED, ("100.00", "900.00")),
        (State.SAVED, ("", "100.00")),
    ]


def test_while_one_waits_no_other_is_taken(desk: Client, office: Client) -> None:
    ask(desk)
    page = ask(office, "5").content.decode()
    assert 'data-finding="waiting"' in page and 'value="5"' in page
    assert PolicyVersion.objects.filter(kind=LIMITS.key).count() == 1


def test_after_three_days_it_can_t_be_approved_and_another_can_be_asked_for(
    desk: Client, office: Client, second: User
) -> None:
    ask(desk)
    version = PolicyVersion.objects.get(kind=LIMITS.key)
    old = timezone.now() - APPROVE_WITHIN - timedelta(seconds=1)
    PolicyVersion.objects.filter(pk=version.pk).update(changed_at=old)
    version.refresh_from_db()
    with pytest.raises(NothingToDecide):
        decide(version, LIMITS, "kenya", second, approves=True)
    assert ask(desk).status_code == 302
    assert PolicyVersion.objects.filter(kind=LIMITS.key).count() == 2


def test_without_another_manager_nothing_is_saved(desk: Client) -> None:
    answer = ask(desk)
    assert 'data-finding="obstacle"' in answer.content.decode()
    assert not PolicyVersion.objects.filter(kind=LIMITS.key).exists()


def test_one_who_changed_the_asker_s_account_can_t_approve(
    desk: Client, office: Client, manager: User, second: User
) -> None:
    ask(desk)
    Entry.objects.create(
        user=second, username="second", action="people", outcome="changed", subject="manager"
    )
    put(office, PolicyVersion.objects.get(kind=LIMITS.key), "approve")
    assert PolicyVersion.objects.get(kind=LIMITS.key).state == State.WAITING


@pytest.mark.parametrize("lost", ["account", "role"])
def test_what_was_asked_by_one_who_may_no_longer_ask_is_not_approved(
    desk: Client, office: Client, manager: User, lost: str
) -> None:
    ask(desk)
    if lost == "role":
        manager.app_roles.all().delete()
    else:
        User.objects.filter(pk=manager.pk).update(is_active=False)
    put(office, PolicyVersion.objects.get(kind=LIMITS.key), "approve")
    assert PolicyVersion.objects.get(kind=LIMITS.key).state == State.WAITING


@pytest.mark.django_db(transaction=True)
def test_of_two_who_approve_at_once_one_is_told(desk: Client, manager: User, second: User) -> None:
    ask(desk)
    version = PolicyVersion.objects.get(kind=LIMITS.key)

    def approve(_number: int) -> bool:
        try:
            decide(version, LIMITS, "kenya", second, approves=True)
        except NothingToDecide:
            return False
        return True

    assert sorted(at_once(2, approve)) == [False, True]
    assert Entry.objects.filter(outcome="approved").count() == 1


def test_a_planned_change_holds_from_its_day_after_the_approval(
    desk: Client, office: Client
) -> None:
    app = lending_app("kenya")
    day = timezone.localdate(timezone=app.zone) + timedelta(days=2)
    ask(desk, validFrom=day.isoformat())
    put(office, PolicyVersion.objects.get(kind=LIMITS.key), "approve")
    assert read_limits("kenya") is None
    later = timezone.now() + timedelta(days=3)
    assert read_values(LIMITS, "kenya", later)["amount"] == "900"


def test_the_rule_itself_is_guarded_and_lowers_control(desk: Client, office: Client) -> None:
    page = "/apps/kenya/settings/second-manager/"
    desk.post(page, {"reason": "one manager left", "seen": "1"})
    version = PolicyVersion.objects.get(kind=SECOND_MANAGER.key, state=State.WAITING)
    assert is_second_on()
    assert 'data-finding="lowers"' in office.get(page).content.decode()
    office.post(f"{page}{version.number}/decide", {"decision": "approve"})
    assert not is_second_on()
    # From then on, nobody approves.
    assert ask(desk).status_code == 302
    assert PolicyVersion.objects.get(kind=LIMITS.key).state == State.SAVED


def test_a_manager_of_one_app_can_t_change_the_rules_of_all(client_of: ClientOf) -> None:
    person = User.objects.create_user("of-kenya")
    give_roles(person, "manager", apps=["kenya"])
    answer = client_of(person).post(
        "/apps/kenya/settings/second-manager/", {"reason": "r", "seen": "1"}
    )
    assert 'data-finding="obstacle"' in answer.content.decode()
    assert PolicyVersion.objects.filter(kind=SECOND_MANAGER.key).count() == 1


def test_those_who_may_approve_get_a_mail_without_values(desk: Client, second: User) -> None:
    ask(desk, "123456")
    (task,) = DBTaskResult.objects.filter(task_path=tell_managers.module_path)
    tell_managers.call(*task.args_kwargs["args"])
    (message,) = mail.outbox
    assert message.bcc == ["second@example.org"]
    assert PAGE in message.body and "123456" not in message.body


@pytest.mark.parametrize(
    ("before", "after", "lowers"),
    [
        ({}, {"amount": "5"}, False),
        ({"amount": "5"}, {"amount": "5"}, False),
        ({"amount": "5"}, {"amount": "4"}, False),
        ({"amount": "5"}, {"amount": "5.01"}, True),
        ({"amount": "5"}, {}, True),
        ({"day": "0"}, {"day": "1"}, True),
        ({"confirm_above": "5"}, {"confirm_above": None}, True),
        ({"look_alikes": True}, {}, True),
        ({}, {"look_alikes": True}, False),
    ],
)
def test_what_lowers_control(before: dict[str, Any], after: dict[str, Any], lowers: bool) -> None:
    assert LIMITS.lowers
    assert LIMITS.lowers(LIMITS.complete(before), LIMITS.complete(after)) == lowers
