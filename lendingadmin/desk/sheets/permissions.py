"""The rights of the area, and who may do what with one sheet."""

from lendingadmin.core.staff.models import User

from .models import Sheet

READ = "dashboard.sheets.read"
#: Make and print sheets.
MAKE = "dashboard.sheets.make"
#: Cancel a printed sheet, and see the sheets that should be back.
CANCEL = "dashboard.sheets.cancel"


def may_cancel(sheet: Sheet, person: User) -> bool:
    """Whether a person may cancel an open sheet: managers, or who made it, until it is printed.

    What was collected with a printed sheet must not vanish by the word of who collected it.
    """
    if sheet.state != Sheet.State.OPEN:
        return False
    is_own = sheet.created_by_id == person.pk and sheet.printed_at is None
    return is_own or person.has_perm(CANCEL, sheet.app_id)
