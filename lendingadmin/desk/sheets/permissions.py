"""Rights of the area, and the rule about the people who may cancel a sheet."""

from lendingadmin.core.staff.models import User

from .models import Sheet

READ = "dashboard.sheets.read"
#: Make and print sheets.
MAKE = "dashboard.sheets.make"
#: Cancel a printed sheet, and see the sheets that should be back.
CANCEL = "dashboard.sheets.cancel"


def may_cancel(sheet: Sheet, person: User) -> bool:
    """Return True if the person may cancel an open sheet.

    Managers may. The person who made the sheet may until it is printed. Cash that was collected
    with a printed sheet must not disappear because the collector says so.
    """
    if sheet.state != Sheet.State.OPEN:
        return False
    is_own = sheet.created_by_id == person.pk and sheet.printed_at is None
    return is_own or person.has_perm(CANCEL, sheet.app_id)
