"""Pages of the queues that managers make from lists of loans."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from lendingadmin.core import gateway
from lendingadmin.desk.collections import made_queues
from lendingadmin.desk.collections.made_queues import CallQueueForm
from lendingadmin.desk.collections.models import CallQueue
from lendingadmin.desk.collections.permissions import CALL, MANAGE_QUEUES
from lendingadmin.desk.portfolio.loan_list_form import LoanListForm
from lendingadmin.desk.portfolio.saved_lists import write_query
from lendingadmin.web.access import access
from lendingadmin.web.requests import PersonRequest

_LIST = "lending.loans.list"


@access(MANAGE_QUEUES, CALL, _LIST, methods=("GET", "POST"))
def new(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the form that makes a queue from the list in the address; a POST makes the queue.

    The POST redirects to the queue. If the name is taken, the form shows an error. Raise Http404
    for an invalid list.
    """
    app, listed = gateway.lending_app(app_id), LoanListForm(request.GET.dict(), [])
    if not listed.is_valid():
        raise Http404("The address has no valid list.")
    form = CallQueueForm(request.POST or None, app_id=app_id)
    if request.method == "POST" and form.is_valid():
        query = write_query(listed.cleaned_data)
        queue = made_queues.create_queue(app_id, query, form.cleaned_data, request.user)
        if queue is not None:
            messages.success(request, _("Saved: %(name)s.") % {"name": queue.name})
            return redirect(queue)
        form.add_error("name", made_queues.NAME_TAKEN)
    return render(request, "collections/make_queue.html", {"app": app, "form": form})


@access(MANAGE_QUEUES, CALL, _LIST, methods=("GET", "POST"))
def edit(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show the form for a queue's name and people; a POST saves both.

    The POST redirects to the queue. If the name is taken, the form shows an error. Raise Http404 if
    there is no such queue.
    """
    queue = _find(app_id, number)
    form = CallQueueForm(request.POST or None, app_id=app_id, queue=queue)
    if request.method == "POST" and form.is_valid():
        if made_queues.change_queue(queue, form.cleaned_data, request.user):
            messages.success(request, _("Saved: %(name)s.") % {"name": queue.name})
            return redirect(queue)
        _find(app_id, number)  # 404 if another request has retired the queue
        form.add_error("name", made_queues.NAME_TAKEN)
    context = {"app": gateway.lending_app(app_id), "form": form, "queue": queue}
    return render(request, "collections/make_queue.html", context)


@access(MANAGE_QUEUES, CALL, methods=("POST",))
def retire(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Remove a queue from all pages; the results of its calls stay.

    Redirect to the queues, without a message if the queue was already removed.
    """
    queue = _find(app_id, number)
    if made_queues.retire_queue(queue, request.user):
        words = _("The queue %(name)s is closed. The results of its calls remain.")
        messages.success(request, words % {"name": queue.name})
    return redirect("collections", app_id)


def _find(app_id: str, number: int) -> CallQueue:
    return get_object_or_404(CallQueue, app_id=app_id, pk=number, retired_at=None)
