"""Rules of a lender that a test puts in force, without the page and the trail."""

from typing import Any

from django.utils import timezone

from lendingadmin.core.policies.kinds import PolicyKind
from lendingadmin.core.policies.models import PolicyVersion
from lendingadmin.core.policies.services import list_versions
from lendingadmin.core.staff.models import User
from lendingadmin.desk.collections.policies import CALLING

ALWAYS, NEVER = [["00:00", "00:00"]] * 7, [None] * 7


def set_policy(kind: PolicyKind, app_id: str = "kenya", **values: Any) -> PolicyVersion:
    """Put values in force from now on; the others of the rule stay as they are."""
    newest, now = list_versions(app_id, kind.key).first(), timezone.now()
    person, _made = User.objects.get_or_create(username="ruler", defaults={"password": "!"})
    return PolicyVersion.objects.create(
        app_id=app_id,
        kind=kind.key,
        number=newest.number + 1 if newest else 1,
        values={**kind.defaults, **(newest.values if newest else {}), **values},
        valid_from=now,
        changed_by=person,
        changed_at=now,
    )


def set_calling(app_id: str = "kenya", **values: Any) -> PolicyVersion:
    """Put calling rules in force."""
    return set_policy(CALLING, app_id, **values)
