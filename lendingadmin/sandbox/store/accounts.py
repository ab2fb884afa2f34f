"""A loan's account as stored text: short lists, so that a page of a thousand loans stays quick."""

from datetime import timedelta
from decimal import Decimal
from typing import NamedTuple

from lendingadmin.sandbox import wire
from lendingadmin.sandbox.rules.instants import from_millis, to_millis
from lendingadmin.sandbox.rules.ledger import Arrears, Line


class Stored(NamedTuple):
    """The account after its last posted repayment, before penalties since then."""

    lines: list[Line]
    arrears: Arrears
    excess: Decimal


def write(stored: Stored) -> str:
    """As text."""
    arrears = stored.arrears
    document = [
        [arrears.rate, arrears.grace.days, arrears.late_fee],
        stored.excess,
        [
            [
                line.sequence_no,
                to_millis(line.start),
                to_millis(line.due),
                line.owed,
                line.paid,
                line.charges,
            ]
            for line in stored.lines
        ],
    ]
    return wire.write(document).decode()


def read(text: str) -> Stored:
    """From text."""
    (rate, grace, late_fee), excess, rows = wire.read_own(text)
    lines = [
        Line(number, from_millis(start), from_millis(due), owed, paid, charges)
        for number, start, due, owed, paid, charges in rows
    ]
    return Stored(
        lines,
        Arrears(Decimal(rate), timedelta(days=grace), Decimal(late_fee)),
        Decimal(excess),
    )
