"""Story of the demo: two weeks of work at a lender, added once to new data.

Each module adds one kind of record, with the services of the dashboard. Days are counted back from
today. If a service has no argument for the time, `moved_to` changes the times of the new row.
"""

from contextlib import suppress
from pathlib import Path

from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.lending.errors import LendingError
from lendingadmin.records.notes.models import NoteVersion

from . import calls, journal, notes, offers, officers, sheets, statements, updates
from .cast import APP, Cast, read_book


def tell(history: Path) -> None:
    """Add the story if it is not complete; then delete `history`, a file of the sandbox.

    If an earlier run did not finish, the story is added again. The idempotency keys are the same,
    so nothing is recorded twice.
    """
    if NoteVersion.objects.filter(idempotency_key=notes.LAST_KEY).exists():
        return
    app = gateway.lending_app(APP)
    with timezone.override(app.zone):  # days are in the lender's zone, as on pages
        cast = Cast.gather()
        updates.read_people(app)
        updates.read_past(app, history)
        book = read_book(app)
        requests = offers.ask(cast, book)
        recorded = journal.record_yesterday(app, cast, book)
        journal.record_today(app, cast, book)
        statements.upload_yesterday(app, cast, recorded)
        calls.make(app, cast, book, recorded)
        updates.read_today(app, cast)
        calls.judge(app)
        officers.assign(app, cast, book)
        sheets.make_late(app, cast)
        with suppress(LendingError):
            offers.read_answers(requests)
        notes.write(app, cast, book)
    history.unlink(missing_ok=True)
