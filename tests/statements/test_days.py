"""Days that can't be, days that a program turned, and the period of a head in each form."""

from collections.abc import Sequence
from datetime import date, timedelta

import pytest

from lendingadmin.desk.statements.lines import Kind, Mapping, Statement
from lendingadmin.desk.statements.reading import days, read

from .making import NAIROBI
from .test_odd_files import BANK, write_camt

TODAY = date(2026, 11, 22)
MAPPED = Mapping(moment="Siku", amount="Kiasi")


def read_days(*written: str, head: Sequence[str] = (), today: date = TODAY) -> Statement:
    body = [f"{day},R{n},5.00" for n, day in enumerate(written)]
    content = "\n".join([*head, "Siku,Kumb,Kiasi", *body]).encode()
    found = read(content, zone=NAIROBI, mapping=MAPPED, today=today)
    assert isinstance(found, Statement)
    return found


def list_days(first: int, last: int, turned: Sequence[int] = (), form: str = "{}/{}/2026") -> list:
    """The days of November, some with day and month turned."""
    parts = [f"{n:02}" for n in range(32)]
    return [
        form.format("11", parts[n]) if n in turned else form.format(parts[n], "11")
        for n in range(first, last + 1)
    ]


@pytest.mark.parametrize(("ahead", "is_named"), [(0, False), (1, False), (2, True), (4, True)])
def test_no_payment_of_a_table_is_in_the_future(ahead: int, is_named: bool) -> None:
    day = TODAY + timedelta(days=ahead)
    found = read_days("2026-11-21", f"{day}", f"{day} 10:00:00")
    assert [flaw.number for flaw in found.flaws] == ([3, 4] if is_named else [])


@pytest.mark.parametrize(("ahead", "is_named"), [(4, False), (5, True)])
def test_a_bank_books_on_the_next_business_day(ahead: int, is_named: bool) -> None:
    day = TODAY + timedelta(days=ahead)
    found = read(write_camt(f"{day}"), zone=NAIROBI, today=TODAY)
    assert isinstance(found, Statement) and bool(found.flaws) is is_named


@pytest.mark.parametrize("day", ["1926-11-20", "2002-11-20", "20/11/02", "2015-11-20"])
def test_a_day_of_long_ago_is_named(day: str) -> None:
    assert [flaw.number for flaw in read_days("20 Nov 2026", day).flaws] == [3]
    head = ["From Date,01/01/1920", "To Date,30/11/2026"]
    assert [flaw.number for flaw in read_days("20 Nov 2026", day, head=head).flaws] == [5]


def test_the_year_of_an_old_row_is_asked_and_an_old_head_answers_it() -> None:
    old = TODAY - days.OLD - timedelta(days=1)
    recent = read_days(f"{old + timedelta(days=1)}")
    assert not recent.flaws and not recent.unknown_words
    found = read_days("2026-11-20", f"{old}")
    assert found.unknown_words == {"year": [f"{old.year}"]} and not found.flaws
    head = [f"Statement Period,{old} to {old}"]
    headed = read_days(f"{old}", head=head)
    assert not headed.unknown_words and not headed.flaws


@pytest.mark.parametrize(
    ("written", "years"),
    [
        (("2025-11-21", "2026-11-19", "2026-11-20"), ["2025"]),
        (("2025-11-21", "2026-06-20", "2026-11-20"), []),
        (("2026-11-20", "2025-12-20"), ["2025"]),
    ],
)
def test_a_row_of_another_year_than_the_rest_is_asked(
    written: tuple[str, ...], years: list[str]
) -> None:
    assert read_days(*written).unknown_words.get("year", []) == years


@pytest.mark.parametrize(("is_right", "flaws"), [(True, []), (False, [3])])
def test_a_person_says_whether_an_old_year_is_right(is_right: bool, flaws: list[int]) -> None:
    old = TODAY - days.OLD - timedelta(days=1)
    content = f"Siku,Kumb,Kiasi\n2026-11-20,R1,5.00\n{old},R2,6.00".encode()
    answers = {"year": {f"{old.year}": is_right}}
    found = read(content, zone=NAIROBI, mapping=MAPPED, today=TODAY, answers=answers)
    assert isinstance(found, Statement) and not found.unknown_words
    assert [flaw.number for flaw in found.flaws] == flaws


@pytest.mark.parametrize(
    "written",
    [
        list_days(1, 20, turned=(5,)),
        list_days(1, 20, turned=(2, 4, 6, 8)),
        list_days(1, 20, turned=range(1, 10)),
        list_days(1, 20, turned=(2, 4, 6), form="2026-{1}-{0}"),
        list_days(1, 20, turned=(2, 4, 6))[::-1],
        [f"{day} 10:00:00" for day in list_days(1, 20, turned=(3, 9)) for _again in range(3)],
        list_days(1, 9, turned=(2, 4, 6)),
    ],
)
def test_days_that_a_program_turned_are_named(written: list[str]) -> None:
    assert 0 in [flaw.number for flaw in read_days(*written).flaws]


@pytest.mark.parametrize(
    "written",
    [
        list_days(1, 20),
        list_days(1, 20)[::-1],
        list_days(1, 20, form="2026-{1}-{0}"),
        # Each month on its day, and rows that somebody sorted otherwise.
        [f"05/{month:02}/2026" for month in range(1, 11)] + ["13/10/2026", "05/11/2026"],
        [*list_days(13, 20), *list_days(1, 12)],
        ["05/11/2026", "20/03/2026", "07/11/2026", "14/06/2026", "02/11/2026"],
        ["20/10/2026", "05/11/2026"],
    ],
)
def test_days_in_order_or_in_none_are_not_turned(written: list[str]) -> None:
    assert not read_days(*written).flaws


@pytest.mark.parametrize(
    "head",
    [
        ["From Date,01/11/2026", "To Date,14/11/2026"],
        ["From Date:,01/11/2026,To Date:,14/11/2026"],
        ["From: 01/11/2026", "To: 14/11/2026"],
        ["From: 01/11/2026 To: 14/11/2026"],
        ["From 01/11/2026 to 14/11/2026"],
        ["Statement from 01 Nov 2026 to 14 Nov 2026"],
        ["Start Date,01-Nov-26,End Date,14-Nov-26"],
        ["Statement Start Date,2026-11-01", "Statement End Date,2026-11-14"],
        ["Du,01/11/2026,Au,14/11/2026"],
        ["Relevé du 01/11/2026 au 14/11/2026"],
        ["Kuanzia,01/11/2026", "Hadi,14/11/2026"],
        ["Period,01/11/2026 - 14/11/2026"],
        ["Printed,20/11/2026", "To,Ann", "To,14/11/2026 23:59", "From,01/11/2026 00:00"],
    ],
)
def test_a_head_may_name_its_period_in_two_cells(head: list[str]) -> None:
    found = read_days("13/11/2026", head=head)
    assert (f"{found.begins}", f"{found.ends}") == ("2026-11-01", "2026-11-14")
    assert [flaw.number for flaw in read_days("13/11/2026", "13/10/2026", head=head).flaws]


@pytest.mark.parametrize("head", ["From,Ann", "From Date,01/11/2026", "To Date,14/11/2026"])
def test_one_end_is_no_period(head: str) -> None:
    found = read_days("13/11/2026", head=[head])
    assert (found.begins, found.ends) == (None, None)


@pytest.mark.parametrize(
    ("row", "amount"),
    [
        ("22/11/2026,,x,F1,,25.50,", None),
        ("22/11/2026,,x,F1,0,25.50,", None),
        ("22/11/2026,,x,F1,-,25.00,", 25),
        ("22/11/2026,,x,F1,25.5,,", None),
    ],
)
def test_an_amount_that_its_currency_can_not_have_is_named(row: str, amount: int | None) -> None:
    found = read(f"{BANK}\n{row}".encode(), zone=NAIROBI, currency="XOF", today=TODAY)
    assert isinstance(found, Statement) and [line.amount for line in found.lines] == [amount]
    assert [flaw.number for flaw in found.flaws] == ([2] if amount is None else [])
    assert (found.lines[0].kind is Kind.PAYMENT) is (amount is not None)


@pytest.mark.parametrize("amount", ["25.50", "25"])
def test_an_amount_of_a_bank_that_its_currency_can_not_have_is_none(amount: str) -> None:
    camt = write_camt("2026-11-22").decode().replace("500.00", amount).replace('"KES"', '"XOF"')
    swift = f":20:A\n:25:44\n:60F:C261102XOF0,\n:61:2611021102C{amount.replace('.', ',')}"
    swift += (
        f"{'' if '.' in amount else ','}NTRFX//F1\n:62F:C261102XOF{amount.replace('.', ',')}\n-"
    )
    for text in (camt, swift):
        found = read(text.encode(), zone=NAIROBI, today=TODAY)
        assert isinstance(found, Statement)
        expected = (None, Kind.OTHER) if "." in amount else (25, Kind.PAYMENT)
        assert (found.lines[0].amount, found.lines[0].kind) == expected
