"""People and loans of the story."""

from collections.abc import Iterator
from datetime import datetime, time, timedelta
from decimal import Decimal
from itertools import count
from typing import Any, NamedTuple, Self

from django.contrib.auth.models import Group
from django.db.models import Model
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.lending.loan_math import account_of, borrower_of, loan_facts
from lendingadmin.lending.values import Loan
from lendingadmin.people.index.names import get_names

APP = "kenya"
_OPEN = 2  # a loan's status


class Cast(NamedTuple):
    """People of the demo, and colleagues who can't sign in."""

    officer: User
    support: User
    manager: User
    grace: User
    brian: User
    amina: User

    @classmethod
    def gather(cls) -> Self:
        """Return the people, and create the colleagues if they do not exist yet."""
        colleagues = {
            "grace": ("Grace", "Wambui", "support"),
            "brian": ("Brian", "Otieno", "officer"),
            "amina": ("Amina", "Hassan", "officer"),
        }
        for name, (first, last, role) in colleagues.items():
            person, _ = User.objects.get_or_create(
                username=name,
                defaults={"first_name": first, "last_name": last, "password": "!"},
            )
            person.app_roles.get_or_create(app_id=APP, role=Group.objects.get(name=role))
        return cls(**{name: User.objects.get(username=name) for name in cls._fields})


class Debt(NamedTuple):
    """An open loan with its borrower, and the amounts owed, overdue and due next."""

    account_id: str
    borrower_id: str
    name: str
    phone: str
    owed: Decimal
    overdue: Decimal
    coming: Decimal
    days_late: int

    @property
    def usual(self) -> Decimal:
        """A usual payment: the next amount due, rounded down to fifties, at most 15,000."""
        due = min(self.coming or self.owed, self.owed, Decimal(15_000))
        return max(due // 50 * 50, Decimal(50))

    @property
    def queue(self) -> str:
        """The key of the call queue for the borrower."""
        if self.days_late > 30:
            return "late-31"
        return "late-8-30" if self.days_late > 7 else "late-1-7"


class Book(NamedTuple):
    """Open loans of borrowers with a name and a phone, one for each borrower, by account."""

    debts: list[Debt]

    @property
    def late(self) -> list[Debt]:
        """The overdue debts, the longest overdue first."""
        found = [one for one in self.debts if one.overdue > 0]
        return sorted(found, key=lambda one: (-one.days_late, one.account_id))

    @property
    def current(self) -> list[Debt]:
        """The debts that are not overdue and are large enough for a payment."""
        return [one for one in self.debts if one.overdue <= 0 and one.owed > 500]


def read_book(app: LendingApp) -> Book:
    """Return the open loans, read from the service, with names from the index."""
    now = timezone.now()
    found = gateway.app(app.app_id).loans.iterate()
    loans = [one for one in found if isinstance(one, Loan) and one.status == _OPEN]
    names = get_names(app.app_id, map(borrower_of, loans))
    debts: dict[str, Debt] = {}
    for loan in loans:
        facts, name = loan_facts(loan, now), names.get(borrower_of(loan))
        if name is None or not name.phone or not facts.owed:
            continue
        debts.setdefault(
            borrower_of(loan),
            Debt(
                account_of(loan),
                borrower_of(loan),
                name.name,
                name.phone,
                facts.owed,
                facts.overdue or Decimal(0),
                facts.next_amount or Decimal(0),
                int(facts.days_late or 0),
            ),
        )
    return Book(sorted(debts.values(), key=lambda one: one.account_id))


def at(app: LendingApp, days_ago: int, clock: str) -> datetime:
    """Return the time `clock` of a past day in the lender's zone, at least two minutes ago."""
    now = timezone.now().astimezone(app.zone)
    day = now.date() - timedelta(days=days_ago)
    wanted = datetime.combine(day, time.fromisoformat(clock), app.zone)
    return min(wanted, now - timedelta(minutes=2))


def moved_to(row: Model, moment: datetime, *names: str) -> None:
    """Set the fields `names` of a row to a past time."""
    values: dict[str, Any] = dict.fromkeys(names, moment)
    type(row)._default_manager.filter(pk=row.pk).update(**values)


def number_keys(kind: str) -> Iterator[str]:
    """Return an endless iterator of idempotency keys. They are the same in each run."""
    return map(f"story-{kind}-{{}}".format, count(1))
