"""Download of the statement of this morning, which people of the demo can upload."""

from django.http import HttpResponse

from lendingadmin.core import gateway
from lendingadmin.desk.statements.keeping import READ
from lendingadmin.web.access import access
from lendingadmin.web.requests import PersonRequest

from .story.statements import write_this_morning


@access(READ)
def this_morning(request: PersonRequest, app_id: str) -> HttpResponse:
    """Return the statement as a CSV file, made from the newest update of the portfolio."""
    content = write_this_morning(gateway.lending_app(app_id))
    response = HttpResponse(content, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="m-pesa-this-morning.csv"'
    return response
