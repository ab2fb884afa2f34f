"""What the audit trail is filtered by."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import QuerySet
from django.utils.safestring import SafeString

from lendingadmin.audit.models import Entry
from lendingadmin.web.dates import plausible


class _Undrawn(forms.HiddenInput):
    """The place in the list is read from the address; filtering anew starts at the top."""

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

    def narrow(self, entries: QuerySet[Entry]) -> QuerySet[Entry]:
        """Apply the filters of a valid form."""
        asked = self.cleaned_data
        if asked.get("person"):
            entries = entries.filter(username__iexact=asked["person"].strip())
        if asked.get("action"):
            entries = entries.filter(action=asked["action"].strip())
        if asked.get("app"):
            entries = entries.filter(app_id=asked["app"])
        if asked.get("since"):
            entries = entries.filter(at__gte=datetime.combine(asked["since"], time.min, UTC))
        if asked.get("until"):
            end = datetime.combine(asked["until"], time.min, UTC)
            entries = entries.filter(at__lt=end + timedelta(days=1))
        if asked.get("before"):
            entries = entries.filter(id__lt=asked["before"])
        return entries
