"""A borrower with years of everything that a timeline shows."""

from datetime import datetime, timedelta
from decimal import Decimal

from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements.models import StatementFile, StatementLine
from lendingadmin.money.repayments.models import Repayment, normalise_external_id
from lendingadmin.money.writes.models import Write
from lendingadmin.records.notes.models import Note, NoteVersion
from tests.benchmarks.rows import YEAR


def fill_timeline(repayments: int = 3_000, notes: int = 1_000, lines: int = 500) -> None:
    """A borrower of `kenya` with so much in three years, a third of it in the last month.

    With as many writes as rows of statements, 5,000 entries in all.
    """
    now, clerk = timezone.now(), User.objects.get(username="clerk-000")
    # The numbers of the others were given by hand, so that the database would give them once more.
    file = StatementFile.objects.create(
        pk=1_000_000,
        app_id="kenya",
        token="timeline",
        digest="timeline",
        created_by=clerk,
        network="M-PESA",
    )
    for n in range(repayments):
        at = _spread(now, n, repayments)
        given = {"created_at": at, "state_at": at, "transaction_date": at, "value_date": at}
        Repayment.objects.create(
            **given, app_id="kenya", account_id="L-000001", borrower_id="B-LONG", send_before=at,
            external_id=f"LONG-{n}", amount=Decimal(500), state="recorded", created_by=clerk,
            idempotency_key=f"timeline-{n}",
        )  # fmt: skip
    made = Note.objects.bulk_create(
        Note(
            app_id="kenya", borrower_id="B-LONG", account_id="L-000001" if n % 2 else "",
            author=clerk, created_at=_spread(now, n, notes), is_pinned=n < 3,
        )
        for n in range(notes)
    )  # fmt: skip
    NoteVersion.objects.bulk_create(
        NoteVersion(
            note=note, number=number, author=clerk, created_at=note.created_at,
            text="Asked to be called after six. " * 5,
            idempotency_key=f"timeline-{note.pk}-{number}",
        )
        for note in made
        for number in (1, 2)
    )  # fmt: skip
    StatementLine.objects.bulk_create(
        StatementLine(
            file=file, position=n, number=n, kind="payment", receipt=f"LONG-{n}",
            receipt_key=normalise_external_id(f"LONG-{n}"), amount=Decimal(500),
            moment=_spread(now, n, lines), place="recorded",
        )
        for n in range(lines)
    )  # fmt: skip
    for n in range(lines):
        write = Write.objects.create(
            idempotency_key=f"timeline-{n}", person=clerk, app_id="kenya", state="saved",
            operation="borrowers.patch", subject="B-LONG", borrower_id="B-LONG",
        )  # fmt: skip
        Write.objects.filter(pk=write.pk).update(created_at=_spread(now, n, lines))


def _spread(now: datetime, n: int, count: int) -> datetime:
    """When one of so many was: every third within the last month, the others in three years."""
    return now - (timedelta(days=25) if n % 3 == 0 else 3 * YEAR) * (n / count)
