"""Names for ids: the names of a page's borrowers from the index, with one query for 500 names.

A loan gets the name of its borrower, if our own tables have the borrower.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any, NamedTuple

from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _

from lendingadmin.core.areas import collect
from lendingadmin.core.staff.roles import EXPORT_KEPT, NOTES_WRITE, REVEAL
from lendingadmin.lending.ids import resource_id
from lendingadmin.web.display import formats, times
from lendingadmin.web.lists import as_id
from lendingadmin.web.masking import write_initials

from .find import find_index
from .models import BorrowerCard, BorrowerIndex

_AT_ONCE = 500
# Operations whose subject is a borrower's id, or an account id.
_OF_BORROWERS = (
    *("borrowers.", "assessments.create"),
    *("dashboard.borrowers.erase", EXPORT_KEPT),
)
# Operations whose subject is an account id, a space, and an event's time or `record`.
_OF_EVENTS = ("events.create", REVEAL)
# Operations whose subject is a loan's id.
_OF_LOANS = ("loans.", NOTES_WRITE)
# The number of one of our rows. In a subject, the number comes after the id of the loan or account.
_ROW = re.compile(r" (?:call|payer|promise|rp|stop)-[0-9]+$")


class PersonName(NamedTuple):
    """Name of a borrower, the digits of the phone, and the time of reading."""

    name: str
    phone: str
    read_at: datetime

    @property
    def initials(self) -> str:
        """The initials. People without the right to see names see only these."""
        return write_initials(self.name)


def get_names(app_id: str, borrower_ids: Iterable[object]) -> dict[str, PersonName]:
    """Return the known names of these borrowers, by id."""
    ids = list(borrower_ids)
    return read_names(find_index(app_id), ids) if any(ids) else {}


def read_names(
    index: BorrowerIndex | None, borrower_ids: Iterable[object]
) -> dict[str, PersonName]:
    """Return names from one index, for repeated calls; empty if there is no index."""
    if index is None:
        return {}
    # Only possible ids are looked up, because PostgreSQL refuses a text with a NUL.
    wanted = sorted({key for one in borrower_ids if (key := as_id(one))})
    found = {}
    for at in range(0, len(wanted), _AT_ONCE):
        some = wanted[at : at + _AT_ONCE]
        for card in BorrowerCard.objects.filter(index=index, borrower_id__in=some):
            fields = card.fields
            if fields["name"]:
                found[card.borrower_id] = PersonName(fields["name"], fields["phone"], card.read_at)
    return found


class PageNames:
    """The names of an app's borrowers on one page. Each name is read once."""

    def __init__(self, app_id: str) -> None:
        self._app_id = app_id
        self._read: dict[str, PersonName | None] = {}

    @cached_property
    def _index(self) -> BorrowerIndex | None:
        return find_index(self._app_id)

    def put(self, borrower_id: str, name: PersonName) -> None:
        """Use a name that the page read from the service."""
        self._read[borrower_id] = name

    def get(self, borrower_ids: Iterable[str]) -> dict[str, PersonName]:
        """Return the known names of these borrowers, by id."""
        wanted = set(borrower_ids) - {""}
        if unread := wanted - self._read.keys():
            found = read_names(self._index, unread)
            self._read |= {key: found.get(key) for key in unread}
        return {key: name for key in wanted if (name := self._read[key])}


def get_page_names(request: HttpRequest, app_id: str) -> PageNames:
    """Return the names of an app's borrowers for the page of this request."""
    pages: dict[str, PageNames] = vars(request).setdefault("people_names", {})
    return pages.setdefault(app_id, PageNames(app_id))


class Subject(NamedTuple):
    """The borrower or loan of a trail entry or a write; both are empty if it has neither."""

    borrower_id: str = ""
    loan_id: str = ""


def read_subject(entry: Any) -> Subject:
    """Return the borrower or loan of an entry of the audit trail, or of a write."""
    if key := getattr(entry, "borrower_id", ""):
        return Subject(key)
    operation = getattr(entry, "action", "") or getattr(entry, "operation", "")
    if operation.startswith(_OF_EVENTS):
        return Subject(to_borrower_id(entry.subject.rpartition(" ")[0]))
    key = _ROW.sub("", entry.subject)
    if operation.startswith(_OF_BORROWERS) or resource_id(key):
        return Subject(to_borrower_id(key))
    is_loan = key != entry.subject or operation.startswith(_OF_LOANS)
    return Subject(loan_id=key) if is_loan else Subject()


def find_borrowers(app_id: str, loan_ids: Iterable[str]) -> dict[str, str]:
    """Return the borrowers of loans, by loan id.

    Loans that our own tables do not know are left out.
    """
    found: dict[str, str] = {}
    for read in collect("loan_borrowers"):
        if missing := set(loan_ids) - found.keys():
            found |= read(app_id, missing)
    return found


def list_names(app_id: str, cells: Sequence[object], *, may_see: bool) -> list[str]:
    """Return the name for each cell with a borrower's id or account id; empty if unknown.

    Without the right to see names (`may_see`), the initials are returned.
    """
    ids = [to_borrower_id(cell) for cell in cells]
    names = get_names(app_id, ids)
    shown = {key: one.name if may_see else one.initials for key, one in names.items()}
    return [shown.get(key, "") for key in ids]


def write_name(found: PersonName | None, may_see: bool) -> str:
    """Return the name or the initials as HTML, with the age of the data on hover.

    Return an empty text for an unknown name.
    """
    if found is None:
        return ""
    ago = times.ago(found.read_at, timezone.now(), formats.locale())
    return format_html(
        '<bdi class="person" title="{}">{}</bdi>',
        _("Updated %(ago)s") % {"ago": ago},
        found.name if may_see else found.initials,
    )


def to_borrower_id(value: object) -> str:
    """Return the borrower's id in a cell: a plain id, or the id in `borrower:<id>`."""
    return (resource_id(value) or value) if isinstance(value, str) else ""
