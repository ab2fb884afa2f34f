"""Function that saves a changed rule, which may wait for a second manager."""

from datetime import date

from django.db import transaction

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.deciding import needs_second
from lendingadmin.core.policies.kinds import PolicyKind, Values
from lendingadmin.core.policies.models import PolicyVersion
from lendingadmin.core.policies.services import save_policy
from lendingadmin.core.policies.tasks import tell_managers
from lendingadmin.core.staff.models import User


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
