"""The controls of forms are what Django's own templates make of them."""

import pytest
from django import forms
from django.forms.renderers import DjangoTemplates
from django.template.loader import render_to_string
from django.test import RequestFactory

from tests.web.test_tables import EVIL, Parts


class Filter(forms.Form):
    """One control of each sort, and one that is left to Django."""

    account_no = forms.CharField(required=False, max_length=7, label="Account id")
    needed = forms.CharField(widget=forms.TextInput(attrs={"autocomplete": "off"}))
    born = forms.CharField(required=False, widget=forms.TextInput(attrs={"type": "date"}))
    status = forms.ChoiceField(
        choices=[("", "any"), ("1", EVIL), (2, "closed"), ("more", [(3, "<b>three</b>")])],
        required=False,
        label="Status",
    )
    day = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}))


SENT = [
    {},
    {"account_no": "L-1", "needed": "x", "status": "1", "day": "2026-05-01"},
    {"account_no": EVIL + "much too long", "needed": "", "status": "2"},
    {"needed": "x", "status": "3", "day": "never"},
    {"needed": "x", "status": "77", "day": "never"},
]


def told(html: str) -> tuple[list[tuple[str, dict[str, str | None]]], str]:
    found = Parts(html)
    return found.tags, "".join(found.text.split())


@pytest.mark.parametrize("sent", SENT)
@pytest.mark.parametrize("name", Filter.base_fields)
def test_as_django_draws_them(sent: dict[str, str], name: str) -> None:
    ours, django = Filter(sent), Filter(sent, renderer=DjangoTemplates())
    assert told(ours[name].as_widget()) == told(django[name].as_widget())
    assert told(Filter()[name].as_widget()) == told(
        Filter(renderer=DjangoTemplates())[name].as_widget()
    )


def test_a_filter_names_its_controls_and_says_what_is_wrong() -> None:
    given = {"form": Filter({"day": "never"}), "request": RequestFactory().get("/there/")}
    drawn = Parts(render_to_string("_filters.html", given))
    fields = [attrs["class"] for tag, attrs in drawn.tags if tag == "div" and attrs]
    assert fields == ["field", "field wrong", "field", "field", "field wrong"]
    labels = {attrs["for"] for tag, attrs in drawn.tags if tag == "label"}
    controls = {attrs["id"] for tag, attrs in drawn.tags if tag in ("input", "select")}
    assert labels == controls
    refusals = [words for words in given["form"].errors.values() for words in words]
    assert len(refusals) == 2 and all(words in drawn.text for words in refusals)
    assert ("a", {"class": "button quiet", "href": "/there/"}) in drawn.tags
