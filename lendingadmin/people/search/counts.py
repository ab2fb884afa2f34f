"""Counts of searches for people.

Each person has an hourly limit. The audit trail gets the counts.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lendingadmin.core import audit
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import SEARCH_BORROWERS
from lendingadmin.web.quotas import SEARCHES, take

from .models import SearchCount


def count_search(person: User, app_id: str) -> None:
    """Count one search. Raise OverQuota if the person has reached the hourly limit."""
    take(person, SEARCHES)
    hour = _get_hour(timezone.now())
    row = SearchCount.objects.get_or_create(person=person, app_id=app_id, hour=hour)[0]
    SearchCount.objects.filter(pk=row.pk).update(count=F("count") + 1)


def audit_counts() -> None:
    """Move the counts of past hours to the audit trail, at most 500. The worker calls this."""
    over = SearchCount.objects.filter(hour__lt=_get_hour(timezone.now()))
    for row in over.select_related("person")[:500]:
        with transaction.atomic():
            if not SearchCount.objects.filter(pk=row.pk).delete()[0]:
                continue
            ends = row.hour + timedelta(hours=1)
            audit.record(
                row.person,
                SEARCH_BORROWERS,
                app_id=row.app_id,
                outcome=ngettext("%(count)s search", "%(count)s searches", row.count)
                % {"count": row.count},
                saved="",
                detail=_("from %(begin)s to %(end)s UTC")
                % {"begin": f"{row.hour:%Y-%m-%d %H:%M}", "end": f"{ends:%H:%M}"},
            )


def _get_hour(now: datetime) -> datetime:
    return now.replace(minute=0, second=0, microsecond=0)
