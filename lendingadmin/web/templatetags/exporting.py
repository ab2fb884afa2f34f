"""`{% export_link %}`: the CSV of the list at hand, with the filter that it shows."""

from functools import partial

from django import template
from django.template import Context
from django.urls import NoReverseMatch, reverse

from lendingadmin.web.apicalls import PERMISSION

register = template.Library()

# Where in the list a page stands is nothing to the export, which holds all of it.
_PLACES = ("pageToken", "from", "page", "pageSize")


@register.inclusion_tag("_export.html", takes_context=True)
def export_link(context: Context) -> dict[str, str]:
    """A link to the route `<list>-export`, for those who may export; else nothing.

    Who may see calls to the service gets the technical one too.
    """
    request = context.get("request")
    match = getattr(request, "resolver_match", None)
    if request is None or match is None or not request.user.has_perm("dashboard.export"):
        return {"address": ""}
    query = {name: value for name, value in request.GET.items() if name not in _PLACES}
    try:
        reverse_to = partial(reverse, f"{match.url_name}-export", kwargs=match.kwargs)
        found = {"address": reverse_to(query=query)}
    except NoReverseMatch:
        return {"address": ""}
    if request.user.has_perm(PERMISSION):
        found["technical"] = reverse_to(query=query | {"technical": "1"})
    return found
