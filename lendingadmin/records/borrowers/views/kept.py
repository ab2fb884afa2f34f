"""Export of all data in this dashboard about one borrower, as a file."""

from collections.abc import Iterator

from django.http import StreamingHttpResponse
from django.utils import timezone

from lendingadmin.core import audit
from lendingadmin.core.staff.erasure import write_kept
from lendingadmin.core.staff.roles import EXPORT_KEPT
from lendingadmin.lending.ids import check_id
from lendingadmin.web.access import access
from lendingadmin.web.exports import EXPORT, ExportPlace
from lendingadmin.web.quotas import EXPORTS
from lendingadmin.web.requests import PersonRequest


@access(EXPORT_KEPT, EXPORT, "lending.borrowers.get", confirmed=("GET",), quota=EXPORTS)
def export_kept(request: PersonRequest, app_id: str, borrower_id: str) -> StreamingHttpResponse:
    """Return the file as JSON. The trail records the start and the end. May raise Throttled.

    By law, a borrower may request these data, so nothing is masked. The view is for managers, who
    must confirm their identity first. The file does not have data that only the service has.
    """
    place = ExportPlace(request.user.pk)
    text = _write(request, app_id, check_id(borrower_id), place)
    response = StreamingHttpResponse(text, content_type="application/json; charset=utf-8")
    name = f"{app_id}-kept-{timezone.localdate():%Y-%m-%d}.json"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _write(
    request: PersonRequest, app_id: str, borrower_id: str, place: ExportPlace
) -> Iterator[str]:
    def note(outcome: str) -> None:
        audit.record(request.user, EXPORT_KEPT, app_id=app_id, subject=borrower_id, outcome=outcome)

    note("started")
    ended = "stopped"
    try:
        yield from write_kept(app_id, borrower_id)
        ended = "done"
    finally:
        place.give_back()
        note(ended)
