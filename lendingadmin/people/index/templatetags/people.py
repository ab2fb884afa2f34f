"""Names of borrowers next to their ids, read once for each list, and their phone numbers.

{% names_of list.items "borrower_id" as names %}
{% for loan in list.items %} … {% person names loan.borrower_id %}
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django import template
from django.template import Context

from lendingadmin.core.staff.roles import REVEAL, SEE_CONTACT, SEE_NAMES
from lendingadmin.people.index.names import (
    PersonName,
    get_page_names,
    to_borrower_id,
    write_name,
)

register = template.Library()

# A phone number without its country code has fewer digits.
_WITH_COUNTRY = 11
Names = Mapping[str, PersonName]
# The operations whose subject is a borrower's id or account id.
_OF_BORROWERS = ("borrowers.", "assessments.create")
# The operations whose subject is an account id, a space, and an event's time or `record`.
_OF_EVENTS = ("events.create", REVEAL)


@register.filter
def phone(digits: str) -> str:
    """Return a number as it is dialled: `+254700186215`, or locally `0700186215`."""
    return f"{'+' if len(digits) >= _WITH_COUNTRY else '0'}{digits}" if digits else ""


@register.simple_tag(takes_context=True)
def names_of(context: Context, rows: Iterable[Any], field: str) -> Names:
    """Return the names of the borrowers whose ids or account ids are in this field of the rows.

    The field may be within another one, such as `repayment.borrower_id`.
    """
    ids = [to_borrower_id(_read(row, field)) for row in rows or ()]
    return _get_names_here(context, ids)


@register.simple_tag(takes_context=True)
def name_of(context: Context, borrower_id: object) -> Names:
    """Return the name of one borrower, by id or account id, as `names_of` does."""
    return _get_names_here(context, [to_borrower_id(borrower_id)])


@register.simple_tag(takes_context=True)
def person(context: Context, names: Names, borrower_id: object) -> str:
    """Return the name of a borrower as HTML, with the age of the data on hover.

    Without the right to see names, return the initials. Return an empty text for an unknown name.
    """
    return _draw(context, (names or {}).get(to_borrower_id(borrower_id)))


@register.simple_tag(takes_context=True)
def phone_of(context: Context, names: Names, borrower_id: object) -> str:
    """Return the digits of a borrower's phone if the person may see them; else an empty text."""
    found = (names or {}).get(to_borrower_id(borrower_id))
    return found.phone if found and context["request"].user.has_perm(SEE_CONTACT) else ""


@register.simple_tag(takes_context=True)
def names_of_subjects(context: Context, rows: Iterable[Any]) -> Mapping[str, Names]:
    """Return the names of the borrowers in entries of the audit trail or in writes, by app.

    A row is an entry or a write, or a pair of words and an entry or write.
    """
    ids: dict[str, list[str]] = {}
    for row in rows or ():
        entry = row[1] if isinstance(row, tuple) else row
        if key := _find_borrower(entry):
            ids.setdefault(entry.app_id, []).append(key)
    request = context["request"]
    return {app_id: get_page_names(request, app_id).get(keys) for app_id, keys in ids.items()}


@register.simple_tag(takes_context=True)
def name_of_subject(context: Context, entry: Any) -> Mapping[str, Names]:
    """Return the name of the borrower of one entry or write, as `names_of_subjects` does."""
    return names_of_subjects(context, [entry])


@register.simple_tag(takes_context=True)
def person_of_subject(context: Context, names: Mapping[str, Names], entry: Any) -> str:
    """Return the name of the borrower of a trail entry or a write, as `person` does."""
    name = (names or {}).get(entry.app_id, {}).get(_find_borrower(entry))
    return _draw(context, name, entry.app_id)


@register.filter
def of_borrower(found: Mapping[str, Any], borrower_id: object) -> Any:
    """Return the value of a borrower in a mapping by id; "" if there is none."""
    return found.get(borrower_id, "") if isinstance(borrower_id, str) else ""


def _get_names_here(context: Context, ids: list[str]) -> Names:
    """Return the names in the app of the page; none if the template has no app."""
    navigation = context.get("navigation")
    return get_page_names(context["request"], navigation.app.app_id).get(ids) if navigation else {}


def _read(row: Any, field: str) -> object:
    for name in field.split("."):
        row = getattr(row, name, None)
    return row


def _find_borrower(entry: Any) -> str:
    """Return the borrower's id of a write or an entry; empty if it is about another subject."""
    if key := getattr(entry, "borrower_id", ""):
        return str(key)
    operation = getattr(entry, "action", "") or getattr(entry, "operation", "")
    if operation.startswith(_OF_BORROWERS):
        return to_borrower_id(entry.subject)
    if operation.startswith(_OF_EVENTS):
        return to_borrower_id(entry.subject.rpartition(" ")[0])
    return ""


def _draw(context: Context, found: PersonName | None, app_id: str = "") -> str:
    """Return the name, or the initials for people without the right to names; empty if unknown.

    The right is checked in this app, by default the app of the page.
    """
    return write_name(found, context["request"].user.has_perm(SEE_NAMES, app_id)) if found else ""
