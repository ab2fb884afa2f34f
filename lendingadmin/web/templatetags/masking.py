"""Tags that hide parts of a record that a person may not see: `{% note repayment.notes %}`."""

from collections.abc import Sequence

from django import template
from django.template import Context

from lendingadmin.core.staff.roles import READ_NOTES
from lendingadmin.web.display.technical import Leaf
from lendingadmin.web.display.text import shown
from lendingadmin.web.masking import list_rights, mask_leaves
from lendingadmin.web.redact import REDACTED

register = template.Library()


@register.simple_tag(takes_context=True)
def note(context: Context, text: str) -> str:
    """Return the text of a note, or a mask if the person may not read notes.

    A note is a colleague's text, or the words of the service about a payment. An empty text is not
    masked.
    """
    may_read = not text or context["request"].user.has_perm(READ_NOTES)
    return shown(text) if may_read else REDACTED


@register.simple_tag(takes_context=True)
def open_leaves(context: Context, leaves: Sequence[Leaf]) -> list[Leaf]:
    """Return the leaves under Technical that the person may see; all of them on a revealed page."""
    if context.get("revealed"):
        return list(leaves or ())
    return mask_leaves(leaves or (), list_rights(context["request"].user))
