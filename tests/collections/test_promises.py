"""How promises stand: tables, and a machine of promises, payments, readings, zones and clocks."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from lendingadmin.desk.collections.models import Promise
from lendingadmin.desk.collections.promises import Judgement, PaidReading, Payment, judge
from lendingadmin.desk.collections.states import Evidence, PromiseState

NAIROBI = ZoneInfo("Africa/Nairobi")
DAY = date(2026, 11, 27)
OPEN, KEPT, PARTLY, BROKEN = (
    *(PromiseState.OPEN, PromiseState.KEPT),
    *(PromiseState.PARTLY, PromiseState.BROKEN),
)


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"2026-11-{text}").replace(tzinfo=NAIROBI)


def promise(paid_before: str | None = "100") -> Promise:
    before = None if paid_before is None else Decimal(paid_before)
    return Promise(
        amount=Decimal(500), day=DAY, made_at=at("25 10:00"), paid_before=before, account_id="L-1"
    )


def pay(amount: str, entered: str, paid: str = "") -> Payment:
    return Payment(at(entered), at(paid or entered), Decimal(amount))


def read(paid: str, taken: str) -> PaidReading:
    return PaidReading(at(taken), Decimal(paid))


EARLY = pay("500", "26 09:00", "24 18:00")


@pytest.mark.parametrize(
    ("payments", "reading", "now", "found"),
    [
        ([], None, "26 10:00", (OPEN, "0", "")),
        ([pay("500", "26 09:00")], None, "26 10:00", (KEPT, "500", Evidence.JOURNAL)),
        ([pay("499.99", "26 09:00")], None, "26 10:00", (OPEN, "499.99", Evidence.JOURNAL)),
        # Two payments make it together; more than promised is kept too.
        (
            [pay("300", "26 09:00"), pay("300", "27 23:59")],
            None,
            "28 00:00",
            (KEPT, "600", "journal"),
        ),
        # What was entered before the promise is not towards it.
        ([pay("500", "25 10:00")], None, "26 10:00", (OPEN, "0", "")),
        # What was paid before the promise is not towards it, whenever it is entered.
        ([EARLY], None, "26 10:00", (OPEN, "0", "")),
        (
            [pay("500", "26 09:00", "24 18:00")],
            read("600", "28 02:00"),
            "28 10:00",
            (BROKEN, "0", ""),
        ),
        ([pay("500", "25 10:01", "25 10:00")], None, "26 10:00", (KEPT, "500", Evidence.JOURNAL)),
        # Its day ends at midnight in the lender's zone; until a later reading or a day it is open.
        ([], None, "27 23:59", (OPEN, "0", "")),
        ([], None, "28 10:00", (OPEN, "0", "")),
        ([], read("100", "27 22:00"), "28 10:00", (OPEN, "0", "")),
        ([], read("100", "28 02:00"), "28 10:00", (BROKEN, "0", "")),
        ([], None, "29 00:00", (BROKEN, "0", "")),
        ([pay("200", "27 12:00")], None, "29 00:00", (PARTLY, "200", Evidence.JOURNAL)),
        # Paid on the day, entered here two days later.
        ([pay("500", "29 09:00", "27 18:00")], None, "29 10:00", (KEPT, "500", Evidence.JOURNAL)),
        # Paid a day late does not keep it.
        ([pay("500", "28 09:00")], None, "29 00:00", (BROKEN, "0", "")),
        # `paid` rose: elsewhere than here.
        ([], read("600", "27 18:00"), "27 19:00", (KEPT, "500", Evidence.READING)),
        ([], read("350", "28 02:00"), "28 10:00", (PARTLY, "250", Evidence.READING)),
        ([pay("200", "27 12:00")], read("600", "28 02:00"), "28 10:00", (KEPT, "500", "reading")),
        # A reading of long after does not say when it rose.
        ([], read("600", "29 02:00"), "29 03:00", (BROKEN, "0", "")),
        # It fell: a correction at the service is no payment.
        ([], read("50", "28 02:00"), "28 10:00", (BROKEN, "0", "")),
        # A count that began before the promise says nothing of it.
        ([], read("600", "25 09:00"), "26 10:00", (OPEN, "0", "")),
    ],
)
def test_how_a_promise_stands(
    payments: list[Payment],
    reading: PaidReading | None,
    now: str,
    found: tuple[PromiseState, str, str],
) -> None:
    state, paid, evidence = found
    judged = judge(promise(), payments, reading, at(now), NAIROBI)
    assert judged == Judgement(state, Decimal(paid), evidence)


def test_without_a_reading_before_only_the_journal_speaks() -> None:
    judged = judge(promise(None), [], read("600", "27 18:00"), at("27 19:00"), NAIROBI)
    assert judged == Judgement(OPEN, Decimal(0), "")


def second(paid_before: str | None = "100", **fields: object) -> Promise:
    """Another promise on the same loan: made a day later, and due two days later."""
    made, day = at("26 10:00"), date(2026, 11, 29)
    one = promise(paid_before)
    for name, value in {"made_at": made, "day": day, **fields}.items():
        setattr(one, name, value)
    return one


SIX, ELEVEN = read("600", "27 18:00"), read("1100", "27 18:00")
BOTH = ((KEPT, "500"), (KEPT, "500"))
FIRST = ((KEPT, "500"), (OPEN, "0"))


@pytest.mark.parametrize(
    ("payments", "reading", "later", "found"),
    [
        # One payment, two promises: it counts for the one that is due first.
        ([pay("500", "26 12:00")], None, second(), FIRST),
        ([pay("500", "26 12:00"), pay("500", "27 12:00")], None, second(), BOTH),
        ([pay("700", "26 12:00")], None, second(), ((KEPT, "700"), (OPEN, "0"))),
        # Paid between the two: only the first had been made.
        ([pay("500", "26 09:00")], None, second("600"), FIRST),
        # Too late for the first.
        ([pay("500", "28 09:00")], None, second(), ((OPEN, "0"), (KEPT, "500"))),
        # `paid` rose once: elsewhere than here, for one of them.
        ([], SIX, second(), FIRST),
        ([], read("800", "27 18:00"), second(), ((KEPT, "500"), (OPEN, "200"))),
        ([], ELEVEN, second("600"), BOTH),
        ([pay("500", "26 12:00")], SIX, second(), FIRST),
        ([pay("500", "26 12:00")], ELEVEN, second(), BOTH),
    ],
)
def test_a_payment_counts_for_one_promise(
    payments: list[Payment],
    reading: PaidReading | None,
    later: Promise,
    found: tuple[tuple[PromiseState, str], tuple[PromiseState, str]],
) -> None:
    first, now = promise(), at("28 00:00")
    judged = [
        judge(one, payments, reading, now, NAIROBI, [other])
        for one, other in ((first, later), (later, first))
    ]
    assert [(one.state, one.paid) for one in judged] == [(x, Decimal(y)) for x, y in found]


@pytest.mark.parametrize(
    ("evidence", "state"),
    [(Evidence.READING, OPEN), (Evidence.PERSON, OPEN), (Evidence.JOURNAL, KEPT)],
)
def test_a_promise_that_was_kept_has_its_money(evidence: Evidence, state: PromiseState) -> None:
    first, later, reading = promise(), second(), read("600", "29 18:00")
    first.state, first.paid, first.evidence = KEPT, Decimal(500), evidence
    judged = judge(later, [], reading, at("29 20:00"), NAIROBI, [first])
    assert judged.state == state


class PromiseMachine(RuleBasedStateMachine):
    """Payments, readings and time in one zone; what the promise says must follow from them."""

    @initialize(
        zone=st.sampled_from(["Africa/Nairobi", "Africa/Accra", "America/New_York", "Asia/Tokyo"]),
        amount=st.integers(1, 1000),
        in_days=st.integers(0, 5),
        # Around the days on which New York moves its clocks.
        day=st.sampled_from([date(2026, 3, 6), date(2026, 10, 30), date(2026, 11, 24)]),
        hour=st.integers(0, 23),
        knows_before=st.booleans(),
    )
    def begin(
        self, zone: str, amount: int, in_days: int, day: date, hour: int, knows_before: bool
    ) -> None:
        self.zone = ZoneInfo(zone)
        self.now = datetime.combine(day, time(hour), self.zone).astimezone(UTC)
        self.paid = Decimal(1000)
        self.promise = Promise(
            amount=Decimal(amount),
            day=day + timedelta(days=in_days),
            made_at=self.now,
            paid_before=self.paid if knows_before else None,
        )
        self.ends = datetime.combine(
            self.promise.day + timedelta(days=1), time(), self.zone
        ).astimezone(UTC)
        self.payments: list[Payment] = []
        self.reading: PaidReading | None = None
        self.kept_at: datetime | None = None
        self.in_time = Decimal(0)

    @rule(minutes=st.integers(1, 3000))
    def wait(self, minutes: int) -> None:
        self.now += timedelta(minutes=minutes)

    @rule(amount=st.integers(1, 700), is_here=st.booleans())
    def pay(self, amount: int, is_here: bool) -> None:
        """Somebody pays: it is entered here, or elsewhere."""
        self.now += timedelta(minutes=1)
        self.paid += amount
        if is_here:
            self.payments.append(Payment(self.now, self.now, Decimal(amount)))
        if self.now < self.ends:
            self.in_time += amount

    @rule()
    def count(self) -> None:
        """The loans are counted."""
        self.now += timedelta(minutes=1)
        self.reading = PaidReading(self.now, self.paid)

    def judge(self) -> Judgement:
        return judge(self.promise, self.payments, self.reading, self.now, self.zone)

    @invariant()
    def it_says_only_what_evidence_shows(self) -> None:
        if not hasattr(self, "promise"):
            return
        found = self.judge()
        here = sum((one.amount for one in self.payments if one.paid_at < self.ends), Decimal(0))
        assert found.paid >= here
        if found.state == KEPT:
            assert found.paid >= self.promise.amount and found.evidence
            if found.evidence == Evidence.JOURNAL:
                assert self.in_time >= self.promise.amount
            else:
                assert self.promise.paid_before is not None
        elif self.now < self.ends:
            assert found.state == OPEN
        if found.state in (BROKEN, PARTLY):
            assert self.now >= self.ends and found.paid < self.promise.amount
            assert (found.state == PARTLY) == (found.paid > 0)
        if self.now >= self.ends + timedelta(days=1):
            assert found.state != OPEN

    @invariant()
    def what_is_paid_here_in_time_is_always_kept(self) -> None:
        if not hasattr(self, "promise"):
            return
        here = sum((one.amount for one in self.payments if one.paid_at < self.ends), Decimal(0))
        if here >= self.promise.amount:
            assert self.judge().state == KEPT


PromiseMachine.TestCase.settings = hypothesis_settings(max_examples=60, stateful_step_count=25)
TestPromiseMachine = PromiseMachine.TestCase
