"""The calling rules that managers change on Settings: the form, the words and the reader."""

from datetime import date, time
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.dates import WEEKDAYS
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.kinds import PolicyForm, PolicyKind, Values, Words
from lendingadmin.core.policies.services import read_values
from lendingadmin.web.dates import plausible
from lendingadmin.web.display.times import day, moment
from lendingadmin.web.fields import LineField, PairField, list_rows, refuse_twice
from lendingadmin.web.keyset import spell_count

from . import rules
from .queues import Queue

# The queues of loans that are due today or late. Each loan is in at most one of these queues.
_OF_LATE_LOANS = ("due-today", "late-1-7", "late-8-30", "late-31")
_MOST_DAYS = 100


def _time(label: Any) -> forms.TimeField:
    widget = forms.TimeInput(attrs={"type": "time"})
    return forms.TimeField(label=label, input_formats=["%H:%M"], widget=widget)


class _HoursField(PairField):
    """Field for the hours of a weekday: `["08:00", "19:00"]`, or None for a day without calls."""

    def __init__(self, **options: Any) -> None:
        super().__init__({"begin": _time(_("From")), "end": _time(_("Until"))}, **options)

    def compress(self, data_list: list[time | None]) -> list[str] | None:
        """Return the two times as text; None for a day without calls.

        Raises ValidationError if one time is missing, or if the day ends before it begins.
        """
        begin, end = data_list or (None, None)
        if begin is None and end is None:
            return None
        if begin is None or end is None:
            words = gettext("Enter both times. For a day without calls, leave both times empty.")
            raise forms.ValidationError(words, code="incomplete")
        if begin >= rules.end_of(end):
            words = gettext("Enter an end that is later than the beginning.")
            raise forms.ValidationError(words, code="order")
        return [f"{begin:%H:%M}", f"{end:%H:%M}"]


class _DayField(PairField):
    """Field for a closed day and its reason: `["2026-12-24", "staff day"]`; None if empty."""

    def __init__(self, **options: Any) -> None:
        closed = forms.DateField(
            label=_("Day"),
            input_formats=["%Y-%m-%d"],
            validators=[plausible],
            widget=forms.DateInput(attrs={"type": "date"}),
        )
        super().__init__(
            {"day": closed, "word": LineField(label=_("Reason"), max_length=60)}, **options
        )

    def compress(self, data_list: list[Any]) -> list[str] | None:
        """Return the day as text, and the reason.

        Raise ValidationError if one of them is missing.
        """
        closed, word = data_list or (None, "")
        if bool(closed) != bool(word):
            words = gettext("Enter a day and a reason. To remove the day, clear both fields.")
            raise forms.ValidationError(words, code="incomplete")
        return [closed.isoformat(), word] if closed else None


class CallingForm(PolicyForm):
    """Form of the calling rules. Times and days are in the lender's zone."""

    a_day = forms.IntegerField(label=_("Calls to one borrower in a day"), min_value=1, max_value=50)
    a_week = forms.IntegerField(
        label=_("Calls to one borrower within seven days"), min_value=1, max_value=200
    )
    has_holidays = forms.BooleanField(label=_("No calls on public holidays"), required=False)

    def __init__(self, data: Any, *, app: LendingApp, values: Values) -> None:
        super().__init__(data, app=app, values=values)
        for number, name in WEEKDAYS.items():
            self.fields[f"hours{number}"] = _HoursField(label=name)
        rows = list_rows(data, "closed", "day", stored=len(values["closed"]), most=_MOST_DAYS)
        for number, name in enumerate(rows, 1):
            label = gettext("Closed day %(number)s") % {"number": number}
            self.fields[name] = _DayField(label=label)
        year = timezone.localdate(timezone=app.zone).year
        found = sorted(rules.list_holidays(app.zone, year).items())
        self.fields["has_holidays"].help_text = (
            format_html(
                "<details><summary>{}</summary><ul>{}</ul></details>",
                gettext("Public holidays in %(year)s") % {"year": year},
                format_html_join("", "<li>{} · {}</li>", ((day(at), name) for at, name in found)),
            )
            if found
            else gettext("No public holidays are known for this time zone.")
        )

    def build_initial(self, values: Values) -> dict[str, Any]:
        """Return the initial values, with a field for each weekday and closed day."""
        hours = {f"hours{number}": one for number, one in enumerate(values["hours"])}
        closed = {f"closed{number}": one for number, one in enumerate(values["closed"])}
        return {**values, **hours, **closed}

    def clean(self) -> dict[str, Any]:
        """Check that a week allows the calls of a day, and that no closed day is there twice."""
        cleaned = super().clean() or self.cleaned_data
        a_day, a_week = cleaned.get("a_day"), cleaned.get("a_week")
        if a_day and a_week and a_week < a_day:
            words = gettext("Enter at least the number of calls that are allowed in one day.")
            self.add_error("a_week", forms.ValidationError(words, code="order"))
        words = gettext("This day is already in the list.")
        refuse_twice(self, self._list_names("closed"), words)
        return cleaned

    def get_values(self) -> dict[str, Any]:
        """Return the values of a valid form, with the closed days in order."""
        given = self.cleaned_data
        return {
            "hours": [given[name] for name in self._list_names("hours")],
            **{name: given[name] for name in ("a_day", "a_week", "has_holidays")},
            "closed": sorted(given[name] for name in self._list_names("closed") if given[name]),
        }

    @property
    def groups(self) -> list[tuple[str, str, list[forms.BoundField]]]:
        """The fields in groups, each with a heading and a hint."""
        hours, closed = (
            [self[x] for x in self._list_names(start)] for start in ("hours", "closed")
        )
        hours_hint = gettext(
            "Times are in the lender's time zone. For a day without calls, leave both times "
            "empty. For midnight, enter 00:00 as the end."
        )
        closed_hint = gettext("To remove a day, clear the row. To get more empty rows, save.")
        return [
            (gettext("Hours"), hours_hint, hours),
            (gettext("Attempts"), "", [self["a_day"], self["a_week"]]),
            (gettext("Public holidays"), "", [self["has_holidays"]]),
            (gettext("Closed days"), closed_hint, closed),
        ]

    def _list_names(self, start: str) -> list[str]:
        return [name for name in self.fields if name.startswith(start)]


def _describe_hours(hours: list[str] | None) -> str:
    if hours is None:
        return gettext("no calls")
    begin, end = hours
    return gettext("all day") if begin == end else f"{begin}–{'24:00' if end == '00:00' else end}"


def _describe(values: Values) -> Words:
    fields = CallingForm.base_fields
    closed = [f"{day(date.fromisoformat(at))} {word}" for at, word in values["closed"]]
    return [
        *(
            (str(WEEKDAYS[number]), _describe_hours(one))
            for number, one in enumerate(values["hours"])
        ),
        *((str(fields[name].label), str(values[name])) for name in ("a_day", "a_week")),
        (
            str(fields["has_holidays"].label),
            gettext("yes") if values["has_holidays"] else gettext("no"),
        ),
        (gettext("Closed days"), ", ".join(closed) or gettext("none")),
    ]


def _describe_now(app: LendingApp) -> str:
    allowed, now = get_rules(app), timezone.now()
    opening = rules.find_opening(allowed, now)
    if opening == now:
        loans = sum(Queue(app, key, now).count_lately() for key in _OF_LATE_LOANS)
        words = ngettext(
            "Calls about %(count)s loan are allowed now.",
            "Calls about %(count)s loans are allowed now.",
            loans,
        )
        return words % {"count": spell_count(loans) or "0"}
    if opening is None:
        return gettext("No calls are allowed in the next 60 days.")
    words = gettext("Calls are allowed again from %(moment)s.")
    return words % {"moment": moment(opening, app.zone)}


CALLING = PolicyKind(
    "calling",
    _("Calling rules"),
    _(
        "These rules decide when and how often calls are allowed, and when queues show phone "
        "numbers."
    ),
    CallingForm,
    rules.DEFAULTS,
    _describe,
    _describe_now,
)


def get_rules(app: LendingApp) -> rules.CallingRules:
    """Return the calling rules of an app that are in force."""
    return rules.build_rules(app.zone, read_values(CALLING, app.app_id))
