"""Rights of the area, and the rule about the people who may cancel a sheet."""

from lendingadmin.core.staff.models import User

from .models import Sheet

READ = "dashboard.sheets.read"
#: Make and print sheets.
MAKE = "dashboard.sheets.make"
#: Cancel a printed sheet, and see the late sheets.
CANCEL = "dashboard.sheets.cancel"


def may_cancel(sheet: Sheet, person: User) -> bool:
    """Return True if the person may cancel an open sheet.

    Managers may cancel any open sheet. The person who made a sheet may cancel it until it is
    printed. A collector must not be able to hide collected cash by cancelling a printed sheet.
    """
    if sheet.state != Sheet.State.OPEN:
        return False
    is_own = sheet.created_by_id == person.pk and sheet.printed_at is None
    return is_own or person.has_perm(CANCEL, sheet.app_id)
