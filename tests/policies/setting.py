"""Rules of a lender that a test puts in force, without the page and the trail."""

from typing import Any

from django.utils import timezone

from lendingadmin.core.policies.deciding import SECOND_MANAGER
from lendingadmin.core.policies.kinds import PolicyKind
from lendingadmin.core.policies.models import PolicyVersion
from lendingadmin.core.policies.services import list_versions, read_values_of
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.policies import RETENTION
from lendingadmin.desk.collections.policies import CALLING
from lendingadmin.money.repayments.policies import LIMITS
from lendingadmin.web.policies import LOAN, STATUS_WORDS
from lendingadmin.web.quotas import QUOTAS

# The rules of all tests, unless a test sets its own.
STATUS_WORDS.defaults[LOAN] = {"1": "pending", "2": "open", "3": "closed"}  # type: ignore[index]
OWN_EXPORTS = QUOTAS.defaults["exports"]
QUOTAS.defaults["exports"] = 1_000_000  # type: ignore[index]
SECOND_MANAGER.defaults["is_on"] = False  # type: ignore[index]

ALWAYS, NEVER = [["00:00", "00:00"]] * 7, [None] * 7


def set_policy(kind: PolicyKind, app_id: str = "kenya", **values: Any) -> PolicyVersion:
    """Put values in force from now on; the others of the rule stay as they are."""
    newest, now = list_versions(app_id, kind).first(), timezone.now()
    person, _made = User.objects.get_or_create(username="ruler", defaults={"password": "!"})
    read_values_of.cache_clear()
    return PolicyVersion.objects.create(
        app_id=kind.get_owner(app_id),
        kind=kind.key,
        number=newest.number + 1 if newest else 1,
        values={**kind.complete(newest and newest.values), **values},
        valid_from=now,
        changed_by=person,
        changed_at=now,
    )


def set_calling(app_id: str = "kenya", **values: Any) -> PolicyVersion:
    """Put calling rules in force."""
    return set_policy(CALLING, app_id, **values)


def set_limits(app_id: str = "kenya", **amounts: str | bool | None) -> PolicyVersion:
    """Put limits of repayments in force, and no others."""
    return set_policy(LIMITS, app_id, **{**LIMITS.defaults, **amounts})


def set_second_manager(is_on: bool = True) -> PolicyVersion:
    """Have a second manager approve, or not."""
    return set_policy(SECOND_MANAGER, is_on=is_on)


def set_words(**tables: dict[str, str]) -> PolicyVersion:
    """Have these words for the status numbers of these tables."""
    return set_policy(STATUS_WORDS, **tables)


def set_retention(**days: int | None) -> PolicyVersion:
    """Have data erased and deleted after these days, and no other numbers."""
    return set_policy(RETENTION, **{**dict.fromkeys(RETENTION.defaults, 0), **days})
