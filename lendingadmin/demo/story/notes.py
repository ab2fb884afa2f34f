"""Three notes, of which one names the manager, and a shared list of loans."""

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import ROLES
from lendingadmin.desk.portfolio.models import SavedList
from lendingadmin.records.notes.services import Record, write_note

from .cast import Book, Cast

#: Key of the note that is written last. If this note exists, the story is complete.
LAST_KEY = "story-note-3"


def write(app: LendingApp, cast: Cast, book: Book) -> None:
    """Write the notes and save the list."""
    saved, _ = SavedList.objects.get_or_create(
        app_id=app.app_id,
        owner=cast.manager,
        name="Call first",
        defaults={"query": "show=overdue&late=31-60", "is_shared": True},
    )
    saved.pinned_by.set(User.objects.filter(username__in=ROLES))
    first, second, third = (
        Record(app.app_id, debt.borrower_id, account_id)
        for debt, account_id in (
            (book.late[0], ""),
            (book.late[1], book.late[1].account_id),
            (book.late[2], book.late[2].account_id),
        )
    )
    market = "Sells at the market on Tuesdays. Call after six."
    write_note(first, market, cast.officer, "story-note-1", is_pinned=True)
    brother = "Her brother answers the phone. He knows about the loan."
    write_note(second, brother, cast.brian, "story-note-2")
    named = "@manager the customer disputes the last instalment. Please look at it."
    write_note(third, named, cast.grace, LAST_KEY)
