"""A printed collection sheet whose return is late."""

from datetime import timedelta

from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.desk.sheets import services
from lendingadmin.desk.sheets.choosing import Wanted, choose
from lendingadmin.desk.sheets.models import Choice
from lendingadmin.desk.sheets.policies import read_days

from .cast import Cast, at, moved_to

_ROWS = 8


def make_late(app: LendingApp, cast: Cast) -> None:
    """Make and print a sheet that is late since yesterday, if there are rows for a sheet."""
    days = read_days(app.app_id) + 2
    wanted = Wanted(timezone.localdate() - timedelta(days=days), Choice.OVERDUE)
    found = choose(app, wanted)
    if found is None or not found.chosen:
        return
    some = found._replace(chosen=found.chosen[:_ROWS])
    for sheet in services.make_sheets(app, wanted, some, "story-sheet", cast.brian):
        services.note_printing(sheet, cast.brian)
        moved_to(sheet, at(app, days, "07:40"), "created_at", "printed_at", "counted_at")
