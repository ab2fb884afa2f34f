"""Pages of the queues: all queues, one queue, and the next borrower of a queue."""

from datetime import timedelta

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core import gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.desk.assignments.permissions import HAND_OVER
from lendingadmin.desk.collections import figures, rules, services
from lendingadmin.desk.collections.models import Lease, Stop
from lendingadmin.desk.collections.permissions import CALL, DECIDE, MANAGE_QUEUES
from lendingadmin.desk.collections.policies import get_rules
from lendingadmin.desk.collections.queues import MOST, Queue, open_queue, open_queues
from lendingadmin.web.access import access
from lendingadmin.web.keyset import COUNTED, Slice, build_pager, spell_count
from lendingadmin.web.lists import whole_number
from lendingadmin.web.requests import PersonRequest

NOBODY_LEFT = gettext_noop("No more calls in this queue now.")
_PAGE = 25
_FIGURES_OF = timedelta(days=6)


@access(CALL, "lending.loans.list")
def overview(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the queues with their counts, the person's current call, and call figures."""
    app, now = gateway.lending_app(app_id), timezone.now()
    today, may_decide = now.astimezone(app.zone).date(), request.user.has_perm(DECIDE)
    first, queues = today - _FIGURES_OF, open_queues(app, now, request.user)
    stops = Stop.objects.filter(app_id=app_id, ended_at=None).order_by("since", "id")
    context = {
        "app": app,
        "queues": [(one, spell_count(one.count_lately()) or "0") for one in queues],
        "snapshot": queues[0].snapshot,
        "may_hand_over": request.user.has_perm(HAND_OVER),
        "own": Lease.objects.filter(app_id=app_id, person=request.user, until__gt=now).first(),
        "stop_count": spell_count(stops.values("pk")[: COUNTED + 1].count()) or "0",
        "figures_today": figures.count_by_queue(app, today, today),
        "figures": figures.count_by_queue(app, first, today),
        "people": figures.count_by_person(app, first, today) if may_decide else (),
    }
    return render(request, "collections/overview.html", context | _describe_hours(app))


@access(CALL, "lending.loans.list")
def queue(request: PersonRequest, app_id: str, key: str) -> HttpResponse:
    """Show the borrowers of a queue in order, with figures, last payment and last contact."""
    found = _open(request, app_id, key)
    start = min(whole_number(request.GET.get("after")) or 0, MOST)
    some = found.read_rows(start, start + _PAGE + 1)
    has_more = len(some) > _PAGE and start + _PAGE < MOST
    page = Slice(found.build_rows(some[:_PAGE]), start + _PAGE if has_more else None)
    context = {
        "app": found.app,
        "queue": found,
        "rows": page.rows,
        "pager": build_pager(request, page, "after"),
        "count": spell_count(found.count()),
        "may_manage": found.made is not None and request.user.has_perm(MANAGE_QUEUES),
    }
    return render(request, "collections/queue.html", context | _describe_hours(found.app))


@access(CALL, "lending.loans.list", methods=("POST",))
def take_next(request: PersonRequest, app_id: str, key: str) -> HttpResponse:
    """Take the next borrower of a queue, and redirect to the call.

    If no borrower is free, redirect to the queue. Raise Http404 if there is no such queue.
    """
    return lead_to_next(request, _open(request, app_id, key))


def lead_to_next(request: PersonRequest, found: Queue) -> HttpResponse:
    """Redirect to the call with the next borrower of a queue, or back to the queue if none is free.

    If no borrower is free within calling hours, show a message that no calls are left.
    """
    lease = services.take_next(found, request.user)
    if lease is not None:
        return redirect("call", found.app.app_id, lease.borrower_id)
    if rules.is_open(get_rules(found.app), found.now):
        messages.info(request, _(NOBODY_LEFT))
    return redirect("queue", found.app.app_id, found.key)


def _open(request: PersonRequest, app_id: str, key: str) -> Queue:
    found = open_queue(gateway.lending_app(app_id), key, timezone.now(), request.user)
    if found is None:
        raise Http404("There is no such queue.")
    return found


def _describe_hours(app: LendingApp) -> dict[str, object]:
    """Return whether calls are allowed at present, and when they are allowed next."""
    allowed, now = get_rules(app), timezone.now()
    today = now.astimezone(app.zone).date()
    return {
        "is_open": rules.is_open(allowed, now),
        "hours": allowed.hours[today.weekday()],
        "opens_at": rules.find_opening(allowed, now),
        "closure": rules.find_closure(allowed, today),
    }
