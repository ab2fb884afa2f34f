"""Read the rule that is in force, and save a new version."""

from datetime import date, datetime, time
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop

from lendingadmin.core import audit
from lendingadmin.core.english import in_english
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import CHANGE_POLICIES

from .kinds import PolicyKind, Values
from .models import PolicyVersion


def list_versions(app_id: str, kind: str) -> QuerySet[PolicyVersion]:
    """Return the versions of a rule, the newest first."""
    rows = PolicyVersion.objects.filter(app_id=app_id, kind=kind)
    return rows.select_related("changed_by").order_by("-number")


def find_version(app_id: str, kind: str, at: datetime) -> PolicyVersion | None:
    """Return the version that is in force at a time; None if no version was saved until then."""
    return list_versions(app_id, kind).filter(valid_from__lte=at).first()


def read_policy(app_id: str, kind: str, at: datetime | None = None) -> dict[str, Any] | None:
    """Return the values that are in force, now or at a time; None if none was saved until then.

    The values are read from the database each time, because a change must be in force at once in
    all processes.
    """
    rows = PolicyVersion.objects.filter(app_id=app_id, kind=kind)
    in_force = rows.filter(valid_from__lte=at or timezone.now()).order_by("-number")
    return in_force.values_list("values", flat=True).first()


@in_english
def save_policy(
    app: LendingApp,
    kind: PolicyKind,
    values: Values,
    *,
    seen: int,
    by: User,
    reason: str,
    day: date | None = None,
    now: datetime | None = None,
) -> PolicyVersion | None:
    """Save a version with an audit entry, from now or from 0:00 of a day in the lender's zone.

    `seen` is the number of the version that the person changed, 0 for the defaults. Return None if
    another version was saved since then. `now` is the time of a change that is entered later.
    """
    newest, now = list_versions(app.app_id, kind.key).first(), now or timezone.now()
    if (newest.number if newest else 0) != seen:
        return None
    before = newest.values if newest else kind.defaults
    changes = kind.describe_changes(before, values)
    begin = datetime.combine(day, time(), app.zone) if day else now
    detail = "; ".join(f"{label}: {old or '—'} → {new or '—'}" for label, old, new in changes)
    start = "" if day is None else f"{day.isoformat()}: "
    try:
        with transaction.atomic():
            version = PolicyVersion.objects.create(
                app_id=app.app_id,
                kind=kind.key,
                number=seen + 1,
                values=values,
                valid_from=begin,
                reason=reason,
                changed_by=by,
                changed_at=now,
            )
            outcome = gettext_noop("saved")
            audit.record_about(version, by, CHANGE_POLICIES, outcome, detail=start + detail)
    except IntegrityError:
        return None
    return version
