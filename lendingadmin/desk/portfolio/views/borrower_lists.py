"""Lists of borrowers: with open or overdue loans in the newest snapshot, or by officer.

The service has no filter for its list of borrowers, so these lists come from our own database.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from django import forms
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from lendingadmin.core import gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.desk.assignments.models import Assignment
from lendingadmin.desk.assignments.permissions import CHANGE, HOLD
from lendingadmin.desk.portfolio.models import Snapshot, SnapshotLoan
from lendingadmin.desk.portfolio.snapshot_job import find_with_loans
from lendingadmin.people.search.open_loans import OpenLoans, read_open_loans
from lendingadmin.web.access import access
from lendingadmin.web.lists import DEFAULT_PAGE_SIZE, ListPage, as_id
from lendingadmin.web.requests import PersonRequest, address_with

# The value of `officer` in the address for the person's own borrowers and the borrowers whom the
# person covers.
MINE = "mine"


class ListedBorrower(NamedTuple):
    """A borrower of a list, with the open loans; `owing` is None if the loans are not known."""

    borrower_id: str
    owing: OpenLoans | None


class BorrowerListForm(forms.Form):
    """The filters of a list of borrowers, from its address."""

    show = forms.ChoiceField(
        choices=[
            ("", gettext_lazy("any")),
            ("open", gettext_lazy("With open loans")),
            ("overdue", gettext_lazy("Overdue")),
        ],
        label=gettext_lazy("Loans"),
        required=False,
    )
    officer = forms.ChoiceField(label=gettext_lazy("Officer"), required=False)

    def __init__(self, data: Mapping[str, Any], app_id: str, person: User) -> None:
        super().__init__(data)
        if not (person.has_perm(CHANGE) or person.has_perm(HOLD)):
            del self.fields["officer"]
            return
        own = Assignment.objects.filter(app_id=app_id, officer=OuterRef("pk"))
        officers = User.objects.filter(Exists(own)).order_by("username")
        self.fields["officer"].choices = [  # type: ignore[attr-defined]
            ("", _("any")),
            (MINE, _("my borrowers")),
            *officers.values_list("pk", "username"),
        ]


@access("lending.borrowers.list", "lending.loans.list")
def borrower_list(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the borrowers that the address describes, by id.

    Without a filter, or before the first snapshot, redirect to the list of the service.
    """
    app, snapshot = gateway.lending_app(app_id), find_with_loans(app_id)
    form = BorrowerListForm(request.GET, app_id, request.user)
    is_valid = form.is_valid()
    if snapshot is None or (is_valid and not any(form.cleaned_data.values())):
        return redirect("borrowers", app_id)
    page = ListPage(form)
    if is_valid:
        after = as_id(request.GET.get("after"))
        rows = list_borrower_ids(app, snapshot, form.cleaned_data, request.user)
        rows = rows.filter(borrower_id__gt=after).distinct().order_by("borrower_id")
        ids = list(rows[: DEFAULT_PAGE_SIZE + 1])
        shown = ids[:DEFAULT_PAGE_SIZE]
        owing = read_open_loans(request.user.has_perm, app_id, shown)
        page = ListPage(
            form,
            [ListedBorrower(key, owing.get(key)) for key in shown],
            next_url=address_with(request, {"after": shown[-1]}) if len(ids) > len(shown) else "",
            first_url=address_with(request, {"after": ""}) if after else "",
        )
    context = {"app": app, "list": page, "snapshot": snapshot}
    return render(request, "portfolio/borrower_list.html", context)


def list_borrower_ids(
    app: LendingApp, snapshot: Snapshot, wanted: Mapping[str, str], person: User
) -> QuerySet[Any, str]:
    """Return the ids of the borrowers. An id may come twice, and "" is an unknown borrower."""
    loans = SnapshotLoan.objects.filter(snapshot=snapshot, is_open=True)
    if wanted["show"] == "overdue":
        loans = loans.filter(overdue_rank__gt=0)
    officer = wanted.get("officer")
    if not officer:
        return loans.values_list("borrower_id", flat=True)
    rows = Assignment.objects.filter(app_id=app.app_id)
    if officer == MINE:
        today = timezone.localdate(timezone=app.zone)
        rows = rows.of_person(app.app_id, person.pk, today)
    else:
        rows = rows.filter(officer_id=int(officer))
    if wanted["show"]:
        rows = rows.filter(borrower_id__in=loans.values("borrower_id"))
    return rows.values_list("borrower_id", flat=True)
