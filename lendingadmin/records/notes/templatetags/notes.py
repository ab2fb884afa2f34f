"""`{% pinned_notes borrower_id account_id as pinned %}`: the notes pinned to a record."""

from django import template
from django.template import Context

from lendingadmin.core.staff.roles import NOTES_READ
from lendingadmin.records.notes.models import Note
from lendingadmin.records.notes.services import list_pinned

register = template.Library()

# The most notes that are shown. The timeline has all notes.
_SHOWN = 5


@register.simple_tag(takes_context=True)
def pinned_notes(context: Context, borrower_id: object, account_id: object = "") -> list[Note]:
    """Return the pinned notes of a borrower, or of a loan and its borrower.

    The list is empty if the person has no right to read notes.
    """
    person = context["request"].user
    if not person.has_perm(NOTES_READ) or not isinstance(borrower_id, str) or not borrower_id:
        return []
    account = account_id if isinstance(account_id, str) else ""
    return list(list_pinned(person.app_id, borrower_id, account)[:_SHOWN])
