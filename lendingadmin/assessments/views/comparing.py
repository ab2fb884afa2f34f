"""Two assessments side by side, with what differs marked."""

from datetime import datetime, timedelta, tzinfo
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from lendingadmin import gateway
from lendingadmin.assessments import running
from lendingadmin.assessments.extra_fields import others
from lendingadmin.display import durations, formats, text
from lendingadmin.display.numbers import whole
from lendingadmin.display.templatetags.assessments import score
from lendingadmin.display.templatetags.times import moment as shown_moment
from lendingadmin.lending.errors import InvalidId, LendingError
from lendingadmin.lending.identity import is_named
from lendingadmin.lending.parallel import read_in_parallel
from lendingadmin.lending.values import Assessment, moment, number
from lendingadmin.lending.values import text as as_text
from lendingadmin.ui import errors
from lendingadmin.ui.access import access
from lendingadmin.ui.requests import PersonRequest


class Row(NamedTuple):
    """One line of the comparison; `change` says how they differ, and is empty where they agree."""

    label: str
    first: str
    second: str
    change: str


@access("lending.assessments.get")
def compare(request: PersonRequest, app_id: str) -> HttpResponse:
    """Two assessments by the ids in the address; with one, the others of its account to choose."""
    first_id, second_id = (request.GET.get(name, "").strip() for name in ("a", "b"))
    ids = [key for key in (first_id, second_id) if key]
    read = gateway.app(app_id).assessments.get
    found = read_in_parallel(gateway.client(), *(partial(read, key) for key in ids)) if ids else ()
    for one in found:
        if isinstance(one, InvalidId):
            raise one
    sides = [one for one in found if isinstance(one, Assessment)]
    zone = gateway.lending_app(app_id).zone
    both = len(sides) == 2
    may_list = request.user.has_perm("lending.assessments.list")
    context = {
        "ids": ids,
        "sides": sides,
        "unidentified": any(
            isinstance(one, Assessment) and not is_named(one, key)
            for key, one in zip(ids, found, strict=True)
        ),
        "cards": [errors.card(one) for one in found if isinstance(one, LendingError)],
        "rows": rows(sides[0], sides[1], zone) if both else [],
        "of_two_accounts": both and sides[0].account_id != sides[1].account_id,
        "others": _others(app_id, sides[0], request.GET.get("pageToken") or None)
        if len(ids) == len(sides) == 1 and may_list
        else None,
        "read_at": timezone.now(),
        "app": gateway.lending_app(app_id),
    }
    return render(request, "assessments/compare.html", context)


def _others(
    app_id: str, first: Assessment, page_token: str | None
) -> running.AccountAssessments | None:
    """The other assessments of the same account; None where the account is not known.

    `page_token` is that of the page of the service's list, None for the first.
    """
    account = as_text(first.account_id)
    if not account:
        return None
    theirs = running.list_of_account(app_id, account, page_token)
    others = tuple(one for one in theirs.seen if running.id_of(one) != running.id_of(first))
    return theirs._replace(seen=others)


def rows(first: Assessment, second: Assessment, zone: tzinfo) -> list[Row]:
    """What two assessments say, line by line, and how the second differs from the first."""
    lines = [
        _row(_("Account"), first.account_id, second.account_id),
        _row(_("Type"), first.assessment_type, second.assessment_type),
        _moments(_("Data up to"), first.timestamp, second.timestamp, zone),
        _moments(_("Started"), first.created_at, second.created_at, zone),
    ]
    one, other = first.result, second.result
    for label, field in (
        (_("Outcome"), "type"),
        (_("Reason"), "reason"),
        (_("Message"), "message"),
        (_("Failed rule"), "rule"),
        (_("Risk level"), "risk_level"),
        (_("Credit rating"), "credit_rating"),
    ):
        lines.append(_row(label, getattr(one, field, None), getattr(other, field, None)))
    for label, field in ((_("Risk score"), "risk_score"), (_("Credit score"), "credit_score")):
        lines.append(_scores(label, getattr(one, field, None), getattr(other, field, None)))
    here, there = dict(others(one)), dict(others(other))
    lines += [_row(key, here.get(key), there.get(key)) for key in {**here, **there}]
    lines.append(_row(_("App version"), first.app_version_id, second.app_version_id))
    return lines


def _row(label: str, first: object, second: object) -> Row:
    return Row(label, text.spelled(first), text.spelled(second), _differs(first, second))


def _differs(first: object, second: object) -> str:
    return "" if first == second else _("differs")


def _scores(label: str, first: object, second: object) -> Row:
    change = _differs(first, second)
    one, other = number(first), number(second)
    if change and one is not None and other is not None:
        change = _signed(other - one)
    return Row(label, score(first), score(second), change)


def _signed(change: Decimal) -> str:
    return f"+{score(change)}" if change > 0 else score(change)


def _moments(label: str, first: object, second: object, zone: tzinfo) -> Row:
    change = _differs(first, second)
    one, other = moment(first), moment(second)
    if change and one and other:
        change = _apart(one, other)
    return Row(label, shown_moment(first, zone), shown_moment(second, zone), change)


def _apart(first: datetime, second: datetime) -> str:
    apart = abs(second - first)
    if apart < timedelta(seconds=1):
        return _("less than a second apart")
    days = whole(apart.days, formats.locale())
    words = (
        ngettext("%(count)s day", "%(count)s days", apart.days) % {"count": days}
        if apart >= timedelta(days=1)
        else durations.elapsed(apart)
    )
    full = _("%(time)s later") if second > first else _("%(time)s earlier")
    return full % {"time": words}
