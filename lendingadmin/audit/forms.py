"""What the audit trail is filtered by."""

from datetime import UTC, datetime, time, timedelta
from functools import reduce
from operator import and_
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Upper
from django.db.models.lookups import Exact
from django.utils.safestring import SafeString

from lendingadmin.audit.models import Entry
from lendingadmin.ui.dates import plausible


class _Undrawn(forms.HiddenInput):
    """The place in the list is read from the address; filtering again starts at the top."""

    def render(self, *args: Any, **kwargs: Any) -> SafeString:
        return SafeString("")


class FilterForm(forms.Form):
    """The filters of the audit page, all of them optional. Days are whole days in UTC."""

    person = forms.CharField(required=False, max_length=150, label="Person")
    action = forms.CharField(required=False, max_length=100, label="Action")
    app = forms.ChoiceField(required=False, label="App")
    since = forms.DateField(
        required=False,
        label="From",
        widget=forms.DateInput(attrs={"type": "date"}),
        validators=[plausible],
    )
    until = forms.DateField(
        required=False,
        label="To",
        widget=forms.DateInput(attrs={"type": "date"}),
        validators=[plausible],
    )
    before = forms.IntegerField(required=False, min_value=1, widget=_Undrawn)

    def __init__(self, data: object) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        apps = [(app.app_id, app.app_id) for app in settings.LENDING_APPS]
        self.fields["app"].choices = [("", "All"), *apps]  # type: ignore[attr-defined]

    def rows(self) -> QuerySet[Entry]:
        """The entries among which `keyset.read_slice` finds those of a valid form, by an index."""
        return Entry.objects.filter(self._days(), self._conditions()[0])

    def others(self) -> Q | None:
        """What the entries of `rows` must fulfil besides."""
        others = self._conditions()[1:]
        return reduce(and_, others) if others else None

    def _conditions(self) -> list[Q]:
        """The filters, the one that finds fewest first."""
        asked, found = self.cleaned_data, []
        if asked.get("person"):
            found.append(Q(Exact(Upper("username"), Upper(Value(asked["person"].strip())))))
        if asked.get("action"):
            found.append(Q(action=asked["action"].strip()))
        if asked.get("app"):
            found.append(Q(app_id=asked["app"]))
        return found or [Q()]

    def _days(self) -> Q:
        since, until, days = self.cleaned_data.get("since"), self.cleaned_data.get("until"), Q()
        if since:
            days &= Q(at__gte=datetime.combine(since, time.min, UTC))
        if until:
            days &= Q(at__lt=datetime.combine(until, time.min, UTC) + timedelta(days=1))
        return days
