"""Form for the filters of the audit trail."""

import re
from collections.abc import Iterable
from datetime import datetime, time, timedelta, tzinfo
from functools import reduce
from operator import and_
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Upper
from django.db.models.lookups import Exact
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.audit.messages import ACTIONS
from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import VIEW_AUDIT
from lendingadmin.lending.ids import account_id
from lendingadmin.web.dates import plausible
from lendingadmin.web.display.times import zone_name
from lendingadmin.web.keyset import build_prefix
from lendingadmin.web.lists import as_id


class _Undrawn(forms.HiddenInput):
    """Widget that is not drawn. So after a changed filter, the list starts at the top."""

    def render(self, *args: Any, **kwargs: Any) -> SafeString:
        return SafeString("")


def _day(**options: Any) -> forms.DateField:
    widget = forms.DateInput(attrs={"type": "date"})
    return forms.DateField(required=False, widget=widget, validators=[plausible], **options)


class FilterForm(forms.Form):
    """Form for the filters of the audit page, all optional. Days are full days in `zone`."""

    record = forms.CharField(required=False, max_length=300, label=_("Record"))
    person = forms.CharField(required=False, max_length=150, label=_("Person"))
    action = forms.ChoiceField(required=False, label=_("Action"))
    app = forms.ChoiceField(required=False, label=_("App"))
    since = _day(label=_("From"))
    until = _day(label=_("To"))
    before = forms.IntegerField(required=False, min_value=1, widget=_Undrawn)

    def __init__(self, data: Any, *, zone: tzinfo, by: User) -> None:
        super().__init__(data)
        self.zone = zone
        self.seen = [app.app_id for app in by.list_apps_with(VIEW_AUDIT)]
        apps = [(app_id, app_id) for app_id in self.seen]
        actions = [
            ("", gettext("All")),
            *((name, gettext(words)) for name, words in ACTIONS.items()),
        ]
        asked = data.get("action", "")
        if asked and asked not in ACTIONS:
            # The address of the page may have an action that has no words. The filter also accepts
            # it.
            actions.append((asked, asked))
        self.fields["app"].choices = [("", gettext("All")), *apps]  # type: ignore[attr-defined]
        self.fields["action"].choices = actions  # type: ignore[attr-defined]
        self.fields["record"].widget.attrs["placeholder"] = gettext("Any id")
        for name in ("since", "until"):
            self.fields[name].zone_words = zone_name(zone)  # type: ignore[attr-defined]

    def rows(self) -> QuerySet[Entry]:
        """Return the entries of the chosen days that match the most selective filter of the form.

        This filter has an index. `others` returns the remaining conditions, such as the apps whose
        trail the person may see.
        """
        since, until, days = self.cleaned_data.get("since"), self.cleaned_data.get("until"), Q()
        if since:
            days &= Q(at__gte=datetime.combine(since, time.min, self.zone))
        if until:
            days &= Q(at__lt=datetime.combine(until + timedelta(days=1), time.min, self.zone))
        return Entry.objects.filter(days, self._conditions()[0])

    def others(self) -> Q | None:
        """Return the remaining conditions for the entries of `rows`; None if there are none."""
        others = self._conditions()[1:]
        return reduce(and_, others) if others else None

    def _conditions(self) -> list[Q]:
        """Return the conditions of the filters, the most selective one first."""
        asked, found = self.cleaned_data, []
        if asked.get("record"):
            apps = [asked["app"]] if asked.get("app") else self.seen
            found.append(_match_record(asked["record"].strip(), apps))
        if asked.get("person"):
            found.append(Q(Exact(Upper("username"), Upper(Value(asked["person"].strip())))))
        if asked.get("action"):
            found.append(Q(action=asked["action"].strip()))
        if asked.get("app"):
            found.append(Q(app_id=asked["app"]))
        elif len(self.seen) < len(settings.LENDING_APPS):
            found = [*(found or [Q()]), Q(app_id__in=["", *self.seen])]
        return found or [Q()]


def _match_record(record: str, apps: Iterable[str]) -> Q:
    """Return the condition for entries about one record.

    `record` is the id of a person, borrower, account, loan or repayment, or the address of a page.
    The subject of an entry is the id or starts with the id: a repayment may follow the id of a
    loan, and a time may follow the account of a borrower. A repayment is found by the address of
    its page. Each condition uses its own index, and the results are sorted afterwards. Otherwise
    databases would read the complete trail from its end to find the newest entries.
    """
    conditions = [Q(subject=record), build_prefix("subject", record + " rp-"), Q(url=record)]
    if as_id(record):
        account = account_id(record)
        conditions += [Q(subject=account), build_prefix("subject", f"{account} ")]
    if repayment := re.fullmatch(r"rp-([1-9]\d{0,17})", record, re.IGNORECASE):
        urls = [reverse("repayment", args=[app, int(repayment[1])]) for app in apps]
        conditions.append(Q(url__in=urls))
    first, *others = (Entry.objects.filter(one).order_by().values("pk") for one in conditions)
    return Q(pk__in=first.union(*others))
