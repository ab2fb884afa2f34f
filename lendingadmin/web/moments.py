"""Form fields for a day and a time in the current zone, which on an app's pages is the lender's.

In the hour in which clocks go back, a time occurs twice. The field then offers both times. The
chosen time is written with its offset from UTC: `2026-10-25T02:30+02:00`.
"""

import re
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.web.display.times import instants, offset_words, zone_name

from .dates import far_notice, plausible

_TO_THE_MINUTE, _TO_THE_SECOND = "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"
_FORMATS = [_TO_THE_MINUTE, _TO_THE_SECOND, "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"]
_PARTS = re.compile(r"(.*?)([+-]\d\d:\d\d)?", re.DOTALL)


def in_current_zone(typed: datetime) -> datetime:
    """Return the aware time of a naive day and time.

    Raise ValidationError if clocks skip this time or show it twice.
    """
    zone = timezone.get_current_timezone()
    found = instants(typed, zone)
    if len(found) == 1:
        return found[0]
    clock, place = f"{typed:%H:%M}", zone_name(zone)
    if not found:
        raise ValidationError(
            _(
                "On that day, clocks go forward and %(clock)s does not exist in %(place)s. "
                "Enter another time."
            )
            % {"clock": clock, "place": place}
        )
    one, other = (f"{clock} {offset_words(moment)}" for moment in found)
    words = _("On that day, clocks go back and %(clock)s comes twice. Choose %(one)s or %(other)s.")
    raise ValidationError(words % {"clock": clock, "one": one, "other": other})


def as_typed(moment: datetime, *, seconds: bool = False) -> str:
    """Return an aware time as text for a form, in the current zone.

    The text has the time's offset from UTC if clocks show the time twice.
    """
    here = timezone.localtime(moment)
    text = here.strftime(_TO_THE_SECOND if seconds else _TO_THE_MINUTE)
    is_one = len(_instants_of(text)) < 2
    return text if is_one else f"{text}{_offset(here)}"


class MomentInput(forms.DateTimeInput):
    """A browser's control for day and time, and a choice if clocks show the time twice."""

    template_name = "django/forms/widgets/moment.html"

    def __init__(self, *, seconds: bool = False) -> None:
        step = {"step": "1"} if seconds else {}
        form = _TO_THE_SECOND if seconds else _TO_THE_MINUTE
        super().__init__(attrs={"type": "datetime-local", **step}, format=form)

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        """Return the text, followed by the chosen offset if the text needs one."""
        text = super().value_from_datadict(data, files, name)
        chosen = data.get(f"{name}-offset", "")
        known = {_offset(one) for one in _instants_of(text)} if chosen else set()
        return f"{text}{chosen}" if len(known) > 1 and chosen in known else text

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        """Return the context; `readings` has both times if the typed text has two."""
        text, chosen = _split(value)
        context = super().get_context(name, text, attrs)
        found = _instants_of(text)
        if len(found) > 1:
            context["widget"]["readings"] = [
                (_offset(one), f"{one:%H:%M} {offset_words(one)}", _offset(one) == chosen)
                for one in found
            ]
        return context


class MomentField(forms.DateTimeField):
    """A day and time in the current zone, to the minute or to the second."""

    def __init__(self, *, seconds: bool = False, **options: Any) -> None:
        self.seconds = seconds
        usual: dict[str, Any] = {
            "widget": MomentInput(seconds=seconds),
            "input_formats": _FORMATS,
            "validators": [plausible],
        }
        super().__init__(**{**usual, **options})

    def prepare_value(self, value: Any) -> Any:
        """Return an initial aware time as people type it. Other values do not change."""
        if isinstance(value, datetime) and timezone.is_aware(value):
            return as_typed(value, seconds=self.seconds)
        return value

    def to_python(self, value: Any) -> datetime | None:
        """Return the aware time, or None for an empty field.

        Raise ValidationError if the text is not a time, if clocks skip the time, or if clocks show
        the time twice and no choice was made.
        """
        try:
            return super().to_python(value)
        except ValidationError as error:
            if error.code != "ambiguous_timezone" or not error.params:
                raise
            return in_current_zone(error.params["datetime"])


def _split(value: Any) -> tuple[Any, str]:
    found = _PARTS.fullmatch(value) if isinstance(value, str) else None
    return (found[1], found[2] or "") if found else (value, "")


def _instants_of(text: Any) -> tuple[datetime, ...]:
    """Return the times that a typed text may mean; none if it is not a day and time."""
    try:
        typed = datetime.fromisoformat(text.strip())
        return instants(typed, timezone.get_current_timezone()) if typed.tzinfo is None else ()
    except (AttributeError, ValueError, OverflowError):
        return ()


def _offset(moment: datetime) -> str:
    return moment.isoformat()[-6:]


class FarDatesForm(forms.Form):
    """Form that asks about distant dates, because no later page confirms the entry.

    If a time is more than a year away, the form is valid only if the person ticks the box.
    """

    datesChecked = forms.BooleanField(required=False, label=gettext_lazy("The year is right"))  # noqa: N815

    def clean(self) -> dict[str, Any]:
        """Return the cleaned data. Add an error about distant times unless the box is ticked."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if warnings := self._far_dates() if not cleaned.get("datesChecked") else []:
            notices = " ".join([*warnings, _("Tick the box if the year is right.")])
            self.add_error("datesChecked", notices)
        return cleaned

    @property
    def asks_about_dates(self) -> bool:
        """True if the page must show the box that confirms the dates."""
        return self.is_bound and bool(self.errors.get("datesChecked") or self._far_dates())

    def _far_dates(self) -> list[str]:
        now, found = timezone.now(), []
        for name, field in self.fields.items():
            at = self.cleaned_data.get(name) if isinstance(field, MomentField) else None
            if at is not None:
                found.append(far_notice(f"“{field.label}”", at, now))
        return [notice for notice in found if notice]
