"""Django app for notes about a borrower or a loan."""

from lendingadmin.core import areas


class NotesConfig(areas.AreaConfig):
    name = "lendingadmin.records.notes"
    timeline = "timeline.NOTES"
    erasable, kept, tables = "erasure.ERASABLE", "erasure.KEPT", "erasure.TABLES"
