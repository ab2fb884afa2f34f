"""The list of saved links between payers and loans, and their revocation."""

from typing import NamedTuple

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from lendingadmin.core import gateway
from lendingadmin.core.staff.roles import SEE_CONTACT, SEE_NAMES
from lendingadmin.desk.portfolio.views.payment import RECORD
from lendingadmin.desk.statements import payers, rows
from lendingadmin.desk.statements.keeping import READ
from lendingadmin.desk.statements.models import PayerLink
from lendingadmin.web.access import access
from lendingadmin.web.keyset import build_pager, read_slice
from lendingadmin.web.lists import whole_number
from lendingadmin.web.requests import PersonRequest

_PAGE = 50


class ShownLink(NamedTuple):
    """A link, and the part of its payer's data that the person may see."""

    link: PayerLink
    payer: str


@access(READ)
def links(request: PersonRequest, app_id: str) -> HttpResponse:
    """List the saved links of an app, the newest first."""
    behind = whole_number(request.GET.get("before")) or None
    every = PayerLink.objects.filter(app_id=app_id).select_related("created_by")
    page = read_slice(every, "created_at", _PAGE, behind=behind)
    may_see = all(request.user.has_perm(one) for one in (SEE_NAMES, SEE_CONTACT))
    context = {
        "links": [ShownLink(one, rows.mask(one.shown, may_see)) for one in page.rows],
        "pager": build_pager(request, page),
        "may_record": all(request.user.has_perm(name) for name in RECORD),
        "app": gateway.lending_app(app_id),
    }
    return render(request, "statements/payers.html", context)


@access(*RECORD, READ, methods=("POST",))
def revoke(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Delete the link between a payer and a loan; redirect to the links."""
    payers.revoke(get_object_or_404(PayerLink, app_id=app_id, pk=number), request.user)
    return redirect("statement-payers", app_id)
