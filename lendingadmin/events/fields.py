"""Fields that the forms of events have in common."""

from typing import Any

from django import forms

from lendingadmin.web.dates import plausible

_TO_THE_SECOND = "%Y-%m-%dT%H:%M:%S"
_FORMATS = [_TO_THE_SECOND, "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"]


class SecondField(forms.DateTimeField):
    """A day and time to the second, in the lender's zone: two events may be a second apart."""

    def __init__(self, **options: Any) -> None:
        attrs = {"type": "datetime-local", "step": "1"}
        widget = forms.DateTimeInput(attrs=attrs, format=_TO_THE_SECOND)
        super().__init__(widget=widget, input_formats=_FORMATS, validators=[plausible], **options)
