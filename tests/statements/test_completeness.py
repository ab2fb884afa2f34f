"""A statement that is whole is proven so, and each row that was cut, moved or edited is found."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lendingadmin.desk.statements.completeness import prove
from lendingadmin.desk.statements.lines import Kind, Statement
from lendingadmin.desk.statements.reading import read

from . import making
from .making import NAIROBI


def open_statement(events: list[making.Event], *, newest_first: bool = True) -> Statement:
    rows = making.write_mpesa(events, newest_first=newest_first)
    found = read(making.pack_csv(rows), zone=NAIROBI)
    assert isinstance(found, Statement)
    return found


@pytest.mark.parametrize("newest_first", [True, False])
@given(count=st.integers(2, 40), seed=st.integers(0, 10_000))
def test_what_is_whole_is_proven_so(newest_first: bool, count: int, seed: int) -> None:
    events = making.make_events(count, seed=seed)
    assume(any(one.kind != "failed" for one in events))
    proof = prove(open_statement(events, newest_first=newest_first))
    assert proof.is_complete and len(proof.checks) == 4, proof


@pytest.mark.parametrize("newest_first", [True, False])
@given(count=st.integers(8, 40), seed=st.integers(0, 10_000))
def test_the_rows_of_one_day_without_times_are_read_in_their_order(
    newest_first: bool, count: int, seed: int
) -> None:
    events = [one for one in making.make_events(count, seed=seed) if one.kind != "failed"]
    assume(len({one.amount for one in events}) > 2)
    *head, header = making.write_bank([])
    body = making.write_bank([replace(one, at=events[0].at) for one in events])[len(head) + 1 :]
    rows = [*head, header, *body[:: -1 if newest_first else 1]]
    found = read(making.pack_csv(rows), zone=NAIROBI)
    assert isinstance(found, Statement) and not any(line.has_time for line in found.lines)
    assert found.newest_first == newest_first
    proof = prove(found)
    assert proof.checks and not proof.found


@pytest.mark.parametrize("same_moment", [True, False])
@pytest.mark.parametrize("newest_first", [True, False])
def test_a_fee_beside_each_amount_is_part_of_what_its_row_moves(
    newest_first: bool, same_moment: bool
) -> None:
    header, *body = making.write_wave_french(making.make_events(20))
    for number, row in enumerate(body, start=1):
        balance = Decimal(row[5].replace(",", ".")) - 5 * number
        row[4:6] = 5, f"{balance}".replace(".", ",")
        row[0] = body[0][0] if same_moment else row[0]
    rows = [header, *body[:: -1 if newest_first else 1]]
    found = read(making.pack_csv(rows), zone=NAIROBI)
    assert isinstance(found, Statement)
    assert found.newest_first == newest_first
    assert len(found.lines) == 2 * len(body)
    proof = prove(found)
    assert proof.checks and not proof.found, proof.breaks


@given(seed=st.integers(0, 10_000), cut=st.sampled_from(["first", "last", "both"]))
def test_running_balances_alone_do_not_prove_the_ends(seed: int, cut: str) -> None:
    events = [one for one in making.make_events(40, seed=seed) if one.kind != "failed"]
    table = making.write_mpesa(events)
    head = {"first": slice(9, -1), "last": slice(10, None), "both": slice(10, -1)}[cut]
    # Newest first: the last row of the file is its first payment.
    found = read(making.pack_csv([table[8], *table[head]]), zone=NAIROBI)
    assert isinstance(found, Statement)
    proof = prove(found)
    assert proof.checks and not proof.found and not proof.is_complete
    whole = read(making.pack_csv(table), zone=NAIROBI)
    assert isinstance(whole, Statement) and prove(whole).is_complete


@given(seed=st.integers(0, 10_000), at=st.integers(1, 28))
def test_a_row_that_was_taken_out_is_found(seed: int, at: int) -> None:
    events = [one for one in making.make_events(40, seed=seed) if one.kind != "failed"]
    whole = open_statement(events)
    taken = len(whole.lines) - 1 - at
    cut = replace(whole, lines=[*whole.lines[:taken], *whole.lines[taken + 1 :]])
    proof = prove(cut)
    assert not proof.is_complete
    assert proof.breaks[0].number == whole.lines[taken - 1].number
    amount = whole.lines[taken].amount
    assert amount is not None and f"{amount:,f}" in proof.breaks[0].words


@given(seed=st.integers(0, 10_000), at=st.integers(0, 28))
def test_an_amount_that_was_edited_is_found(seed: int, at: int) -> None:
    events = [one for one in making.make_events(40, seed=seed) if one.kind != "failed"]
    whole = open_statement(events, newest_first=False)
    edited = open_statement(making.change_amount(events, at), newest_first=False)
    proof = prove(replace(edited, paid_in=whole.paid_in, paid_out=whole.paid_out))
    assert whole.lines[at].number in [one.number for one in proof.breaks]


@given(seed=st.integers(0, 10_000))
def test_rows_that_were_sorted_are_found(seed: int) -> None:
    whole = open_statement(making.make_events(40, seed=seed))
    ordered = sorted(whole.lines, key=lambda line: line.amount or Decimal(0))
    assert not prove(replace(whole, lines=ordered)).is_complete


def test_a_cut_end_is_found_by_the_closing_balance() -> None:
    events = making.make_events(30)
    whole = open_statement(events)
    proof = prove(replace(whole, lines=whole.lines[5:]))
    assert not proof.is_complete
    assert {one.number for one in proof.breaks} == {0}


def test_a_row_whose_amount_nobody_can_read_is_named() -> None:
    rows = making.write_pawapay(making.make_events(10))
    rows[4] = [str(cell).replace(str(rows[4][3]), "1.2.3") for cell in rows[4]]
    found = read(making.pack_csv(rows), zone=NAIROBI)
    assert isinstance(found, Statement)
    assert [one.number for one in prove(found).breaks] == [5]


def test_a_row_in_another_currency_is_named_and_hides_no_break() -> None:
    whole = open_statement(making.make_events(20))
    assert whole.lines[5].kind is Kind.PAYMENT
    odd = replace(whole.lines[5], currency="USD")
    named = replace(whole, lines=[*whole.lines[:5], odd, *whole.lines[6:]], currency="KES")
    assert odd.number in {flaw.number for flaw in prove(named).breaks}
    cut = replace(named, lines=[*named.lines[:12], *named.lines[13:]])
    assert named.lines[11].number in {flaw.number for flaw in prove(cut).breaks}
    bare = replace(cut, opening=None, closing=None, paid_in=None, paid_out=None)
    assert named.lines[11].number in {flaw.number for flaw in prove(bare).breaks}


@pytest.mark.parametrize("lost", [None, 7, 8])
def test_balances_are_compared_within_each_currency(lost: int | None) -> None:
    events = [one for one in making.make_events(30) if one.kind == "payment"][:12]
    bare = open_statement(events)
    sums, lines = {"KES": Decimal(0), "USD": Decimal(900)}, []
    for at, line in enumerate(bare.lines[::-1]):
        code = ("KES", "USD")[at % 2]
        sums[code] += line.amount or 0
        lines.append(replace(line, currency=code, balance=sums[code]))
    kept = [line for at, line in enumerate(lines) if at != lost]
    found = Statement(layout="x", network="", account="", currency="", lines=kept)
    proof = prove(found)
    assert proof.checks and not proof.is_complete
    assert [flaw.number for flaw in proof.breaks] == (
        [] if lost is None else [lines[lost + 2].number]
    )


def test_rows_in_several_currencies_without_balances_are_not_compared() -> None:
    whole = open_statement(making.make_events(10))
    lines = [
        replace(one, currency=("KES", "USD")[at % 2], balance=None)
        for at, one in enumerate(whole.lines)
    ]
    proof = prove(Statement(layout="x", network="", account="", currency="", lines=lines))
    assert not proof.checks and not proof.breaks


@pytest.mark.parametrize("mark", ["USD ", "$ "])
def test_a_cell_with_the_mark_of_another_currency_does_not_switch_the_proof_off(mark: str) -> None:
    rows = making.write_bank(making.make_events(14))
    at = next(at for at in range(6, len(rows)) if rows[at][5])
    rows[at][5] = mark + rows[at][5].split()[-1]
    for cut in (rows, [*rows[: at + 3], *rows[at + 4 :]]):
        found = read(making.pack_csv(cut), zone=NAIROBI, currency="KES")
        assert isinstance(found, Statement)
        assert at + 1 in {flaw.number for flaw in prove(found).breaks}
        assert (at + 4 in {flaw.number for flaw in prove(found).breaks}) == (cut is not rows)


def test_what_says_nothing_of_itself_is_neither_whole_nor_broken() -> None:
    rows = making.write_pawapay(making.make_events(10))
    found = read(making.pack_csv(rows), zone=NAIROBI)
    assert isinstance(found, Statement)
    proof = prove(found)
    assert not proof.checks and not proof.is_complete and not proof.breaks
