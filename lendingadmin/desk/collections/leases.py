"""Who is calling whom: a borrower is one person's for ten minutes, by a row of the database.

The unique constraints of the table are the guard, so that it holds among any number of hosts. A
lease that has run out is anybody's; its row is taken over by a compare-and-swap.
"""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from lendingadmin.core.staff.models import User

from .models import Lease

#: So long a borrower stays with a person who does nothing more.
LASTS = timedelta(minutes=10)


def take(
    app_id: str, borrower_id: str, person: User, now: datetime, *, account_id: str, queue: str
) -> bool:
    """Take a borrower for a call, and let go whom the person had before; whether it was free.

    A borrower whom the person has is theirs for ten more minutes.
    """
    held = {"app_id": app_id, "borrower_id": borrower_id}
    fields = {"account_id": account_id, "queue": queue, "since": now, "until": now + LASTS}
    try:
        with transaction.atomic():
            Lease.objects.filter(person=person).exclude(**held).delete()
            own = Lease.objects.filter(person=person, **held)
            if own.update(**fields):
                return True
            if Lease.objects.filter(until__lte=now, **held).update(person=person, **fields):
                return True
            Lease.objects.create(person=person, **held, **fields)
    except IntegrityError:
        return False
    return True


def release(app_id: str, borrower_id: str, person: User) -> None:
    """Let a borrower go; nothing where the person does not have them."""
    Lease.objects.filter(app_id=app_id, borrower_id=borrower_id, person=person).delete()


def find_lease(app_id: str, borrower_id: str, now: datetime) -> Lease | None:
    """Who is calling a borrower now; None for nobody."""
    rows = Lease.objects.filter(app_id=app_id, borrower_id=borrower_id, until__gt=now)
    return rows.select_related("person").first()


def find_own(app_id: str, queue: str, person: User, now: datetime) -> Lease | None:
    """Whom a person has of a queue now; None for nobody."""
    rows = Lease.objects.filter(app_id=app_id, queue=queue, person=person, until__gt=now)
    return rows.first()
