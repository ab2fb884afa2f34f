"""The setting for late sheets: form, texts and reader."""

from datetime import timedelta
from functools import partial

from django import forms
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.kinds import PolicyForm, PolicyKind, describe_fields
from lendingadmin.core.policies.services import read_values

from .models import Sheet


class LateSheetsForm(PolicyForm):
    """Form for the number of days after which a sheet is late."""

    days = forms.IntegerField(
        label=_("Days from the visit until a sheet is late"), min_value=0, max_value=60
    )


def list_late(app: LendingApp) -> QuerySet[Sheet]:
    """Return the open sheets that are late."""
    latest = timezone.localdate(timezone=app.zone) - timedelta(days=read_days(app.app_id))
    return Sheet.objects.filter(app_id=app.app_id, state=Sheet.State.OPEN, day__lt=latest)


def _describe_now(app: LendingApp) -> str:
    late = list_late(app).count()
    words = ngettext("%(count)s sheet is late now.", "%(count)s sheets are late now.", late)
    return words % {"count": late}


LATE_SHEETS = PolicyKind(
    "late-sheets",
    _("Late sheets"),
    _(
        "If a collection sheet is not returned after this number of days, managers see that "
        "the sheet is late."
    ),
    LateSheetsForm,
    {"days": 2},
    partial(describe_fields, LateSheetsForm),
    _describe_now,
)


def read_days(app_id: str) -> int:
    """Return the number of days after the day of a sheet until the sheet is late."""
    return int(read_values(LATE_SHEETS, app_id)["days"])
