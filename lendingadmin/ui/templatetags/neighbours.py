"""`{% neighbours key %}`, `{% back_to "loans" key %}`, `{% carry_list %}`: a record's list."""

from typing import Any

from django import template
from django.template import Context
from django.urls import reverse

from lendingadmin.ui.neighbours import (
    PARAMETER,
    ListPlace,
    neighbours_context,
    place_of,
)

register = template.Library()


@register.inclusion_tag("_neighbours.html", takes_context=True)
def neighbours(context: Context, key: str) -> dict[str, Any]:
    """The record's neighbours in its list, found when the page is there; nothing without a list."""
    place = _place(context)
    return neighbours_context(place, key) if place and key else {}


@register.simple_tag(takes_context=True)
def list_mark(context: Context) -> str:
    """What the rows of this list put behind the addresses of their records."""
    request = context["request"]
    match = request.resolver_match
    return ListPlace(match.url_name, match.kwargs, request.GET).mark


@register.simple_tag(takes_context=True)
def carry_list(context: Context) -> str:
    """What a link to another page of this record takes along, so that it knows the list too."""
    place = _place(context)
    return place.mark if place else ""


@register.simple_tag(takes_context=True)
def back_to(context: Context, route: str, key: str) -> str:
    """The address of the list at `route`: at the record's row where it was opened from there."""
    place = _place(context)
    if place and key and place.route == route:
        return place.back(key)
    return reverse(route, args=[context["navigation"].app.app_id])


def _place(context: Context) -> ListPlace | None:
    app_id = context["navigation"].app.app_id
    return place_of(context["request"].GET.get(PARAMETER, ""), app_id)
