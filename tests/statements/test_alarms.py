"""Twelve frauds that were planted are told to managers, and a clean month tells nothing."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements import alarms, contradictions, keeping
from lendingadmin.desk.statements.alarms import find_contradictions
from lendingadmin.desk.statements.lines import Kind
from lendingadmin.desk.statements.models import StatementFile, StatementLine
from lendingadmin.desk.statements.standings import Recorded, Row
from lendingadmin.money.repayments import services
from lendingadmin.money.repayments.models import Mistake, Repayment
from lendingadmin.money.repayments.states import RepaymentState
from tests.repayments.rows import row

from . import making
from .batches.test_unnamed_reversals import ANNE, PETER, write
from .batches.test_unnamed_reversals import PAID as PAID_500

pytestmark = pytest.mark.django_db
EVENTS = making.make_events(120)
PAID = [one for one in EVENTS if one.kind == "payment"]
REVERSED = {one.reverses for one in EVENTS if one.reverses}
PLAIN = [one for one in PAID if one.receipt not in REVERSED]


def enter(by: User, one: making.Event, **fields: Any) -> Repayment:
    """What an honest clerk records of a payment, but for these fields."""
    usual = {
        "account_id": one.reference,
        "external_id": one.receipt,
        "amount": one.amount,
        "network": "M-PESA",
        "channel": "mobile",
        "transaction_date": one.at,
    }
    return row(by, **usual | fields)


def bring_in(by: User, events: list[making.Event] = EVENTS) -> StatementFile:
    content = making.pack_csv(making.write_mpesa(events))
    file = keeping.take_in(lending_app("kenya"), content, by)[0]
    alarms.raise_alarms(file, by)
    alarms.search_covered_days(timezone.now())
    return file


def list_told() -> set[int]:
    """The repayments that managers are told of, by an alarm or a report."""
    told = set(Repayment.objects.exclude(alarm="").values_list("pk", flat=True))
    return told | set(Mistake.objects.values_list("repayment", flat=True))


def test_a_clean_month_tells_nothing(support: User) -> None:
    for one in PLAIN:
        enter(support, one)
    row(support, external_id="CASH-1", external_id_minted=True, transaction_date=PAID[0].at)
    row(support, network="Other", transaction_date=PAID[0].at)
    bring_in(support)
    assert list_told() == set()


def find_event(kind: str) -> making.Event:
    return next(one for one in EVENTS if one.kind == kind)


OTHER_DAY = datetime(2026, 10, 20, 9, tzinfo=UTC)
PLANTED: dict[str, Callable[[User], list[Repayment]]] = {
    "more than arrived": lambda by: [enter(by, PLAIN[0], amount=PLAIN[0].amount + 1)],
    "less than arrived": lambda by: [enter(by, PLAIN[0], amount=PLAIN[0].amount - 1)],
    "one code on two loans": lambda by: [
        enter(by, PLAIN[0]),
        enter(by, PLAIN[0], account_id="L-FRIEND"),
    ],
    "a payment cut in two by hand": lambda by: [
        enter(by, PLAIN[0], amount=PLAIN[0].amount - 1),
        enter(by, PLAIN[0], amount=Decimal(1), account_id="L-FRIEND"),
    ],
    "the code used again later": lambda by: [
        enter(by, PLAIN[0]),
        enter(by, PLAIN[0], account_id="L-2", transaction_date=OTHER_DAY),
    ],
    "the code again in other letters": lambda by: [
        enter(by, PLAIN[0]),
        enter(by, PLAIN[0], account_id="L-2", external_id=f" {PLAIN[0].receipt.lower()} "),
    ],
    "an invented code": lambda by: [enter(by, PLAIN[0], external_id="SJINVENTED")],
    "a code with a letter changed": lambda by: [
        enter(by, PLAIN[0], external_id=PLAIN[0].receipt[:-1] + "X")
    ],
    "a payment that failed": lambda by: [enter(by, find_event("failed"))],
    "a charge as a payment": lambda by: [
        enter(by, find_event("charge"), amount=abs(find_event("charge").amount))
    ],
    "another currency": lambda by: [enter(by, PLAIN[0], currency_code="USD")],
    "a payment that was taken back": lambda by: [
        enter(by, next(one for one in PAID if one.receipt in REVERSED))
    ],
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fraud_is_told_and_nothing_else(name: str, support: User) -> None:
    honest = [enter(support, one) for one in PLAIN[5:15]]
    planted = PLANTED[name](support)
    bring_in(support)
    assert list_told() == {one.pk for one in planted}
    assert not {one.pk for one in honest} & list_told()


def test_a_statement_that_is_not_whole_tells_nothing(support: User) -> None:
    enter(support, PLAIN[0], amount=Decimal(7))
    table = making.write_mpesa(EVENTS)
    content = making.pack_csv([*table[:20], *table[21:]])
    file = keeping.take_in(lending_app("kenya"), content, support)[0]
    assert alarms.raise_alarms(file, support) == 0
    alarms.search_covered_days(timezone.now())
    assert list_told() == set()
    assert not StatementLine.objects.exclude(place="").exists()


def test_what_the_statement_has_is_no_state_of_a_repayment(support: User) -> None:
    unknown = enter(support, PLAIN[0], state=RepaymentState.UNKNOWN)
    bring_in(support)
    unknown.refresh_from_db()
    assert unknown.state == RepaymentState.UNKNOWN and not unknown.alarm


def test_a_day_that_is_not_over_for_long_is_not_searched_yet(support: User) -> None:
    invented = enter(support, PLAIN[0], external_id="SJINVENTED")
    content = making.pack_csv(making.write_mpesa(EVENTS))
    file = keeping.take_in(lending_app("kenya"), content, support)[0]
    assert file.covers_to is not None
    end = datetime(file.covers_to.year, file.covers_to.month, file.covers_to.day, tzinfo=UTC)
    alarms.search_covered_days(end + timedelta(days=1))
    invented.refresh_from_db()
    assert not invented.alarm
    alarms.search_covered_days(end + timedelta(days=3))
    invented.refresh_from_db()
    assert str(alarms.NO_STATEMENT) % {"network": "M-PESA"} in invented.alarm


@pytest.mark.parametrize(
    "fields",
    [
        {
            "layout": "mpesa-organisation",
            "covers_from": date(2026, 9, 1),
            "covers_to": date(2026, 9, 30),
            "proof": {"has_ends": True},
            "searched_at": datetime(2026, 10, 1, tzinfo=UTC),
        },
        {"layout": "mpesa-callbacks"},
    ],
    ids=["a file of other days", "no complete file"],
)
def test_each_account_of_the_network_must_cover_a_day(
    support: User, fields: dict[str, Any]
) -> None:
    StatementFile.objects.create(
        app_id="kenya",
        token="other",
        digest="other",
        created_by=support,
        network="M-PESA",
        account="999999",
        **fields,
    )
    enter(support, PLAIN[0], external_id="SJINVENTED")
    bring_in(support)
    assert list_told() == set()


def test_a_file_of_an_app_that_is_closed_keeps_none_from_being_searched(support: User) -> None:
    enter(support, PLAIN[0], external_id="SJINVENTED")
    bring_in(support)
    StatementFile.objects.create(
        app_id="closed",
        token="other",
        digest="other",
        created_by=support,
        network="M-PESA",
        covers_from=datetime(2026, 9, 1).date(),
        covers_to=datetime(2026, 9, 2).date(),
    )
    assert list_told()


def stand(kind: Kind, amount: Decimal) -> Row:
    return Row(7, 7, kind, "sj1", "", amount, "KES", OTHER_DAY, has_time=True)


def record(number: int, account_id: str, amount: Decimal) -> Recorded:
    state = RepaymentState.RECORDED
    return Recorded(number, "sj1", account_id, amount, "", "M-PESA", OTHER_DAY, state, "")


class TestRowsWithoutMoney:
    """A row that has the id is told as what it is, and never as money that did not come."""

    @pytest.mark.parametrize("kind", [one for one in Kind if one != Kind.PAYMENT])
    def test_it_is_told_as_what_it_is(self, kind: Kind) -> None:
        entered = [record(1, "L-1", Decimal(5))]
        found = find_contradictions([stand(kind, Decimal(5))], entered, set(), "KES")
        assert found == {1: str(alarms.WITHOUT_MONEY[kind]) % {"row": 7}}
        assert len({str(words) for words in alarms.WITHOUT_MONEY.values()}) == len(Kind) - 1

    def test_the_charge_of_a_payment_in_another_file_is_nothing(self, support: User) -> None:
        file = bring_in(support)
        own = enter(support, PLAIN[0])
        other = StatementFile.objects.create(
            app_id="kenya", token="x", digest="x", created_by=support, layout="mpesa"
        )
        StatementLine.objects.create(
            file=other,
            position=1,
            number=1,
            kind=Kind.CHARGE,
            receipt_key=own.external_id_key,
            amount=-5,
        )
        assert alarms.raise_alarms(other, support) == 0 and list_told() == set()
        assert file.lines.filter(receipt_key=own.external_id_key, kind=Kind.PAYMENT).exists()

    @pytest.mark.parametrize("kind", ["failed", "charge"])
    def test_a_covered_day_tells_it_of_what_was_recorded_later(
        self, support: User, kind: str
    ) -> None:
        content = making.pack_csv(making.write_mpesa(EVENTS))
        file = keeping.take_in(lending_app("kenya"), content, support)[0]
        own = enter(support, find_event(kind))
        alarms.search_covered_days(timezone.now())
        own.refresh_from_db()
        line = file.lines.get(receipt_key=own.external_id_key)
        assert str(alarms.WITHOUT_MONEY[Kind(kind)]) % {"row": line.number} in own.alarm


class TestMaybeReversed:
    """A reversal that names no payment, when what it may have reversed is recorded already."""

    def take_in(self, by: User, *rows: tuple[str, str, str, str], head: bytes = b"") -> int:
        content = head + write(*rows)
        file = keeping.take_in(lending_app("kenya"), content, by)[0]
        return alarms.raise_alarms(file, by)

    def enter(self, by: User, **fields: Any) -> Repayment:
        self.take_in(by, PAID_500)
        at = datetime(2026, 10, 22, 7, tzinfo=UTC)
        usual = {"external_id": PAID_500[0], "amount": "500", "network": "M-PESA"}
        return row(by, **usual | {"transaction_date": at} | fields)

    @pytest.mark.parametrize(
        ("reversal", "count"),
        [
            (("SJAA000002", "23", "-500.00", ANNE), 1),
            (("SJAA000002", "23", "-500.00", ""), 1),
            (("SJAA000002", "23", "-500.00", PETER), 0),
            (("SJAA000002", "23", "-500.01", ANNE), 0),
            (("SJAA000002", "21", "-500.00", ANNE), 0),
        ],
    )
    def test_it_is_told_to_managers(
        self, support: User, reversal: tuple[str, str, str, str], count: int
    ) -> None:
        own = self.enter(support)
        assert self.take_in(support, reversal) == count
        told = Repayment.objects.with_unseen_alarm("kenya").values_list("pk", flat=True)
        assert list(told) == [own.pk] * count
        own.refresh_from_db()
        assert own.state == RepaymentState.RECORDED

    def test_one_of_another_account_says_nothing(self, support: User) -> None:
        self.enter(support)
        other = ("SJAA000002", "23", "-500.00", "")
        assert self.take_in(support, other, head=b"Short Code,777777\n") == 0

    def test_what_is_not_recorded_is_not_told(self, support: User) -> None:
        own = self.enter(support, state=RepaymentState.REFUSED)
        assert self.take_in(support, ("SJAA000002", "23", "-500.00", ANNE)) == 0
        own.refresh_from_db()
        assert not own.alarm

    def test_a_person_decides_and_a_file_that_has_it_again_asks_no_more(
        self, support: User, manager: User
    ) -> None:
        own = self.enter(support, alarm="another", alarm_at=timezone.now())
        services.mark_alarm_seen(own, manager)
        reversal = ("SJAA000002", "23", "-500.00", ANNE)
        assert self.take_in(support, reversal) == 1
        assert contradictions.list_waiting("kenya", manager).get() == own
        own.refresh_from_db()
        services.mark_alarm_seen(own, manager)
        again = ("SJAA000003", "24", "70.00", PETER)
        assert self.take_in(support, reversal, again) == 0
        assert not contradictions.list_waiting("kenya", manager)

    def test_an_alarm_that_nobody_has_seen_stays_beside_it(self, support: User) -> None:
        own = self.enter(support, alarm="another", alarm_at=timezone.now())
        self.take_in(support, ("SJAA000002", "23", "-500.00", ANNE))
        own.refresh_from_db()
        assert own.alarm.startswith("another ") and own.alarm_seen_at is None


AMOUNTS = st.decimals("0.01", "1000", places=2)


@given(
    amount=AMOUNTS,
    entered=st.lists(
        st.tuples(st.sampled_from(["L-1", "L-2"]), AMOUNTS, st.booleans()), min_size=1, max_size=4
    ),
)
def test_only_what_adds_up_on_one_loan_or_was_split_here_is_not_told(
    amount: Decimal, entered: list[tuple[str, Decimal, bool]]
) -> None:
    rows = [record(at, loan, paid) for at, (loan, paid, _is_split) in enumerate(entered)]
    split = {at for at, (_loan, _paid, is_split) in enumerate(entered) if is_split}
    found = find_contradictions([stand(Kind.PAYMENT, amount)], rows, split, "KES")
    is_whole = sum(one.amount for one in rows) == amount
    is_one = len({one.account_id for one in rows}) == 1 or len(split) == len(rows)
    assert set(found) == (set() if is_whole and is_one else set(range(len(rows))))
