"""Statements that were brought in, and what one says, row by row."""

from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import timezone

from lendingadmin import gateway
from lendingadmin.staff.roles import SEE_CONTACT, SEE_NAMES
from lendingadmin.statements import rows, standings
from lendingadmin.statements.forms import LinesForm
from lendingadmin.statements.keeping import READ
from lendingadmin.statements.models import StatementFile, StatementLine
from lendingadmin.ui.access import access
from lendingadmin.ui.exports import (
    EXPORT,
    CsvPage,
    back_to_list,
    csv_response,
    split_into_pages,
)
from lendingadmin.ui.keyset import Slice, build_pager, read_slice
from lendingadmin.ui.lists import whole_number
from lendingadmin.ui.quotas import EXPORTS
from lendingadmin.ui.requests import PersonRequest

_PAGE = 50
_COLUMNS = (
    *("row", "kind", "transactionDate", "transactionId", "amount", "currency", "balance"),
    *("reference", "payer", "phone", "details", "here", "repayments"),
)


@access(READ)
def statements(request: PersonRequest, app_id: str) -> HttpResponse:
    """The statements of an app, newest first."""
    behind = whole_number(request.GET.get("before")) or None
    files = StatementFile.objects.filter(app_id=app_id).select_related("created_by")
    page = read_slice(files.defer("content"), "created_at", _PAGE, behind=behind)
    context = {
        "files": page.rows,
        "pager": build_pager(request, page),
        "app": gateway.lending_app(app_id),
    }
    return render(request, "statements/list.html", context)


@access(READ)
def statement(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """One statement: what it is, whether it is whole, and its rows."""
    file, form = find_file(app_id, number), LinesForm(request.GET)
    lines = standings.judge(file)
    by_kind, by_standing = standings.add_up(
        lines.values_list("kind", "standing", "currency", "amount").iterator()
    )
    page = _read_page(request, lines, form) if form.is_valid() else Slice([])
    context = {
        "file": file,
        "form": form,
        "kinds": rows.describe_sums(by_kind),
        "standings": rows.describe_standings(by_standing),
        "lines": _describe(request, file, page.rows),
        "pager": build_pager(request, page, "after"),
        "may_record": request.user.has_perm("lending.loans.makeRepayment"),
        "app": gateway.lending_app(app_id),
    }
    return render(request, "statements/statement.html", context)


@access(READ, EXPORT, quota=EXPORTS)
def export(request: PersonRequest, app_id: str, number: int) -> HttpResponseBase:
    """The rows of a statement in its own order, each with what is known of it here."""
    file, form = find_file(app_id, number), LinesForm(request.GET)
    if not form.is_valid():
        return back_to_list(request)
    found = _filter(standings.judge(file), form).iterator(chunk_size=500)
    pages = (CsvPage(_list_cells(request, file, page)) for page in split_into_pages(found))
    name = f"{app_id}-{file}-{timezone.localdate():%Y-%m-%d}.csv"
    return csv_response(request, name, _COLUMNS, pages, subject="statements", app_id=app_id)


def find_file(app_id: str, number: int) -> StatementFile:
    """A statement of an app. Raises Http404."""
    files = StatementFile.objects.select_related("created_by")
    return get_object_or_404(files, app_id=app_id, pk=number)


def _filter(lines: QuerySet[Any], form: LinesForm) -> QuerySet[Any]:
    wanted = {name: value for name, value in form.cleaned_data.items() if value}
    return lines.filter(**wanted)


def _read_page(request: PersonRequest, lines: QuerySet[Any], form: LinesForm) -> Slice:
    after = whole_number(request.GET.get("after")) or 0
    page = list(_filter(lines, form).filter(position__gt=after)[: _PAGE + 1])
    following = page[_PAGE - 1].position if len(page) > _PAGE else None
    return Slice(page[:_PAGE], following)


def _describe(
    request: PersonRequest, file: StatementFile, lines: Sequence[StatementLine]
) -> list[rows.ShownLine]:
    repayments = standings.list_repayments(file, lines)
    sees_names, sees_phones = (request.user.has_perm(one) for one in (SEE_NAMES, SEE_CONTACT))
    return [
        rows.describe_line(line, repayments, sees_names=sees_names, sees_phones=sees_phones)
        for line in lines
    ]


def _list_cells(
    request: PersonRequest, file: StatementFile, lines: Sequence[StatementLine]
) -> Iterator[Sequence[Any]]:
    for shown in _describe(request, file, lines):
        line = shown.line
        yield (
            *(line.number, line.kind, line.moment, line.receipt, line.amount, line.currency),
            *(line.balance, shown.reference, shown.payer, shown.phone, shown.details),
            *(shown.chip.word, " ".join(str(one) for one in shown.repayments)),
        )
