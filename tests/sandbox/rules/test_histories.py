"""How loans were repaid, as an assessment reads it."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from lendingadmin.sandbox.rules.accounts import Arrears, Line, Payment
from lendingadmin.sandbox.rules.histories import (
    Due,
    LoanHistory,
    build_history,
    build_sent_history,
    count_days_behind,
    is_in_time,
)

FIRST = datetime(2026, 1, 31, 23, 59, 59, tzinfo=UTC)
SECOND = FIRST + timedelta(days=28)
DAY = timedelta(days=1)
NO_COST = Arrears(Decimal(0), timedelta(0), Decimal(0))


def lines() -> list[Line]:
    return [
        Line(
            number,
            due - 28 * DAY,
            due,
            [Decimal(0), Decimal(2), Decimal(10), Decimal(100)],
            [Decimal(0)] * 4,
        )
        for number, due in enumerate((FIRST, SECOND), start=1)
    ]


def history(*payments: tuple[datetime, int], until: datetime = SECOND + 60 * DAY) -> LoanHistory:
    made = [Payment(moment, Decimal(amount)) for moment, amount in payments]
    return build_history(lines(), NO_COST, made, until)


def cleared(loan: LoanHistory) -> list[datetime | None]:
    return [one.cleared_at for one in loan.dues]


def test_an_instalment_is_paid_when_the_last_of_it_comes() -> None:
    early, late = FIRST - DAY, FIRST + 5 * DAY
    assert cleared(history((early, 112))) == [early, None]
    assert cleared(history((early, 111))) == [None, None]
    assert cleared(history((early, 50), (late, 62))) == [late, None]
    assert cleared(history((late, 62), (early, 50))) == [late, None]


def test_an_instalment_of_interest_alone_is_paid_with_its_interest() -> None:
    account = lines()
    account[1].owed[3] = Decimal(0)
    paid = [Payment(FIRST, Decimal(112)), Payment(SECOND, Decimal(12))]
    for count, expected in ((1, [FIRST, None]), (2, [FIRST, SECOND])):
        assert cleared(build_history(account, NO_COST, paid[:count], SECOND)) == expected


def test_what_is_paid_ahead_counts_for_the_next() -> None:
    assert cleared(history((FIRST, 224))) == [FIRST, FIRST]


def test_only_what_fell_due_and_was_paid_by_then_is_there() -> None:
    payments = (FIRST, 112), (SECOND, 112)
    assert cleared(history(*payments, until=FIRST - timedelta(seconds=1))) == []
    assert cleared(history(*payments, until=FIRST)) == [FIRST]
    assert cleared(history(*payments, until=SECOND - timedelta(seconds=1))) == [FIRST]
    assert cleared(history(*payments, until=SECOND)) == [FIRST, SECOND]


def test_a_loan_is_repaid_when_all_of_it_is() -> None:
    assert history((FIRST, 223)).resolved_at is None
    assert history((FIRST, 112), (SECOND, 112)).resolved_at == SECOND
    assert history((FIRST, 112), (SECOND, 112), until=SECOND - DAY).resolved_at is None
    # Ahead of time: nothing fell due by then, yet the loan is repaid.
    ahead = history((FIRST - DAY, 224), until=FIRST - DAY)
    assert ahead == LoanHistory((), Decimal(200), FIRST - DAY)


def test_penalties_take_their_part_of_a_late_payment_first() -> None:
    arrears = Arrears(Decimal("0.05"), timedelta(0), Decimal(0))
    paid = [Payment(FIRST + 2 * DAY, Decimal(112))]
    assert cleared(build_history(lines(), arrears, paid, FIRST + 3 * DAY)) == [None]
    assert cleared(build_history(lines(), NO_COST, paid, FIRST + 3 * DAY)) == [FIRST + 2 * DAY]


def test_the_lines_that_were_passed_in_stay_as_they_are() -> None:
    before = lines()
    build_history(before, NO_COST, [Payment(FIRST, Decimal(50))], SECOND)
    assert before == lines()


def test_a_loan_made_elsewhere_has_one_due() -> None:
    told = build_sent_history(FIRST, FIRST - DAY, Decimal(70), SECOND)
    assert told == LoanHistory((Due(FIRST, FIRST - DAY),), Decimal(70), FIRST - DAY)
    assert build_sent_history(FIRST, None, Decimal(70), SECOND).dues == (Due(FIRST, None),)
    assert build_sent_history(SECOND, None, Decimal(70), FIRST).dues == ()
    assert build_sent_history(None, None, Decimal(70), FIRST) == LoanHistory((), Decimal(70), None)
    # What is said to have been completed later than the moment of the assessment had not been.
    later = build_sent_history(FIRST, SECOND, Decimal(70), FIRST + DAY)
    assert later == LoanHistory((Due(FIRST, None),), Decimal(70), None)


@pytest.mark.parametrize(
    ("cleared_at", "expected"),
    [
        (FIRST - 9 * DAY, True),
        (FIRST + DAY, True),
        (FIRST + DAY + timedelta(seconds=1), False),
        (None, False),
    ],
)
def test_in_time_is_by_the_day_after(cleared_at: datetime | None, expected: bool) -> None:
    assert is_in_time(Due(FIRST, cleared_at)) is expected


def test_days_behind_count_from_the_oldest_unpaid() -> None:
    until = SECOND + 3 * DAY
    assert count_days_behind(history(until=until), until) == 31
    assert count_days_behind(history((FIRST, 112), until=until), until) == 3
    assert count_days_behind(history((FIRST, 224), until=until), until) == 0
    assert count_days_behind(LoanHistory((), Decimal(0), None), until) == 0
