"""Changes to guarded rules.

A second manager approves them while the rule “Second manager” is on.
"""

from datetime import timedelta
from functools import partial
from typing import Any

from django import forms
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext

from lendingadmin.core import audit
from lendingadmin.core.english import in_english
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.independence import find_dependence, list_dependent
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import CHANGE_POLICIES

from .kinds import PolicyForm, PolicyKind, describe_fields
from .models import PolicyVersion
from .services import list_versions, read_values, read_values_of

#: Time in which a change must be approved. It is short, so that the managers still know the reason.
APPROVE_WITHIN = timedelta(days=3)
State = PolicyVersion.State


class SecondManagerForm(PolicyForm):
    """Form of the rule “Second manager”: changes need the approval of another manager."""

    is_on = forms.BooleanField(label=gettext_lazy("A second manager approves"), required=False)


def _describe_now(app: LendingApp) -> str:
    app_id: Any = app.app_id
    managers = User.objects.with_perm(CHANGE_POLICIES, obj=app_id).count()
    words = ngettext(
        "%(count)s person may change the settings of %(app)s.",
        "%(count)s people may change the settings of %(app)s and approve each other's changes.",
        managers,
    )
    return words % {"count": managers, "app": app.app_id}


SECOND_MANAGER = PolicyKind(
    "second-manager",
    gettext_lazy("Second manager"),
    gettext_lazy(
        "A second manager approves new roles, changes to a manager's account, and changes to "
        "rules about money and people."
    ),
    SecondManagerForm,
    {"is_on": True},
    partial(describe_fields, SecondManagerForm),
    _describe_now,
    is_shared=True,
    is_guarded=True,
    lowers=lambda before, after: bool(before["is_on"] and not after["is_on"]),
)


class NothingToDecide(Exception):
    """Error: the change was already decided, has expired, or needs another manager."""


def is_second_on() -> bool:
    """Return True if a second manager must approve changes to people and to guarded rules."""
    return bool(read_values(SECOND_MANAGER)["is_on"])


def needs_second(kind: PolicyKind) -> bool:
    """Return True if a change to this rule needs a second manager now."""
    return kind.is_guarded and is_second_on()


def may_change(person: User, kind: PolicyKind, app_id: str) -> bool:
    """Return True if the person may change the rule. A shared rule needs the right in all apps."""
    every = [one.app_id for one in settings.LENDING_APPS]
    return all(
        person.has_perm(CHANGE_POLICIES, one) for one in (every if kind.is_shared else [app_id])
    )


def list_deciders(kind: PolicyKind, app_id: str, by: User) -> list[User]:
    """Return the people who may approve this manager's change to a rule."""
    app: Any = app_id
    others = User.objects.with_perm(CHANGE_POLICIES, obj=app).exclude(pk=by.pk)
    others = others.exclude(pk__in=list_dependent(by)).order_by("username")
    return [one for one in others if may_change(one, kind, app_id)]


def find_obstacle(kind: PolicyKind, app_id: str, by: User) -> str:
    """Return the reason why this manager can't change the rule now; empty if there is none."""
    if not may_change(by, kind, app_id):
        return _("This setting is for all apps. Only a manager of all apps can change it.")
    if find_waiting(app_id, kind):
        return _(
            "A change is waiting for a second manager. This setting can't be changed again "
            "before the decision."
        )
    if needs_second(kind) and not list_deciders(kind, app_id, by):
        return _("A second manager must approve this change, but no other manager has this right.")
    return ""


def find_waiting(app_id: str, kind: PolicyKind) -> PolicyVersion | None:
    """Return the version that waits for a second manager; None if none waits."""
    newest = list_versions(app_id, kind).first()
    since = timezone.now() - APPROVE_WITHIN
    waits = newest and newest.state == State.WAITING and newest.changed_at > since
    return newest if waits else None


def list_waiting(app_id: str, person: User) -> QuerySet[PolicyVersion]:
    """Return the versions of an app, and of all apps, that wait for this person's decision."""
    if not person.has_perm(CHANGE_POLICIES, app_id):
        return PolicyVersion.objects.none()
    mine = person.list_apps_with(CHANGE_POLICIES)
    shared = [""] if len(mine) == len(settings.LENDING_APPS) else []
    rows = PolicyVersion.objects.filter(
        app_id__in=[app_id, *shared],
        state=State.WAITING,
        changed_at__gt=timezone.now() - APPROVE_WITHIN,
    )
    return rows.exclude(changed_by=person).exclude(changed_by__in=list_dependent(person))


def may_approve(version: PolicyVersion, kind: PolicyKind, app_id: str, person: User) -> bool:
    """Return True if this person may approve this change, which another person requested.

    The two people must be independent, and both must be able to change the rule now. The account of
    the person who requested must be active.
    """
    asker = version.changed_by
    if asker is None or asker == person or not asker.is_active:
        return False
    may_both = may_change(person, kind, app_id) and may_change(asker, kind, app_id)
    return may_both and not find_dependence(person, asker)


@in_english
def decide(
    version: PolicyVersion, kind: PolicyKind, app_id: str, by: User, *, approves: bool
) -> PolicyVersion:
    """Approve or decline the waiting version with an audit entry; return the version.

    People who decline their own change withdraw the change. An approved version is in force
    immediately, or from the later day that it names. Raise NothingToDecide if the version no longer
    waits, or if this person may not decide.
    """
    is_own = version.changed_by_id == by.pk
    if not (may_approve(version, kind, app_id, by) or (is_own and not approves)):
        raise NothingToDecide
    now = timezone.now()
    state = State.SAVED if approves else State.WITHDRAWN if is_own else State.DECLINED
    outcomes = {
        State.SAVED: gettext_noop("approved"),
        State.DECLINED: gettext_noop("declined"),
        State.WITHDRAWN: gettext_noop("withdrawn"),
    }
    with transaction.atomic():
        waiting = PolicyVersion.objects.filter(
            pk=version.pk, state=State.WAITING, changed_at__gt=now - APPROVE_WITHIN
        )
        begin = max(version.valid_from, now)
        if not waiting.update(state=state, decided_by=by, decided_at=now, valid_from=begin):
            raise NothingToDecide
        version.refresh_from_db()
        audit.record_about(version, by, CHANGE_POLICIES, outcomes[state])
    read_values_of.cache_clear()
    return version
