"""Template tags: the records opened last, and the open loans of people, from our own database."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.template import Context
from django.utils import timezone

from lendingadmin.people.index.find import Person
from lendingadmin.people.index.names import find_borrowers, get_page_names
from lendingadmin.people.search import opened
from lendingadmin.people.search.kinds import KINDS
from lendingadmin.people.search.open_loans import OpenLoans, read_open_loans
from lendingadmin.web.display import formats, times

register = template.Library()


@register.inclusion_tag("search/_last.html", takes_context=True)
def last_opened(context: Context) -> dict[str, Any]:
    """Return the last ten records that the person opened in the app of this page, as links."""
    request, app_id = context["request"], context["navigation"].app.app_id
    rows = opened.last(request.user, app_id)
    of_loans = find_borrowers(app_id, [row.key for row in rows if row.kind == "loan"])
    of_kinds = {"borrower": {row.key: row.key for row in rows}, "loan": of_loans}
    borrowers = [of_kinds.get(row.kind, {}).get(row.key, "") for row in rows]
    return {
        "rows": [
            (KINDS[row.kind], row.get_absolute_url(), row, borrower_id)
            for row, borrower_id in zip(rows, borrowers, strict=True)
        ],
        "names": get_page_names(request, app_id).get(borrowers),
        "request": request,
    }


@register.simple_tag(takes_context=True)
def open_loans_of(context: Context, people: Sequence[Person]) -> Mapping[str, OpenLoans]:
    """Return the known open loans of the people of a list, by borrower id, in one read."""
    may = context["request"].user.has_perm
    ids = [person.borrower_id for person in people]
    return read_open_loans(may, context["navigation"].app.app_id, ids)


@register.inclusion_tag("search/_open_loans.html", takes_context=True)
def open_loans(
    context: Context, counted: Mapping[str, OpenLoans], person: Person
) -> dict[str, Any]:
    """Show the number of a person's open loans and the overdue amount, if they are known.

    The time of the snapshot is shown on hover.
    """
    found = counted.get(person.borrower_id)
    if found is None:
        return {}
    age = times.ago(found.counted_at, timezone.now(), formats.locale())
    return {"loans": found, "age": age, "currency": context["navigation"].app.currency}
