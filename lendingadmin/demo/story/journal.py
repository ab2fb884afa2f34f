"""Repayments of yesterday, with cash counts, and of this morning, with open questions."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.lending.errors import TimedOut
from lendingadmin.money.repayments import cash, mistakes, sending, services
from lendingadmin.money.repayments.managers import CASH, IN_PERSON
from lendingadmin.money.repayments.models import CashCount, Reading, Repayment
from lendingadmin.money.repayments.states import RepaymentState

from .cast import APP, Book, Cast, Debt, at, moved_to, number_keys
from .statements import make_receipt

_BY_MPESA = {"grace": 11, "support": 9, "manager": 4}
_IN_CASH = {"grace": 4, "support": 3}
_LARGE = Decimal(60_000)  # above the demo's limit for one person


class Entry(NamedTuple):
    """A recorded repayment with the debt that it pays."""

    debt: Debt
    repayment: Repayment


def record_yesterday(app: LendingApp, cast: Cast, book: Book) -> list[Entry]:
    """Record yesterday's repayments, the cash counts of two people, and a mistake in a repayment.

    Return the repayments by M-PESA.
    """
    debts = iter([*book.late[11:], *book.current])
    keys, opens, made = number_keys("yesterday"), at(app, 1, "08:10"), list[Entry]()
    minutes = iter(range(0, 600, 17))
    for name, by_phone in _BY_MPESA.items():
        person: User = getattr(cast, name)
        wanted = list[tuple[Debt, services.Request]]()
        for number in range(by_phone + _IN_CASH.get(name, 0)):
            debt, moment = next(debts), opens + timedelta(minutes=next(minutes))
            is_cash = number >= by_phone
            wanted.append((debt, _request(debt, moment, debt.usual, is_cash=is_cash)))
        found = sending.record_all(
            [services.Intent(asked, next(keys)) for _debt, asked in wanted], person
        )
        for (debt, asked), repayment in zip(wanted, found, strict=True):
            if isinstance(repayment, Repayment):
                _set_entered(repayment, asked.transaction_date + timedelta(minutes=3))
                made.append(Entry(debt, repayment))
    _count_tills(app, cast)
    wrong = next(one.repayment for one in made if one.repayment.created_by == cast.grace)
    note = "The customer paid 200 less. I typed the amount of the line above."
    mistakes.report(wrong, note, cast.grace, "story-mistake")
    return [one for one in made if one.repayment.network != CASH]


def record_today(app: LendingApp, cast: Cast, book: Book) -> None:
    """Record this morning's repayments: three are recorded, one needs a check, one an approval."""
    keys, opens = number_keys("today"), at(app, 0, "08:20")
    *some, unsure = book.current[-4:]
    for number, debt in enumerate(some):
        moment = opens + timedelta(minutes=number)
        asked = _request(debt, min(moment, timezone.now()), debt.usual)
        sending.record(asked, cast.support, next(keys))
    _leave_unknown(_request(unsure, opens, unsure.usual), cast.support)
    large = max(book.debts, key=lambda one: one.owed)
    sending.record(_request(large, opens, min(large.owed, _LARGE)), cast.support, next(keys))


def _request(
    debt: Debt, moment: datetime, amount: Decimal, *, is_cash: bool = False
) -> services.Request:
    by_cash = {
        "external_id": services.make_external_id(APP, moment),
        "external_id_minted": True,
        "channel": IN_PERSON,
        "network": CASH,
    }
    by_phone = {
        "external_id": make_receipt(debt.account_id, moment),
        "channel": "mobile",
        "network": "M-PESA",
    }
    return services.Request(
        app_id=APP,
        account_id=debt.account_id,
        borrower_id=debt.borrower_id,
        amount=amount,
        transaction_date=moment,
        value_date=moment,
        **(by_cash if is_cash else by_phone),
    )


def _set_entered(repayment: Repayment, moment: datetime) -> None:
    """Set the time at which a repayment was entered and sent, and at which balances were read."""
    moved_to(repayment, moment, "created_at", "state_at", "sent_at", "send_before")
    repayment.created_at = moment
    readings = Reading.objects.filter(repayment=repayment)
    readings.update(taken_at=moment)


def _count_tills(app: LendingApp, cast: Cast) -> None:
    """Save the cash counts of two people in the evening. In one count, 200 are missing."""
    evening = at(app, 1, "17:35")
    for till in cash.list_tills(app, evening.date()):
        if till.counted is None:
            person = User.objects.get(pk=till.person_id)
            missing = 200 if person == cast.support else 0
            amount = till.recorded - missing
            cash.save_count(
                app, evening.date(), person, till.currency, amount, cast.manager, version=0
            )
    for count in CashCount.objects.filter(app_id=app.app_id, day=evening.date()):
        moved_to(count, evening, "counted_at")


def _leave_unknown(asked: services.Request, by: User) -> None:
    """Save a repayment as if the service had not answered in time. Nothing is sent."""
    repayment, is_new = services.create_intent(asked, by, "story-unknown")
    if not is_new:
        return
    now = timezone.now()
    before = sending.take_readings([repayment], Reading.Kind.BASELINE)
    sent = services.Move(repayment, RepaymentState.SENT, {"sent_at": now})
    services.move_all([sent], by=by, readings=before)
    fields = {"why": TimedOut.default_message, "next_check_at": now + timedelta(minutes=1)}
    services.conclude_all([services.Move(repayment, RepaymentState.UNKNOWN, fields)], by=by)
