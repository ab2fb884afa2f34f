"""`{% export_link %}`: links to the present list as CSV and XLSX, with the same filter."""

from django import forms, template
from django.template import Context
from django.urls import NoReverseMatch, reverse

from lendingadmin.web.exports import EXPORT, XLSX

register = template.Library()

# The export ignores the position in the list, because it has all rows.
_PLACES = ("pageToken", "from", "page", "pageSize")


@register.inclusion_tag("_export.html", takes_context=True)
def export_link(context: Context, form: forms.Form) -> dict[str, str]:
    """Return the addresses of the list's CSV and XLSX exports (route `<list>-export`).

    An address is empty if the person may not export, or if the form refuses the filter. The request
    saves the refusal, so that `technical_export` returns an empty address too.
    """
    if request := context.get("request"):
        request.is_filter_refused = bool(form.errors)
    return {"csv": _find_address(context), "workbook": _find_address(context, format=XLSX)}


@register.simple_tag(takes_context=True)
def technical_export(context: Context) -> str:
    """Return the address of the export with the API's names and values; empty if there is none."""
    return _find_address(context, technical="1")


def _find_address(context: Context, **more: str) -> str:
    request = context.get("request")
    match = getattr(request, "resolver_match", None)
    if request is None or match is None or not request.user.has_perm(EXPORT):
        return ""
    if getattr(request, "is_filter_refused", False):
        return ""
    query = {name: value for name, value in request.GET.items() if name not in _PLACES}
    try:
        return reverse(f"{match.url_name}-export", kwargs=match.kwargs, query=query | more)
    except NoReverseMatch:
        return ""
