"""Names for ids: the names in the index for a page's borrowers, with one query for 500 names."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _

from lendingadmin.lending.ids import resource_id
from lendingadmin.web.display import formats, times
from lendingadmin.web.lists import as_id
from lendingadmin.web.masking import write_initials

from .find import find_index
from .models import BorrowerCard, BorrowerIndex

_AT_ONCE = 500


class PersonName(NamedTuple):
    """Name of a borrower, the digits of the phone, and the time of reading."""

    name: str
    phone: str
    read_at: datetime

    @property
    def initials(self) -> str:
        """The first letters of the name; people without the right to names see only these."""
        return write_initials(self.name)


def get_names(app_id: str, borrower_ids: Iterable[object]) -> dict[str, PersonName]:
    """Return the known names of these borrowers, by id."""
    ids = list(borrower_ids)
    return read_names(find_index(app_id), ids) if any(ids) else {}


def read_names(
    index: BorrowerIndex | None, borrower_ids: Iterable[object]
) -> dict[str, PersonName]:
    """Return names from one index, for repeated calls; empty without an index."""
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
    """The names of an app's borrowers on one page; each is read once."""

    def __init__(self, app_id: str) -> None:
        self._app_id = app_id
        self._read: dict[str, PersonName | None] = {}

    @cached_property
    def _index(self) -> BorrowerIndex | None:
        return find_index(self._app_id)

    def get(self, borrower_ids: Iterable[str]) -> dict[str, PersonName]:
        """Return the known names of these borrowers, by id."""
        wanted = set(borrower_ids) - {""}
        if unread := wanted - self._read.keys():
            found = read_names(self._index, unread)
            self._read |= {key: found.get(key) for key in unread}
        return {key: name for key in wanted if (name := self._read[key])}


def get_page_names(request: HttpRequest, app_id: str) -> PageNames:
    """Return the names of an app's borrowers on the page that answers a request."""
    pages: dict[str, PageNames] = vars(request).setdefault("people_names", {})
    return pages.setdefault(app_id, PageNames(app_id))


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
    """Return the borrower's id in a cell: a bare id, or the id in `borrower:<id>`."""
    return (resource_id(value) or value) if isinstance(value, str) else ""
