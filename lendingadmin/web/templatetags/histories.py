"""Tags of the audit trail: `{% history_url as url %}` for a page's record, and entries in words."""

from typing import Any
from urllib.parse import urlencode

from django import template
from django.template import Context
from django.urls import reverse

from lendingadmin.core.audit import messages
from lendingadmin.core.staff.roles import VIEW_AUDIT

register = template.Library()
register.filter("action_words", messages.describe_action)
register.filter("outcome_words", messages.describe_outcome)
register.filter("saved_words", messages.describe_saved)

# The pages of one record, by route. The first text is the record's name in the audit trail, made
# from the route's arguments. The second text is the action that the page shows, or "" for all.
_RECORDS: dict[str, tuple[str, str]] = {
    "borrower": ("{borrower_id}", ""),
    "loan": ("{account_id}", ""),
    "repayment": ("rp-{number}", ""),
    "offer": ("{borrower_id}", "borrowers.getOffers"),
    "event": ("{account_id} {timestamp}", ""),
    "write": ("{path}", ""),
    "note": ("{path}", ""),
}


@register.simple_tag(takes_context=True)
def history_url(context: Context, record: str = "", action: str = "") -> str:
    """Return the address of the audit trail for the page's record, or for the given record.

    Return an empty text for a page without a record, and for a person who may not see the trail.
    """
    request: Any = context.get("request")
    match = request and request.resolver_match
    if not match or not request.user.has_perm(VIEW_AUDIT):
        return ""
    if not record and match.url_name in _RECORDS:
        pattern, action = _RECORDS[match.url_name]
        record = pattern.format(**match.kwargs, path=request.path)
    asked = {"record": record, "action": action, "app": match.kwargs.get("app_id", "")}
    query = urlencode({name: value for name, value in asked.items() if value})
    return f"{reverse('audit')}?{query}" if record else ""
