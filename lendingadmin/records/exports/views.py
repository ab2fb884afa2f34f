"""Exports of all items that a list's filter finds, read page by page."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from django.http.response import HttpResponseBase
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.core.staff.roles import SEE_NAMES
from lendingadmin.lending.errors import BadRequest
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.pages import MAXIMUM_PAGE_SIZE, Page, leave_out_repeats
from lendingadmin.lending.values import Malformed
from lendingadmin.people.index.names import list_names
from lendingadmin.web.access import access
from lendingadmin.web.exports import EXPORT, ExportPage, back_to_list, export_response
from lendingadmin.web.lists import ListForm
from lendingadmin.web.masking import is_whole, list_rights, mask_item, mask_open
from lendingadmin.web.quotas import EXPORTS
from lendingadmin.web.requests import PersonRequest

from .columns import BORROWERS, head_of, keys_of, make_row_builder

Pages = Callable[..., Iterator[Page[Any]]]


def export(name: str, resource: str) -> Callable[..., HttpResponseBase]:
    """Return the view that exports a list of the service.

    The list belongs to an app if the address names an app. If the filter can't be sent, the view
    redirects to the list, which shows the reason. The first page is read before the response
    begins, so an error there becomes an error card, as on all other pages. A later error becomes
    the last row.
    """
    operation, subject = OPERATIONS[name], name.partition(".")[0]
    may_refuse_size = "pageSize" not in (operation.list_parameters or ())

    @access(EXPORT, f"lending.{name}", quota=EXPORTS)
    def view(request: PersonRequest, app_id: str = "") -> HttpResponseBase:
        form = ListForm(request.GET, operation)
        if not form.is_valid():
            return back_to_list(request)
        listing = getattr(gateway.app(app_id) if app_id else gateway.client(), resource)
        pages = listing.only(keys_of(name)).pages
        found = leave_out_repeats(_started(pages, form.asked(), may_refuse_size=may_refuse_size))
        build_rows = _make_rows_builder(request, name, app_id)
        rows = (ExportPage(build_rows(page.items), page.repeated) for page in found)
        filename = "-".join(filter(None, (app_id, subject, f"{timezone.localdate():%Y-%m-%d}")))
        head = head_of(name)
        return export_response(request, filename, head, rows, subject=subject, app_id=app_id)

    return view


def _make_rows_builder(
    request: PersonRequest, name: str, app_id: str
) -> Callable[[Sequence[Any]], Iterable[list[object]]]:
    """Return a function that makes the rows of a page, with the names of borrowers if necessary."""
    row, field = make_row_builder(name), BORROWERS.get(name)
    held = list_rights(request.user)
    # A record outside an app has no borrower, so nothing is masked.
    shows_all = not app_id or is_whole(held)

    def build_row(item: Any) -> list[object]:
        cells = row(mask_item(item, held))
        return cells if shows_all else [mask_open(cell) for cell in cells]

    if field is None:
        return lambda items: map(build_row, items)
    may_see = request.user.has_perm(SEE_NAMES)

    def build_rows(items: Sequence[Any]) -> Iterable[list[object]]:
        found = [item for item in items if not isinstance(item, Malformed)]
        names = iter(list_names(app_id, [item.raw.get(field) for item in found], may_see=may_see))
        for item in items:
            cells = build_row(item)
            yield cells if isinstance(item, Malformed) else [next(names), *cells]

    return build_rows


def _started(pages: Pages, asked: dict[str, Any], *, may_refuse_size: bool) -> Iterator[Page[Any]]:
    """Return the pages; the first page is already read.

    If the service refuses the first page and `may_refuse_size` is True, read without a page size.
    Raise LendingError if the first page can't be read.
    """
    following = pages(**asked, page_size=MAXIMUM_PAGE_SIZE)
    try:
        first = next(following)
    except BadRequest:
        if not may_refuse_size:
            raise
        following = pages(**asked)
        first = next(following)
    return chain([first], following)
