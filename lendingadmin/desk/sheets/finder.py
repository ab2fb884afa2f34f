"""Search for collection sheets in the find box, by the code on a sheet."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.people.search.kinds import RecordKind
from lendingadmin.people.search.lookups import Finder, Match

from .codes import read_code
from .models import Sheet
from .permissions import READ

SHEET = RecordKind(gettext_noop("Collection sheet"), "clipboard-document-list", "sheet", READ)


def find_sheets(app_id: str, wanted: str) -> tuple[Match, ...]:
    """Return the sheet with this code, or with a row of this transaction id; empty if none."""
    code = read_code(wanted)
    rows = Sheet.objects.filter(app_id=app_id, code=code) if code else Sheet.objects.none()
    words = _("for %(day)s, rows: %(count)s")
    return tuple(
        Match(SHEET, row.code, words % {"day": f"{row.day:%Y-%m-%d}", "count": row.row_count})
        for row in rows
    )


FINDER = Finder(READ, find_sheets)
