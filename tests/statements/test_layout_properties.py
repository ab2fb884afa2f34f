"""What holds of every layout, whatever its rows are: none is lost, and no sign is changed."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lendingadmin.desk.statements.completeness import prove
from lendingadmin.desk.statements.findings import (
    EXACT,
    NEVER,
    Basis,
    Finding,
    find_of_loan,
)
from lendingadmin.desk.statements.lines import Kind, Line, Mapping, Statement
from lendingadmin.desk.statements.reading import read
from lendingadmin.desk.statements.reading.layouts import find_layout

from . import making, making_banks
from .making import NAIROBI, Event, Rows

FORMS = [
    *product((",", ";", "\t", "|"), ("utf-8", "utf-8-sig", "utf-16")),
    (",", "cp1252"),
]


def read_rows(rows: Rows, form: tuple[str, str]) -> Statement:
    delimiter, encoding = form
    # Windows-1252 has no letter of these names that it lacks.
    found = read(making.pack_csv(rows, delimiter=delimiter, encoding=encoding), zone=NAIROBI)
    assert isinstance(found, Statement)
    return found


def find_head(rows: Rows) -> int:
    return next(at for at, row in enumerate(rows) if find_layout([str(cell) for cell in row]))


def add_traps(rows: Rows, traps: Sequence[str], at: int) -> Rows:
    """Add what statements hold beside their rows."""
    head = find_head(rows)
    body = rows[head + 1 :]
    at %= len(body) + 1
    blank = [""] * len(rows[head])
    kinds = {
        "headings on the next page": rows[head],
        "an empty row": blank,
        "a total": ["Grand total", *blank[2:], "123.45"],
        "a page": ["Page 2 of 2"],
    }
    between = [kinds[trap] for trap in traps if trap != "a total"]
    below = [kinds[trap] for trap in traps if trap == "a total"]
    return [*rows[: head + 1], *body[:at], *between, *body[at:], *below]


TRAPS = ["headings on the next page", "an empty row", "a total", "a page"]


def make_events(layout: str, seed: int, count: int) -> tuple[str, list[Event]]:
    return layout, making.make_events(count, seed=seed, digits=layout in making.OF_DIGITS)


STATEMENTS = st.tuples(
    st.builds(
        make_events,
        st.sampled_from(sorted(making.LAYOUTS)),
        st.integers(0, 10_000),
        st.integers(1, 25),
    ),
    st.sampled_from(FORMS),
    st.lists(st.sampled_from(TRAPS), unique=True),
    st.integers(0, 30),
).map(lambda made: (*made[0], *made[1:]))


def shown(layout: str, events: Sequence[Event], lines: Sequence[Line]) -> list[Event]:
    """Return the events that a layout has a row of: some show no failed ones."""
    receipts = {line.receipt for line in lines}
    return [one for one in events if one.receipt in receipts]


@given(STATEMENTS)
@settings(max_examples=300)
def test_no_row_is_lost_and_no_sign_is_changed(made: Any) -> None:
    layout, events, form, traps, at = made
    rows = making.LAYOUTS[layout](events)
    found = read_rows(add_traps(rows, traps, at), form)
    plain = read_rows(rows, form)
    assert found.layout == layout and not found.unknown_words and not found.flaws
    assert [x.amount for x in found.lines] == [x.amount for x in plain.lines]
    assert sorted(x.amount for x in found.lines if x.amount) == sorted(
        one.amount for one in shown(layout, events, found.lines)
    )
    assert len(plain.lines) == len(shown(layout, events, plain.lines)) or layout == "wave-french"
    assert all(isinstance(line.kind, Kind) for line in found.lines)
    # An empty row is none of the file.
    assert found.skipped == plain.skipped + len(set(traps) - {"an empty row"})
    for line in found.lines:
        assert line.kind is not Kind.PAYMENT or (line.amount or 0) > 0
        assert line.kind is not Kind.REVERSAL or (line.amount or 0) < 0


@given(STATEMENTS)
@settings(max_examples=100)
def test_a_row_with_a_comma_that_is_not_quoted_is_named(made: Any) -> None:
    layout, events, form, _traps, at = made
    rows = making.LAYOUTS[layout](events)
    head = find_head(rows)
    assume(len(rows) > head + 1)
    broken = head + 1 + at % (len(rows) - head - 1)
    # The first cell of words is two.
    row = [*rows[broken][:3], "and more", *rows[broken][3:], "end"]
    found = read_rows([*rows[:broken], row, *rows[broken + 1 :]], form)
    assert [flaw.number for flaw in found.flaws] == [broken + 1]
    assert prove(found).found
    plain = read_rows(rows, form)
    others = [x.amount for x in plain.lines if x.number != broken + 1]
    assert [x.amount for x in found.lines if x.number != broken + 1] == others


@given(
    st.integers(0, 10_000),
    st.integers(1, 25),
    st.sampled_from(FORMS),
    st.lists(st.sampled_from(["an empty row", "a total", "a page"]), unique=True),
    st.integers(0, 30),
)
@settings(max_examples=100)
def test_a_table_that_a_person_mapped_loses_no_row_and_no_sign(
    seed: int, count: int, form: tuple[str, str], traps: list[str], at: int
) -> None:
    events = making.make_events(count, seed=seed)
    head = ["Siku", "Kumb", "Aliyelipa", "Kiasi", "Hali"]
    body: Rows = [
        [
            *(f"{one.at:%Y-%m-%d %H:%M:%S}", one.receipt, one.name, one.amount),
            "failed" if one.kind == "failed" else "done",
        ]
        for one in events
    ]
    extra = {"an empty row": [""] * 5, "a page": ["Page 2 of 2"]}
    at %= count + 1
    rows = [head, *body[:at], *(extra[x] for x in traps if x in extra), *body[at:]]
    rows += [["Jumla", "", "", "123.45", ""]] * ("a total" in traps)
    columns = {"moment": "Siku", "receipt": "Kumb", "payer": "Aliyelipa", "amount": "Kiasi"}
    mapping = Mapping(**columns, status="Hali", has_unique_ids=True)
    packed = making.pack_csv(rows, delimiter=form[0], encoding=form[1])
    found = read(packed, zone=NAIROBI, mapping=mapping)
    assert isinstance(found, Statement) and not found.flaws and not found.unknown_words
    assert [x.amount for x in found.lines] == [one.amount for one in events]
    assert [x.receipt for x in found.lines] == [one.receipt for one in events]
    assert found.skipped == len(set(traps) - {"an empty row"})
    kinds = [x.kind for x in found.lines]
    assert [kind is Kind.FAILED for kind in kinds] == [one.kind == "failed" for one in events]
    assert all(x.kind is not Kind.PAYMENT or (x.amount or 0) > 0 for x in found.lines)


JOINS = {"camt": making_banks.join_camt, "mt940": making_banks.join_mt940}


def read_messages(join: str, messages: Sequence[making_banks.Message]) -> Statement:
    found = read(JOINS[join](messages), zone=NAIROBI)
    assert isinstance(found, Statement)
    return found


@given(
    st.sampled_from(sorted(JOINS)),
    st.integers(0, 10_000),
    st.integers(4, 25),
    st.integers(1, 4),
    st.booleans(),
)
@settings(max_examples=100)
def test_messages_of_a_bank_are_one_statement_in_either_order(
    join: str, seed: int, count: int, parts: int, newest_first: bool
) -> None:
    events = making.make_events(count, seed=seed)
    messages = making_banks.split(events, parts, newest_first=newest_first)
    # Two messages that begin and end with the same balance have either order.
    assume(len({one.opening for one in messages}) == parts)
    found = read_messages(join, messages)
    moved = [x.amount for x in found.lines if x.kind is not Kind.FAILED and x.amount]
    assert sum(moved) == sum(one.amount for one in events if one.kind != "failed")
    receipts = [one.receipt for one in events if one.kind != "failed"]
    assert list(dict.fromkeys(x.receipt for x in found.lines if x.kind is not Kind.FAILED)) == (
        receipts
    )
    assert prove(found).is_complete


@given(st.sampled_from(sorted(JOINS)), st.integers(0, 10_000), st.booleans())
@settings(max_examples=50)
def test_a_message_that_is_missing_between_two_is_named(
    join: str, seed: int, newest_first: bool
) -> None:
    messages = making_banks.split(making.make_events(9, seed=seed), 3, newest_first=newest_first)
    assume(messages[1].opening != messages[1].closing)
    found = read_messages(join, [messages[0], messages[2]])
    assert len(found.flaws) == 1
    assert not prove(found).is_complete


@pytest.mark.parametrize("basis", [one.value for one in Basis])
def test_nothing_is_accepted_by_itself_against_a_contradiction(basis: str) -> None:
    contradictions = (None, Finding.OTHER_PAYER, Finding.NEAR_LOAN, Finding.TWO_LOANS)
    questions = (None, Finding.MAY_REVERSED, Finding.SAME_REFERENCE)
    flags = product((False, True), repeat=5)
    for contradiction, question, some in product(contradictions, questions, list(flags)):
        is_closed, is_converted, may_double, is_alike, is_above = some
        finding = find_of_loan(
            basis,
            contradiction=contradiction,
            open_question=question,
            is_closed=is_closed,
            is_converted=is_converted,
            may_double=may_double,
            is_alike=is_alike,
            is_above=is_above,
        )
        stands_against = any((contradiction and basis != Basis.PERSON, question, *some))
        if stands_against or contradiction is Finding.TWO_LOANS:
            assert finding is not Finding.FINE, (contradiction, question, some)
        else:
            assert (finding is Finding.FINE) is (basis in (*EXACT, Basis.PERSON))
        assert finding not in NEVER or finding is Finding.TWO_LOANS
        # What may be accepted for many rows at once never stands for somebody else's payment.
        assert finding is not Finding.OVERPAID or not contradiction or basis == Basis.PERSON
