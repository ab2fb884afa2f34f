"""The controls of a list's filter say what Django's own would say."""

import pytest
from django import forms

from lendingadmin.ui import controls
from tests.ui.test_tables import EVIL, Parts


class Filter(forms.Form):
    """One control of each sort, and one that is left to Django."""

    account_no = forms.CharField(required=False, max_length=7, label="Account id")
    needed = forms.CharField(widget=forms.TextInput(attrs={"autocomplete": "off"}))
    status = forms.ChoiceField(
        choices=[("", "any"), ("1", EVIL), (2, "closed")], required=False, label="Status"
    )
    day = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}))


SENT = [
    {},
    {"account_no": "L-1", "needed": "x", "status": "1", "day": "2026-05-01"},
    {"account_no": EVIL + "much too long", "needed": "", "status": "2"},
    {"needed": "x", "status": "77", "day": "never"},
]


def told(html: str) -> tuple[list[tuple[str, dict[str, str | None]]], str]:
    found = Parts(html)
    return found.tags, "".join(found.text.split())


@pytest.mark.parametrize("sent", SENT)
def test_as_django_draws_them(sent: dict[str, str]) -> None:
    ours, django = told(controls.draw(Filter(sent))), told(str(Filter(sent)))
    assert ours == django


def test_a_form_that_nothing_was_sent_to() -> None:
    assert told(controls.draw(Filter())) == told(str(Filter()))
