"""`{% export_link %}`: the CSV of the list at hand, with the filter that it shows."""

from django import template
from django.template import Context
from django.urls import NoReverseMatch, reverse

register = template.Library()

# Where in the list a page stands is nothing to the export, which holds all of it.
_PLACES = ("pageToken", "from", "page", "pageSize")


@register.inclusion_tag("_export.html", takes_context=True)
def export_link(context: Context, **more: str) -> dict[str, str]:
    """A link to the route `<list>-export`, for those who may export; else nothing."""
    request = context.get("request")
    match = getattr(request, "resolver_match", None)
    if request is None or match is None or not request.user.has_perm("dashboard.export"):
        return {"address": ""}
    query = {name: value for name, value in request.GET.items() if name not in _PLACES}
    try:
        address = reverse(f"{match.url_name}-export", kwargs=match.kwargs, query=query | more)
    except NoReverseMatch:
        return {"address": ""}
    return {"address": address}


@register.simple_tag(takes_context=True)
def technical_export(context: Context) -> str:
    """The address of the same with the API's names and values; empty where there is none."""
    return export_link(context, technical="1")["address"]
