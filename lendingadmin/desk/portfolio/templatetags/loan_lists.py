"""`{% loan_tabs %}`, `{% borrower_tabs %}`: tabs of the lists of loans and of borrowers.

`{% sorted_by … %}`: a column head that sorts.
"""

from typing import Any
from urllib.parse import urlencode

from django import template
from django.template import Context
from django.utils.translation import gettext as _

from lendingadmin.desk.assignments.permissions import HOLD
from lendingadmin.desk.portfolio.loan_list_form import KINDS
from lendingadmin.desk.portfolio.saved_lists import list_visible
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.web.requests import address_with

register = template.Library()
# The first click on these columns sorts ascending. For all other columns it sorts descending.
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


@register.inclusion_tag("portfolio/_borrower_tabs.html", takes_context=True)
def borrower_tabs(context: Context) -> dict[str, Any]:
    """Return the tabs: the live list, and the lists of our own database.

    There are no tabs before the first snapshot, or for people who may not list loans.
    """
    request, app = context["request"], context["navigation"].app
    if not request.user.has_perm("lending.loans.list") or find_with_loans(app.app_id) is None:
        return {}
    kinds = [("show=open", _("With open loans")), ("show=overdue", _("Overdue"))]
    if request.user.has_perm(HOLD):
        kinds.append(("officer=mine", _("My borrowers")))
    at = {name: value for name, value in request.GET.items() if name in ("show", "officer")}
    query = urlencode({name: value for name, value in at.items() if value})
    return {
        "app": app,
        "is_live": request.resolver_match.url_name == "borrowers",
        "tabs": [(key, label, key == query) for key, label in kinds],
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
