"""Read a statement from the bytes of a file of any known format."""

import io
from dataclasses import replace
from datetime import date, tzinfo
from typing import Any

import simplejson
from django.utils import timezone
from django.utils.translation import gettext as _

from lendingadmin.desk.statements.lines import Flaw, Mapping, Refused, Statement, UnknownTable

from .camt import read_camt
from .containers import CAMT, CSV, JSON, MT940, find_format
from .days import find_odd_days, find_old_years
from .layouts import count_known, find_layout
from .meanings import YEAR, Answers
from .mt940 import read_mt940
from .rows import Context, make_fingerprint, read_rows
from .tables import MOST_ROWS, check_counts, decode, read_csv, read_spreadsheet

__all__ = ["Answers", "make_fingerprint", "read"]


def read(
    content: bytes,
    *,
    zone: tzinfo,
    currency: str = "",
    day_first: bool | None = None,
    mapping: Mapping | None = None,
    answers: Answers | None = None,
    today: date | None = None,
) -> Statement | UnknownTable:
    """Return the statement in a file, with times in the given zone.

    `currency` is the lender's currency. It gives the number of decimals if the file names no
    currency. `day_first` is a person's answer if the days can be read in two ways. For a table of
    an unknown layout, return UnknownTable until a person's `mapping` names its columns. `answers`
    are the meanings of words that a person gave. A day after `today` is a mistake. Raise Refused
    with a sentence for the person who uploads the file.
    """
    context = Context(
        zone, today or timezone.now().astimezone(zone).date(), currency, answers or {}
    )
    found = _read(content, context, day_first, mapping)
    if not isinstance(found, Statement) or found.day_is_proposed:
        return found
    # Add the flaws for impossible days and wrong years, and the question about years to confirm.
    years, wrong = find_old_years(found, context.today, context.answers)
    words = _("Row %(number)s has a wrong year.")
    flaws = [*find_odd_days(found, context.today)]
    flaws += [Flaw(number, words % {"number": number}) for number in sorted(wrong)]
    unknown = found.unknown_words | ({YEAR: years} if years else {})
    return replace(found, flaws=[*found.flaws, *flaws], unknown_words=unknown)


def _read(
    content: bytes, context: Context, day_first: bool | None, mapping: Mapping | None
) -> Statement | UnknownTable:
    kind, unread = find_format(content), list[str]()
    check_counts(content, kind)
    if kind == CAMT:
        return read_camt(content, zone=context.zone, answers=context.answers)
    if kind == MT940:
        return read_mt940(content, zone=context.zone)
    if kind == CSV:
        rows = read_csv(content, count_known)
    elif kind == JSON:
        rows = _read_callbacks(content)
    else:
        rows, unread = read_spreadsheet(content, count_known)
    found = read_rows(rows, context, day_first, mapping)
    return replace(found, unread=unread) if isinstance(found, Statement) else found


def _read_callbacks(content: bytes) -> list[list[str]]:
    """Return the rows of a JSON list, or of lines with one JSON object each; names come first."""
    text = decode(content)
    try:
        try:
            found = simplejson.loads(text, use_decimal=True)
        except ValueError:
            lines = io.StringIO(text)
            found = [simplejson.loads(line, use_decimal=True) for line in lines if line.strip()]
    except (ValueError, RecursionError) as error:
        raise Refused(_("This JSON can't be read. Export the statement as CSV.")) from error
    if isinstance(found, dict):
        found = _open_object(found)
    names = list(dict.fromkeys(name for one in found if isinstance(one, dict) for name in one))
    if not names or not all(isinstance(one, dict) for one in found) or len(found) > MOST_ROWS:
        raise Refused(_("There are no payments in this JSON. Export the statement as CSV."))
    cells = ([one.get(name) for name in names] for one in found)
    return [
        names,
        *(["" if x is None else str(x).replace("\n", " ") for x in row] for row in cells),
    ]


def _open_object(found: dict[str, Any]) -> list[Any]:
    """Return the only list in an object; if there is no list, the object is the only payment.

    Raise Refused if the object has several lists or objects, because it is not clear which of them
    has the payments.
    """
    inner = [one for one in found.values() if isinstance(one, list | dict)]
    if not inner or find_layout(list(found)):
        return [found]
    filled = [one for one in inner if one]
    if len(filled) == 1 and isinstance(filled[0], list):
        return filled[0]
    raise Refused(
        _(
            "This JSON does not say which list has the payments. Save the list of payments "
            "as a separate file."
        )
    )
