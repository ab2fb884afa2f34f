"""How much a text holds, counted before anything is made of it.

A file of 20 MB may be six million rows of a letter, and each would be an object of its own.
"""

from django.utils.translation import gettext as _

from lendingadmin.statements.lines import Refused

from .containers import CSV, JSON, MT940
from .tables import MOST_ROWS

# So many lines of a file, or objects of JSON, there may be for each row: cells hold line breaks,
# heads stand above a table, entries have several lines.
_FOR_EACH = 10
_MARKS = {
    CSV: ((b"\n", _FOR_EACH), (b"\r", _FOR_EACH)),
    MT940: ((b":61:", 1), (b":20:", 1), (b"\n", 2 * _FOR_EACH), (b"\r", 2 * _FOR_EACH)),
    JSON: ((b"{", _FOR_EACH), (b"[", _FOR_EACH), (b",", 10 * _FOR_EACH)),
}


def check_counts(content: bytes, kind: str) -> None:
    """Raise Refused where a text has far more lines or entries than a statement has rows."""
    for mark, most in _MARKS.get(kind, ()):
        if content.count(mark) > most * (MOST_ROWS + 1):
            words = _("The file has more than %(count)s rows. Export it in parts, such as by week.")
            raise Refused(words % {"count": f"{MOST_ROWS:,}"})
