"""Pages to upload a statement, name its columns and days, and record one of its rows."""

from collections.abc import Callable
from functools import partial
from itertools import zip_longest
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from lendingadmin.core import gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.policies import ROWS, read_days
from lendingadmin.core.staff.roles import SEE_CONTACT, SEE_NAMES
from lendingadmin.desk.portfolio.views.payment import RECORD, enter_payment
from lendingadmin.desk.statements import alarms, keeping, places, rows
from lendingadmin.desk.statements.checking import BANKS, find_moment, find_open_questions
from lendingadmin.desk.statements.forms import ColumnsForm, NewStatementForm, WordsForm
from lendingadmin.desk.statements.keeping import READ
from lendingadmin.desk.statements.lines import PUT, Kind, Refused
from lendingadmin.desk.statements.models import StatementFile, StatementLine
from lendingadmin.web.access import access
from lendingadmin.web.quotas import STATEMENTS
from lendingadmin.web.requests import PersonRequest

from .records import find_file

#: The message if a person can no longer answer questions about columns, days or words.
UNCHANGED = gettext_noop(
    "Nothing changed. The payments were already checked or assigned, or the file was deleted."
)


@access(READ, methods=("GET", "POST"), quota=STATEMENTS)
def new(request: PersonRequest, app_id: str) -> HttpResponse:
    """Show the form to upload a statement; a POST reads and saves the statement.

    The POST redirects to the statement, or to the form for the columns if the layout is unknown. A
    file that can't be read is an error of the form. Nothing is sent to the service.
    """
    app, sent = gateway.lending_app(app_id), request.method == "POST"
    form = NewStatementForm(request.POST if sent else None, request.FILES if sent else None)
    if form.is_valid():
        try:
            file, is_new = keeping.take_in(app, form.content, request.user)
        except Refused as error:
            form.add_error("file", ValidationError(str(error), code=error.code))
        else:
            if not is_new:
                words = _("This file was uploaded before. Nothing was added.")
                messages.info(request, words, extra_tags="uploaded-before")
            _tell_managers(request, file)
            return redirect(file) if file.layout else redirect("statement-columns", app_id, file.pk)
    context = {"form": form, "app": app, "days": read_days(ROWS, "files")}
    return render(request, "statements/new.html", context)


@access(READ, methods=("GET", "POST"))
def columns(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Show the form that names the columns of a table of an unknown layout.

    A POST saves the columns, reads the table and redirects to the statement. If the table can't be
    read with these columns, the form shows the error. If the columns can't be changed, redirect to
    the statement.
    """
    file = find_file(app_id, number)
    table = keeping.open_table(file)
    sent = request.POST if request.method == "POST" else None
    if table is None:
        return redirect(file) if sent is None else _finish(request, file, False, "")
    known = keeping.find_layout(app_id, table.fingerprint)
    named = {"network": known.network, **known.columns} if known else {}
    form = ColumnsForm(sent, table, table.deciding | named)
    if form.is_valid():
        mapping, network = form.build_mapping(), form.cleaned_data["network"]
        try:
            is_read = keeping.map_columns(file, network, mapping, request.user)
        except Refused as error:
            form.add_error(None, ValidationError(str(error), code=error.code))
        else:
            words = _(
                "Saved. Later statements with the same headings will be read in the same way."
            )
            return _finish(request, file, is_read, words)
    sees_people = all(request.user.has_perm(one) for one in (SEE_NAMES, SEE_CONTACT))
    context = {
        "form": form,
        "file": file,
        "header": table.header,
        "sample": [
            # Each cell with its heading. A missing cell or heading is empty.
            list(zip_longest(table.header, row, fillvalue=""))
            for row in (table.sample[:5] if sees_people else ())
        ],
        "is_again": bool(file.layout),
        "app": gateway.lending_app(app_id),
    }
    return render(request, "statements/columns.html", context)


@access(READ, methods=("POST",))
def days(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Save whether the day or the month comes first in dates; redirect to the statement."""
    file = find_file(app_id, number)
    is_day_first = request.POST.get("first") != "month"
    read = partial(keeping.answer_days, file, is_day_first, request.user)
    return _read_again(request, file, read, _("Dates are now read in the order that you chose."))


@access(READ, methods=("POST",))
def words(request: PersonRequest, app_id: str, number: int) -> HttpResponse:
    """Save the meaning of the unknown words of a statement; redirect to the statement."""
    file = find_file(app_id, number)
    form = WordsForm(request.POST, file.unknown_words)
    if not form.is_valid():
        messages.error(request, _("Not saved. Choose a meaning for each word."))
        return redirect(file)
    read = partial(keeping.answer_words, file, form.build_meanings(), request.user)
    words = _("Saved. Later statements with this layout use your answers.")
    return _read_again(request, file, read, words)


def _read_again(
    request: PersonRequest, file: StatementFile, read: Callable[[], bool], words: str
) -> HttpResponse:
    try:
        return _finish(request, file, read(), words)
    except Refused as error:
        messages.error(request, _("Not saved: %(why)s") % {"why": error})
        return redirect(file)


def _finish(request: PersonRequest, file: StatementFile, is_read: bool, words: str) -> HttpResponse:
    """Show a message whether the file was read again; redirect to the statement.

    If it was read, raise its alarms.
    """
    if is_read:
        messages.success(request, words)
        _tell_managers(request, file)
    else:
        messages.warning(request, _(UNCHANGED))
    return redirect(file)


def _tell_managers(request: PersonRequest, file: StatementFile) -> None:
    """Raise the alarms of a statement, and tell this person about them if there are any."""
    if count := alarms.raise_alarms(file, request.user):
        words = ngettext(
            "The statement disagrees with %(count)s repayment. Managers see the difference on "
            "their home page.",
            "The statement disagrees with %(count)s repayments. Managers see the differences "
            "on their home page.",
            count,
        )
        messages.warning(request, words % {"count": count})


@access(*RECORD, READ, methods=("GET", "POST"))
def record(request: PersonRequest, app_id: str, number: int, position: int) -> HttpResponse:
    """Show the payment box filled in from one row; a valid POST redirects to the review.

    If the row must not be recorded, redirect to the statement with the reason. Raise Http404 for
    counted cash, and for a row that is not a payment.
    """
    file, app = find_file(app_id, number), gateway.lending_app(app_id)
    if file.is_counted_cash:
        raise Http404("Counted cash is recorded with its sheet.")
    line = get_object_or_404(file.lines, position=position, kind=Kind.PAYMENT, is_damaged=False)
    if why := _find_refusal(app_id, file, line):
        words = _("Not recorded: %(why)s")
        messages.warning(request, words % {"why": why}, extra_tags="not-recorded")
        return redirect(file)
    return enter_payment(request, app_id, _fill_in(request.user, file, line, app), source=file)


def _find_refusal(app_id: str, file: StatementFile, line: StatementLine) -> str:
    """Return the reason why a row can't be recorded; empty if it can."""
    if file.needs_answer:
        return _("first answer the question about this statement.")
    if rows.has_odd_day(line):
        return _("this row has an impossible date.")
    if line.place in PUT or places.find_put(app_id, [line.receipt_key]):
        return _("a person marked this payment as returned, not ours or recorded elsewhere.")
    if places.find_taken_back(app_id, [line.receipt_key]):
        return _("a row of a statement reverses this payment.")
    if question := find_open_questions(file, [line]).get(line.position):
        words = _("%(question)s. Check the payments of the statement, then decide on this row.")
        return words % {"question": question.label}
    return ""


def _fill_in(
    person: User, file: StatementFile, line: StatementLine, app: LendingApp
) -> dict[str, Any]:
    """Return the initial values of a repayment from a row, as far as this person may see them."""
    about, sees_phones = rows.read_about(line), person.has_perm(SEE_CONTACT)
    is_masked = rows.mask_reference(about.reference, sees_phones) != about.reference
    phone = about.phone if sees_phones else ""
    payer = about.payer if person.has_perm(SEE_NAMES) else ""
    known = {
        "who": ("" if is_masked else about.reference) or phone or payer,
        "amount": line.amount,
        "currencyCode": line.currency or file.currency,
        "externalId": line.receipt,
        "transactionDate": line.moment and find_moment(line, line.moment, app.zone),
        # A row of a statement is never cash, so it needs a network. Without a network, the account
        # is used.
        "network": file.title[:100],
        "channel": "" if file.layout in BANKS else "mobile",
    }
    return {name: x for name, x in known.items() if x}
