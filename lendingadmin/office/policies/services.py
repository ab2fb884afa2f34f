"""Save a changed rule, and list the changes that wait for a second manager."""

from datetime import date

from django.db import transaction
from django.utils.translation import gettext_lazy, ngettext_lazy

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.deciding import list_waiting, needs_second
from lendingadmin.core.policies.kinds import PolicyKind, Values, find_kind
from lendingadmin.core.policies.models import PolicyVersion
from lendingadmin.core.policies.services import save_policy
from lendingadmin.core.policies.tasks import tell_managers
from lendingadmin.core.staff.models import User
from lendingadmin.web.decisions import Task, ToDecide


def save_change(
    app: LendingApp,
    kind: PolicyKind,
    values: Values,
    *,
    seen: int,
    by: User,
    reason: str,
    day: date | None = None,
) -> PolicyVersion | None:
    """Save a version as `save_policy` does. If the version waits, managers get a mail."""
    waits = needs_second(kind)
    with transaction.atomic():
        version = save_policy(
            app, kind, values, seen=seen, by=by, reason=reason, day=day, waits=waits
        )
        if version and waits:
            tell_managers.enqueue(version.pk)
    return version


TO_APPROVE = ngettext_lazy(
    "%(count)s setting change to approve",
    "%(count)s setting changes to approve",
    "number",
)


def _describe(version: PolicyVersion) -> Task:
    kind = find_kind(version.kind)
    title = str(kind.title) if kind else version.kind
    return Task(version.get_absolute_url(), title, version.changed_at, by=version.author)


DECISION = ToDecide(
    "policies",
    "policies",
    TO_APPROVE,
    list_waiting,
    describe=_describe,
    oldest_first=("changed_at", "pk"),
    button=gettext_lazy("Review"),
)
