"""Template tags for calls.

`{% calling_of borrower_id as calling %}` returns a Calling, or None if the person may not call.
`{% may_make_queues as may %}` is True if the person may make queues from lists.
`{{ state|promise_chip }}` shows the state of a promise.
"""

from typing import NamedTuple

from django import template
from django.template import Context
from django.utils import timezone

from lendingadmin.desk.collections.leases import find_lease
from lendingadmin.desk.collections.models import Call, Lease, Promise
from lendingadmin.desk.collections.permissions import CALL, MANAGE_QUEUES
from lendingadmin.desk.collections.states import describe_promise
from lendingadmin.web.display.templatetags.statuses import chip

register = template.Library()


class Calling(NamedTuple):
    """Data about calls to a borrower: another person's lease, the last call and promise."""

    other: Lease | None
    last: Call | None
    promise: Promise | None


@register.simple_tag(takes_context=True)
def calling_of(context: Context, borrower_id: object) -> Calling | None:
    """Return a Calling if the person may call this borrower, else None."""
    person = context["request"].user
    if not person.has_perm(CALL) or not isinstance(borrower_id, str) or not borrower_id:
        return None
    lease = find_lease(person.app_id, borrower_id, timezone.now())
    is_own = lease is not None and lease.person_id == person.pk
    theirs = {"app_id": person.app_id, "borrower_id": borrower_id}
    last = Call.objects.filter(**theirs).select_related("called_by").order_by("-called_at").first()
    promise = Promise.objects.filter(**theirs).order_by("-id").first() if last else None
    return Calling(None if is_own else lease, last, promise)


@register.simple_tag(takes_context=True)
def may_make_queues(context: Context) -> bool:
    """Return True if the person may make queues from lists and may call."""
    person = context["request"].user
    return bool(person.has_perm(MANAGE_QUEUES) and person.has_perm(CALL))


@register.filter
def promise_chip(state: str) -> str:
    """Return the chip of a promise's state."""
    return chip(describe_promise(state))
