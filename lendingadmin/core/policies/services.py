"""Functions that read the rule that is in force, and save a new version."""

from datetime import date, datetime, time
from functools import lru_cache
from time import monotonic
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop

from lendingadmin.core import audit
from lendingadmin.core.audit.origin import describe_operator
from lendingadmin.core.english import in_english
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import CHANGE_POLICIES

from .kinds import PolicyKind, Values
from .models import PolicyVersion

#: Seconds after which `read_recent` returns a changed value in every process.
RECENT_SECONDS = 2


def list_versions(app_id: str, kind: PolicyKind) -> QuerySet[PolicyVersion]:
    """Return the versions of a rule, the newest first."""
    rows = PolicyVersion.objects.filter(app_id=kind.get_owner(app_id), kind=kind.key)
    return rows.select_related("changed_by", "decided_by").order_by("-number")


def list_saved(app_id: str, kind: PolicyKind) -> QuerySet[PolicyVersion]:
    """Return the versions that need no decision or were approved, the newest first."""
    return list_versions(app_id, kind).filter(state=PolicyVersion.State.SAVED)


def find_version(app_id: str, kind: PolicyKind, at: datetime) -> PolicyVersion | None:
    """Return the version that is in force at a time; None if no version was saved until then."""
    return list_saved(app_id, kind).filter(valid_from__lte=at).first()


def read_values(kind: PolicyKind, app_id: str = "", at: datetime | None = None) -> dict[str, Any]:
    """Return the values that are in force, now or at a time. A shared rule needs no app.

    The values are read from the database each time, because a change must be in force immediately
    in all processes.
    """
    in_force = list_saved(app_id, kind).filter(valid_from__lte=at or timezone.now())
    return kind.complete(in_force.values_list("values", flat=True).first())


def read_recent(kind: PolicyKind, app_id: str = "") -> dict[str, Any]:
    """Return the values that were in force at most RECENT_SECONDS ago.

    Use this for rules that most pages need. The process remembers the values for this time.
    """
    return read_values_of(kind, app_id, int(monotonic() // RECENT_SECONDS))


@lru_cache(maxsize=256)
def read_values_of(kind: PolicyKind, app_id: str, moment: int) -> dict[str, Any]:
    """Return the values of a rule, remembered by the process until `moment` changes."""
    return read_values(kind, app_id)


@in_english
def save_policy(
    app: LendingApp,
    kind: PolicyKind,
    values: Values,
    *,
    seen: int,
    by: User | None,
    reason: str,
    day: date | None = None,
    now: datetime | None = None,
    waits: bool = False,
) -> PolicyVersion | None:
    """Save a version with an audit entry.

    The version is in force now, or from 0:00 of `day` in the lender's zone. `seen` is the number of
    the version that the person changed; 0 for the defaults. Return None if another version was
    saved since then. `now` is the time of the change, if it is not the current time. A version that
    `waits` is in force only after another manager has approved it.
    """
    newest, now = list_versions(app.app_id, kind).first(), now or timezone.now()
    if (newest.number if newest else 0) != seen:
        return None
    saved = list_saved(app.app_id, kind).first()
    changes = kind.describe_changes(kind.complete(saved.values if saved else None), values)
    begin = datetime.combine(day, time(), app.zone) if day else now
    detail = "; ".join(f"{label}: {old or '—'} → {new or '—'}" for label, old, new in changes)
    start = "" if day is None else f"{day.isoformat()}: "
    detail = f"{start}{detail}" if by else f"{start}{detail}; {describe_operator()}"
    states = PolicyVersion.State
    try:
        with transaction.atomic():
            version = PolicyVersion.objects.create(
                app_id=kind.get_owner(app.app_id),
                kind=kind.key,
                number=seen + 1,
                values=values,
                valid_from=begin,
                reason=reason,
                changed_by=by,
                changed_at=now,
                state=states.WAITING if waits else states.SAVED,
            )
            outcome = gettext_noop("asked") if waits else gettext_noop("saved")
            audit.record_about(version, by, CHANGE_POLICIES, outcome, detail=detail)
    except IntegrityError:
        return None
    read_values_of.cache_clear()
    return version
