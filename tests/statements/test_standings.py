"""Where a line of a statement stands, by the repayments that bear its transaction id."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from lendingadmin.desk.statements.lines import Standing
from lendingadmin.desk.statements.standings import Recorded, Row, add_up, judge
from lendingadmin.money.repayments.states import RepaymentState, Resolution

D = Decimal
AT = datetime(2026, 11, 2, tzinfo=UTC)
LINE = Row(1, 1, "payment", "sj1", "", D("50.00"), "", AT, has_time=False)
RIGHT = Recorded(1, "sj1", "L-1", D("50"), "", "M-PESA", AT, RepaymentState.RECORDED, "")


def recorded(**fields: Any) -> Recorded:
    return RIGHT._replace(**fields)


@pytest.mark.parametrize(
    ("line", "known", "expected"),
    [
        (LINE, [], "missing"),
        (LINE, [RIGHT], "confirmed"),
        (LINE, [recorded(state=RepaymentState.PRESUMED)], "confirmed"),
        (LINE, [recorded(currency_code="KES")], "confirmed"),
        (LINE._replace(currency="KES"), [RIGHT], "confirmed"),
        (LINE._replace(currency="USD"), [recorded(currency_code="USD")], "confirmed"),
        (LINE._replace(currency="USD"), [RIGHT], "other-amount"),
        (LINE, [recorded(currency_code="USD")], "other-amount"),
        (LINE, [recorded(amount=D("50.01"))], "other-amount"),
        (LINE._replace(amount=None), [RIGHT], "other-amount"),
        (LINE, [recorded(amount=D(1)), RIGHT], "confirmed"),
        (LINE, [recorded(state=RepaymentState.UNKNOWN)], "waiting"),
        (LINE, [recorded(state=RepaymentState.NOT_FOUND)], "waiting"),
        (LINE, [recorded(state=RepaymentState.AWAITING)], "waiting"),
        (LINE, [recorded(state=RepaymentState.UNKNOWN), RIGHT], "confirmed"),
        (LINE, [recorded(state=RepaymentState.REFUSED)], "missing"),
        (LINE, [recorded(state=RepaymentState.DECLINED)], "missing"),
        (
            LINE,
            [recorded(state=RepaymentState.RESOLVED, resolution=Resolution.RECORDED)],
            "confirmed",
        ),
        (
            LINE,
            [recorded(state=RepaymentState.RESOLVED, resolution=Resolution.NOT_RECORDED)],
            "missing",
        ),
        (LINE._replace(receipt_key=""), [], "damaged"),
        (LINE._replace(kind="charge"), [RIGHT], "none"),
        (LINE._replace(kind="failed", receipt_key=""), [], "none"),
    ],
)
def test_where_a_line_stands(line: Row, known: list[Recorded], expected: str) -> None:
    assert judge(line, known, is_twice=False, currency="KES") == expected


def test_what_stands_twice_in_a_file_is_neither() -> None:
    assert judge(LINE, [RIGHT], is_twice=True, currency="KES") == "twice"


def test_the_sums_add_up_to_the_file() -> None:
    judged = [
        (LINE, Standing.CONFIRMED),
        (LINE._replace(currency="USD"), Standing.MISSING),
        (LINE._replace(kind="charge", amount=D("-2")), Standing.NONE),
        (LINE._replace(amount=None), Standing.MISSING),
    ]
    kinds, standings = add_up(judged)
    for sums in (kinds, standings):
        assert sum(len(one.numbers) for one in sums.values()) == len(judged)
    assert kinds["payment"].sums == {"": D(50), "USD": D(50)}
    assert standings["missing"].sums == {"USD": D(50), "": D(0)}
    assert standings["none"].sums == {"": D(-2)}


BANK = LINE._replace(receipt_key="4410022d20261102a5000rso4471", bank_key="so4471")


@pytest.mark.parametrize(
    ("days", "amount", "state", "standing"),
    [
        (0, "50", RepaymentState.RECORDED, Standing.CONFIRMED),
        (0.9, "50", RepaymentState.RECORDED, Standing.CONFIRMED),
        (-28, "50", RepaymentState.RECORDED, Standing.SAME_REFERENCE),
        (0, "51", RepaymentState.RECORDED, Standing.SAME_REFERENCE),
        (0, "50", RepaymentState.PENDING, Standing.SAME_REFERENCE),
        (-28, "50", RepaymentState.REFUSED, Standing.MISSING),
    ],
)
def test_a_reference_of_a_bank_is_one_payment_on_one_day_alone(
    days: float, amount: str, state: str, standing: Standing
) -> None:
    typed = recorded(state=state, amount=D(amount), transaction_date=AT + timedelta(days=days))
    assert judge(BANK, [], [typed], is_twice=False, currency="KES") is standing
