"""Notes about a borrower or a loan, as a Django app."""

from lendingadmin.core import areas


class NotesConfig(areas.AreaConfig):
    name = "lendingadmin.records.notes"
    timeline = "timeline.NOTES"
    erasable, kept, tables = "erasure.ERASABLE", "erasure.KEPT", "erasure.TABLES"
