"""Uploaded statements, and the content of one statement, row by row."""

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext_lazy

from lendingadmin.core import gateway
from lendingadmin.core.staff.models import User
from lendingadmin.desk.portfolio.views.payment import RECORD
from lendingadmin.desk.statements import allocating, batches, keeping, progress, rows, standings
from lendingadmin.desk.statements.contradictions import list_with_question
from lendingadmin.desk.statements.forms import LinesForm, WordsForm
from lendingadmin.desk.statements.keeping import READ
from lendingadmin.desk.statements.lines import MAPPED, Kind, Standing
from lendingadmin.desk.statements.models import Batch, StatementFile
from lendingadmin.desk.statements.standings import Judged
from lendingadmin.money.writes.reconciliation import RESOLVE
from lendingadmin.web import polling
from lendingadmin.web.access import access
from lendingadmin.web.exports import (
    EXPORT,
    ExportPage,
    back_to_list,
    export_response,
    name_columns,
    split_into_pages,
    write_choice,
    write_moment,
)
from lendingadmin.web.keyset import Slice, build_pager, read_slice
from lendingadmin.web.lists import whole_number
from lendingadmin.web.quotas import EXPORTS
from lendingadmin.web.requests import PersonRequest

_PAGE = 50
# The page follows the worker for at most this time. Twenty thousand payments take some hours.
_FOLLOWED = timedelta(hours=12)
State = Batch.State


# The lists of statements that wait for a person, by the value of `waits` in the address. Each has a
# lookup, and the query that the home page uses.
_WAITING: dict[str, tuple[str, Callable[[str, User], QuerySet[Any]]]] = {
    "question": ("pk__in", list_with_question),
    "approval": ("batch__in", batches.list_waiting),
    "payments": ("batch__in", batches.list_unfinished),
}
COLUMNS = name_columns(
    {
        "row": gettext_lazy("Row"),
        "kind": (gettext_lazy("Type"), write_choice(Kind)),
        "transactionDate": (gettext_lazy("Transaction date"), write_moment),
        "transactionId": gettext_lazy("Transaction id"),
        "amount": gettext_lazy("Amount"),
        "currency": gettext_lazy("Currency"),
        "balance": gettext_lazy("Balance"),
        "reference": gettext_lazy("Reference"),
        "payer": gettext_lazy("Payer"),
        "phone": gettext_lazy("Phone"),
        "details": gettext_lazy("Details"),
        "here": gettext_lazy("Status"),
        "repayments": gettext_lazy("Repayments"),
    }
)


@access(READ)
def statements(request: PersonRequest, app_id: str) -> HttpResponse:
    """List the statements of an app, newest first; `waits` selects those for this person."""
    behind = whole_number(request.GET.get("before")) or None
    files = StatementFile.objects.filter(app_id=app_id).select_related("created_by")
    waits = _WAITING.get(request.GET.get("waits", ""))
    if waits:
        lookup, list_waiting = waits
        files = files.filter(**{lookup: list_waiting(app_id, request.user)})
    page = read_slice(files.defer("content"), "created_at", _PAGE, behind=behind)
    context = {
        "files": page.rows,
        "is_waiting": bool(waits),
        "pager": build_pager(request, page),
        "may_see_contradictions": request.user.has_perm(RESOLVE),
        "app": gateway.lending_app(app_id),
    }
    return render(request, "statements/list.html", context)


@access(READ)
def statement(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show one statement: its head, whether it is complete, and its rows."""
    file, form = find_file(app_id, number), LinesForm(request.GET)
    judged = standings.judge_lines(file)
    by_kind, by_standing = standings.add_up(judged)
    by_standing.pop(Standing.NONE)
    page = _read_page(request, file, _filter(judged, form)) if form.is_valid() else Slice([])
    context = {
        "file": file,
        "form": form,
        "kinds": {key: one for key, one in by_kind.items() if one.numbers},
        "standings": {key: one for key, one in by_standing.items() if one.numbers},
        "lines": page.rows,
        "pager": build_pager(request, page, "after"),
        "may_record": request.user.has_perm("lending.loans.makeRepayment"),
        "may_map_again": file.layout == MAPPED and keeping.may_read_again(file),
        "words": WordsForm(None, file.unknown_words),
        "app": gateway.lending_app(app_id),
    }
    if batch := Batch.objects.filter(file=file).select_related("created_by").first():
        batch.file = file
        context |= describe_progress(request, batch)
    return render(request, "statements/statement.html", context)


@access(READ, EXPORT, quota=EXPORTS)
def export(request: PersonRequest, app_id: str, number: int) -> HttpResponseBase:
    """Export the filtered rows in the order of the statement, each with its status."""
    file, form = find_file(app_id, number), LinesForm(request.GET)
    if not form.is_valid():
        return back_to_list(request)
    parts = split_into_pages(_filter(standings.judge_lines(file), form))
    pages = (ExportPage(_list_cells(_describe(request, file, part))) for part in parts)
    name = f"{app_id}-{file}-{timezone.localdate():%Y-%m-%d}"
    return export_response(request, name, COLUMNS, pages, subject="statements", app_id=app_id)


def find_file(app_id: str, number: int) -> StatementFile:
    """Return a statement of an app; raise Http404 if there is none."""
    files = StatementFile.objects.select_related("created_by")
    return get_object_or_404(files, app_id=app_id, pk=number)


def _filter(judged: Sequence[Judged], form: LinesForm) -> list[Judged]:
    kind, standing = form.cleaned_data["kind"], form.cleaned_data["standing"]
    return [
        (row, own) for row, own in judged if kind in ("", row.kind) and standing in ("", own.value)
    ]


def _read_page(request: PersonRequest, file: StatementFile, found: Sequence[Judged]) -> Slice:
    after = whole_number(request.GET.get("after")) or 0
    rest = [(row, standing) for row, standing in found if row.position > after]
    following = rest[_PAGE - 1][0].position if len(rest) > _PAGE else None
    return Slice(_describe(request, file, rest[:_PAGE]), following, len(found))


def _describe(
    request: PersonRequest, file: StatementFile, found: Sequence[Judged]
) -> list[rows.ShownLine]:
    places = {row.position: standing for row, standing in found}
    lines = list(file.lines.filter(position__in=places).order_by("position"))
    repayments = standings.list_repayments(file, lines)
    pairs = [(line, places[line.position]) for line in lines]
    return rows.describe_lines(request.user, pairs, repayments)


def _list_cells(lines: Sequence[rows.ShownLine]) -> Iterator[Sequence[Any]]:
    for shown in lines:
        line = shown.line
        yield (
            *(line.number, line.kind, line.moment, line.receipt, line.amount, line.currency),
            *(line.balance, shown.reference, shown.payer, shown.phone, shown.details),
            *(shown.chip.word, " ".join(str(one) for one in shown.repayments)),
        )


def describe_progress(request: PersonRequest, found: Batch) -> dict[str, object]:
    """Return the context of `_batch_progress.html` for a batch."""
    is_under_way = found.state in (State.CHECKING, State.RECORDING)
    may_record = all(request.user.has_perm(name) for name in RECORD)
    following = allocating.list_undecided(found).order_by("position", "part")
    may_decide = may_record and found.state == State.READY
    return {
        "batch": found,
        "file": found.file,
        "app": gateway.lending_app(found.file.app_id),
        "progress": progress.read_progress(found, timezone.now()),
        "poll": polling.poll(
            request,
            found.began_at,
            _FOLLOWED,
            waiting=is_under_way,
            delays=polling.WATCHED,
        ),
        "may_record": may_record,
        "next": following.first() if may_decide else None,
    }
