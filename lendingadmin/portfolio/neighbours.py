"""From a loan that was opened from a figure to the next loan behind the same figure.

Asked of the snapshot, which does not change: the whole list is at hand, the page before too.
"""

from typing import Any

from django.http import Http404, QueryDict
from django.urls import reverse

from lendingadmin.display.templatetags.money import count
from lendingadmin.ui.lists import DEFAULT_PAGE_SIZE, whole_number
from lendingadmin.ui.neighbours import ListPlace, Neighbours
from lendingadmin.ui.requests import PersonRequest

from .drilldown import find_drilldown

ROUTE = "book-loans"


def find_neighbours(
    request: PersonRequest, kwargs: dict[str, Any], query: QueryDict, key: str
) -> Neighbours:
    """The loans before and after one in a list behind a figure (see ui/neighbours.py)."""
    try:
        _, found = find_drilldown(kwargs["app_id"], kwargs["number"], query)
    except Http404:
        return Neighbours("", "", "That count is not kept any more")
    skip = whole_number(query.get("from"))
    first = max(0, skip - 1)
    rows = list(
        found.rows.values_list("account_id", flat=True)[first : skip + DEFAULT_PAGE_SIZE + 1]
    )
    if key not in rows:
        return Neighbours("", "", "Not on that page of the list")

    def address(at: int) -> str:
        """The loan at this place of the whole list, with the page of the list that it is on."""
        page = at - at % DEFAULT_PAGE_SIZE
        asked = query.copy()
        asked["from"] = str(page) if page else ""
        loan = reverse("loan", args=[kwargs["app_id"], rows[at - first]])
        return loan + ListPlace(ROUTE, kwargs, asked).mark

    at = first + rows.index(key)
    total = f" of {count(found.total.loans)}" if found.total else ""
    return Neighbours(
        address(at - 1) if at > first else "",
        address(at + 1) if at + 1 - first < len(rows) else "",
        f"{count(at + 1)}{total} behind this figure",
    )
