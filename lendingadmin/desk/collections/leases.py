"""Leases on borrowers.

While a person has the lease on a borrower, other people can't call the borrower. A lease lasts ten
minutes. The unique constraints of the table guarantee one lease for any number of hosts. Any person
may take an expired lease, by a compare-and-swap on its row.
"""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from lendingadmin.core.staff.models import User

from .models import Lease

#: A lease ends this long after the person last took it.
LASTS = timedelta(minutes=10)


def take(
    app_id: str, borrower_id: str, person: User, now: datetime, *, account_id: str, queue: str
) -> bool:
    """Take a lease on a borrower for a call; return False if another person has a lease.

    If the lease is taken, release the person's lease on another borrower. If the person already has
    a lease on this borrower, extend it to ten minutes from now.
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
    """Delete the person's lease on a borrower; do nothing if the person has no such lease."""
    Lease.objects.filter(app_id=app_id, borrower_id=borrower_id, person=person).delete()


def find_lease(app_id: str, borrower_id: str, now: datetime) -> Lease | None:
    """Return the lease of the person who is calling a borrower now; None if there is none."""
    rows = Lease.objects.filter(app_id=app_id, borrower_id=borrower_id, until__gt=now)
    return rows.select_related("person").first()


def find_own(app_id: str, queue: str, person: User, now: datetime) -> Lease | None:
    """Return the lease that a person has from a queue now; None if there is none."""
    rows = Lease.objects.filter(app_id=app_id, queue=queue, person=person, until__gt=now)
    return rows.first()
