"""Names of borrowers next to their ids, read once for each list, and their phone numbers.

{% names_of list.items "borrower_id" as names %}
{% for loan in list.items %} … {% person names loan.borrower_id %}
"""

from collections.abc import Iterable, Mapping
from typing import Any

from django import template
from django.template import Context

from lendingadmin.core.staff.roles import SEE_CONTACT, SEE_NAMES
from lendingadmin.people.index.names import (
    PersonName,
    Subject,
    find_borrowers,
    get_page_names,
    read_subject,
    to_borrower_id,
    write_name,
)

register = template.Library()

# A phone number without its country code has fewer digits.
_WITH_COUNTRY = 11
Names = Mapping[str, PersonName]
SubjectNames = Mapping[tuple[str, Subject], PersonName]


@register.filter
def phone(digits: str) -> str:
    """Return a number as it is dialled: `+254700186215`, or locally `0700186215`."""
    return f"{'+' if len(digits) >= _WITH_COUNTRY else '0'}{digits}" if digits else ""


@register.simple_tag(takes_context=True)
def names_of(context: Context, rows: Iterable[Any], field: str) -> Names:
    """Return the borrowers' names for the ids or account ids in this field of the rows.

    The field may be within another field, such as `repayment.borrower_id`.
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
def named(context: Context, borrower_id: object, key: object = "") -> str:
    """Return a borrower's name and the key of a record as text, for titles and breadcrumbs.

    The default key is the borrower's id. The name is left out if it is unknown, or if the person
    may not see names.
    """
    borrower_id = to_borrower_id(borrower_id)
    may_see = context["request"].user.has_perm(SEE_NAMES)
    found = _get_names_here(context, [borrower_id]) if may_see else {}
    names = [one.name for one in found.values() if one.name != borrower_id]
    return " · ".join([*names, str(key or borrower_id)])


@register.simple_tag(takes_context=True)
def phone_of(context: Context, names: Names, borrower_id: object) -> str:
    """Return the digits of a borrower's phone if the person may see them; else an empty text."""
    found = (names or {}).get(to_borrower_id(borrower_id))
    return found.phone if found and context["request"].user.has_perm(SEE_CONTACT) else ""


@register.simple_tag(takes_context=True)
def names_of_subjects(context: Context, rows: Iterable[Any]) -> SubjectNames:
    """Return the names of the borrowers of trail entries or writes, by app and subject.

    A row is an entry or a write, or a pair of words and an entry or write.
    """
    subjects: dict[str, set[Subject]] = {}
    for row in rows or ():
        entry = row[1] if isinstance(row, tuple) else row
        subjects.setdefault(entry.app_id, set()).add(read_subject(entry))
    found: dict[tuple[str, Subject], PersonName] = {}
    for app_id, some in subjects.items():
        of_loans = find_borrowers(app_id, {one.loan_id for one in some} - {""})
        borrowers = {one: one.borrower_id or of_loans.get(one.loan_id, "") for one in some}
        names = get_page_names(context["request"], app_id).get(borrowers.values())
        found |= {(app_id, one): names[key] for one, key in borrowers.items() if key in names}
    return found


@register.simple_tag(takes_context=True)
def name_of_subject(context: Context, entry: Any) -> SubjectNames:
    """Return the name of the borrower of one entry or write, as `names_of_subjects` does."""
    return names_of_subjects(context, [entry])


@register.simple_tag(takes_context=True)
def person_of_subject(context: Context, names: SubjectNames, entry: Any) -> str:
    """Return the name of the borrower of a trail entry or a write, as `person` does."""
    return _draw(context, (names or {}).get((entry.app_id, read_subject(entry))), entry.app_id)


@register.filter
def of_borrower(found: Mapping[str, Any], borrower_id: object) -> Any:
    """Return the value of a borrower from a mapping by id; "" if there is no value."""
    return found.get(borrower_id, "") if isinstance(borrower_id, str) else ""


def _get_names_here(context: Context, ids: list[str]) -> Names:
    """Return the names in the app of the page; none if the template has no app."""
    navigation = context.get("navigation")
    return get_page_names(context["request"], navigation.app.app_id).get(ids) if navigation else {}


def _read(row: Any, field: str) -> object:
    for name in field.split("."):
        row = getattr(row, name, None)
    return row


def _draw(context: Context, found: PersonName | None, app_id: str = "") -> str:
    """Return the name, or the initials for people without the right to names; empty if unknown.

    The right is checked in this app, by default the app of the page.
    """
    return write_name(found, context["request"].user.has_perm(SEE_NAMES, app_id)) if found else ""
