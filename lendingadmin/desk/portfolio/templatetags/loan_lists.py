"""`{% loan_tabs %}`: tabs of the lists of loans; `{% sorted_by … %}`: a column head that sorts."""

from typing import Any

from django import template
from django.template import Context
from django.utils.translation import gettext as _

from lendingadmin.desk.portfolio.loan_list_form import KINDS
from lendingadmin.desk.portfolio.saved_lists import list_visible
from lendingadmin.web.requests import address_with

register = template.Library()
# These columns sort ascending at first. All other columns sort descending at first.
_ASCENDING_FIRST = frozenset({"loan", "product", "due", "began"})


@register.inclusion_tag("portfolio/_loan_tabs.html", takes_context=True)
def loan_tabs(context: Context) -> dict[str, Any]:
    """Return the tabs: the live list, the lists of the snapshot, and the saved lists.

    `at` is the current tab.
    """
    request, app = context["request"], context["navigation"].app
    saved, found = context.get("saved"), context.get("found")
    at = "live" if request.resolver_match.url_name == "loans" else ""
    if found and found.is_valid:
        at = f"kind-{found.wanted['show']}"
    return {
        "app": app,
        "at": str(saved) if saved else at,
        "kinds": [(f"kind-{key}", key, _(kind.label)) for key, kind in KINDS.items()],
        "lists": list_visible(app.app_id, request.user),
    }


@register.inclusion_tag("portfolio/_sorted_by.html", takes_context=True)
def sorted_by(
    context: Context, name: str, label: str, is_number: bool = False, currency: str = ""
) -> dict[str, Any]:
    """Return the head of a column, with a link that sorts the list by this column.

    If the list is already sorted by the column, the link reverses the order. With `currency`, the
    label also has the currency.
    """
    label = f"{label} ({currency})" if currency else label
    sort = context["found"].wanted["sort"]
    is_current, is_descending = sort.removeprefix("-") == name, sort.startswith("-")
    descends = not is_descending if is_current else name not in _ASCENDING_FIRST
    url = address_with(context["request"], {"sort": f"{'-' * descends}{name}", "before": ""})
    order = ("descending" if is_descending else "ascending") if is_current else ""
    return {"label": label, "url": url, "order": order, "is_number": is_number}
