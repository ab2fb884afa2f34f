"""What a file leaves open is asked before anything of it can be recorded, and remembered."""

from datetime import date
from decimal import Decimal

import pytest
from django.test import Client

from lendingadmin.desk.statements.lines import Statement
from lendingadmin.desk.statements.models import Batch, KnownLayout, StatementFile
from lendingadmin.desk.statements.places import list_unallocated
from lendingadmin.desk.statements.reading import read
from tests.statements import making
from tests.statements.desk import DeskService
from tests.statements.making import NAIROBI

from .steps import BASE, bring_in

HEAD = making.write_mpesa(making.make_events(1))[8]


def write_mpesa(*rows: tuple[str, str, str], period: str = "") -> bytes:
    """A portal's statement: moment, amount and status of each row."""
    body = [
        [
            *(f"SJAA{number:06}", at, at, "Pay Bill", status, amount, "", "", "TRUE"),
            *("Pay Utility", "25471****678 - ANNE WANJIRU", "", "L-100"),
        ]
        for number, (at, amount, status) in enumerate(rows, start=1)
    ]
    return making.pack_csv([["Time Period", period]] * bool(period) + [HEAD, *body])


def begins(clerk: Client, file: StatementFile) -> bool:
    clerk.post(f"{BASE}{file.pk}/batch/begin")
    return Batch.objects.filter(file=file).exists()


ONE = ("02-11-2026 10:00:00", "500.00", "Completed")


@pytest.mark.parametrize(
    ("rows", "period", "needs_answer", "day"),
    [
        (["02-11-2026 10:00:00"], "", True, "2026-11-02"),
        (["22-11-2026 10:00:00"], "", False, "2026-11-22"),
        (["2026-11-02 10:00:00"], "", False, "2026-11-02"),
        # The head decides, where it has one reading, or the other would be still to come.
        (["02-11-2026 10:00:00"], "From 01-11-2026 To 20-11-2026", False, "2026-11-02"),
        (["11/02/2026 10:00"], "From 01-11-2026 To 20-11-2026", False, "2026-11-02"),
        (["11/02/2026 10:00"], "From 02-11-2026 To 02-11-2026", True, "2026-02-11"),
        (["05-12-2026 10:00:00"], "", False, "2026-05-12"),
    ],
)
def test_days_with_two_readings_are_asked(
    rows: list[str], period: str, needs_answer: bool, day: str
) -> None:
    content = write_mpesa(*((at, "500.00", "Completed") for at in rows), period=period)
    found = read(content, zone=NAIROBI, today=date(2026, 11, 28))
    assert isinstance(found, Statement) and found.lines[0].moment
    assert (found.day_is_proposed, str(found.lines[0].moment.date())) == (needs_answer, day)


@pytest.mark.parametrize(
    ("at", "period"),
    [
        ("22-12-2026 10:00:00", ""),
        ("22-10-2026 10:00:00", "From 01-11-2026 To 20-11-2026"),
        ("2048-05-23 10:00:00", ""),
    ],
)
def test_a_day_that_can_not_be_is_a_flaw(at: str, period: str) -> None:
    content = write_mpesa((at, "500.00", "Completed"), period=period)
    found = read(content, zone=NAIROBI, today=date(2026, 11, 28))
    assert isinstance(found, Statement) and [flaw.number for flaw in found.flaws]
    failed = read(content.replace(b"Completed", b"Failed"), zone=NAIROBI, today=date(2026, 11, 28))
    assert isinstance(failed, Statement) and not failed.flaws


@pytest.mark.django_db
def test_nothing_is_recorded_before_the_days_are_answered(
    clerk: Client, service: DeskService
) -> None:
    file = bring_in(clerk, write_mpesa(ONE))
    assert file.needs_answer and not begins(clerk, file)
    assert not list_unallocated("kenya").exists() and file.covers_from is None
    answer = clerk.get(f"{BASE}{file.pk}/rows/1/record")
    assert answer.headers["Location"] == file.get_absolute_url()
    assert "/rows/1/record" not in clerk.get(file.get_absolute_url()).text
    clerk.post(f"{BASE}{file.pk}/days", {"first": "day"})
    assert begins(clerk, file) and list_unallocated("kenya").exists()


@pytest.mark.django_db
def test_words_nobody_explained_are_asked_once_and_remembered(clerk: Client) -> None:
    row = ("22-11-2026 10:00:00", "500.00")
    words = [(*row, "Completed"), (*row, "Cleared"), (*row, "Parked"), (*row, "Declined")]
    file = bring_in(clerk, write_mpesa(*words))
    assert file.unknown_words == {"status": ["cleared", "parked"]}
    kinds = ["payment", "other", "other", "failed"]
    assert list(file.lines.order_by("position").values_list("kind", flat=True)) == kinds
    assert not begins(clerk, file)
    # Each word is to be answered.
    clerk.post(f"{BASE}{file.pk}/words/", {"status-0": "yes"})
    assert not KnownLayout.objects.exists()
    clerk.post(f"{BASE}{file.pk}/words/", {"status-0": "yes", "status-1": "no"})
    kinds = ["payment", "payment", "failed", "failed"]
    assert list(file.lines.order_by("position").values_list("kind", flat=True)) == kinds
    assert begins(clerk, file)
    next_file = bring_in(clerk, write_mpesa(*words, (*row, "CLEARED ")))
    assert not next_file.needs_answer
    assert list(next_file.lines.order_by("position").values_list("kind", flat=True)) == [
        *kinds,
        "payment",
    ]


@pytest.mark.django_db
def test_a_column_that_decides_can_not_be_left_out(clerk: Client) -> None:
    head = ["Date", "Ref", "Amount", "DR/CR", "State"]
    body = [
        ["2026-11-22", "T1", "1500.00", "CR", "Posted"],
        ["2026-11-22", "T2", "20000.00", "DR", "Posted"],
        ["2026-11-22", "T3", "700.00", "Zu", "Posted"],
    ]
    file = bring_in(clerk, making.pack_csv([head, *body]))
    columns = f"{BASE}{file.pk}/columns"
    chosen = {"network": "Bank", "moment": "Date", "receipt": "Ref", "amount": "Amount"}
    for left_out in ({"side": "DR/CR"}, {"status": "State"}, {}):
        assert clerk.post(columns, chosen | left_out).status_code == 200
    assert clerk.post(columns, chosen | {"side": "DR/CR", "status": "State"}).status_code == 302
    file.refresh_from_db()
    assert file.unknown_words == {"side": ["zu"]}
    amounts = [("payment", Decimal(1500)), ("other", Decimal(-20000)), ("other", Decimal(700))]
    assert list(file.lines.order_by("position").values_list("kind", "amount")) == amounts
    clerk.post(f"{BASE}{file.pk}/words/", {"side-0": "no"})
    lines = file.lines.order_by("position").values_list("kind", "amount")
    assert list(lines) == [*amounts[:2], ("other", Decimal(-700))]
    file.refresh_from_db()
    assert not file.needs_answer


@pytest.mark.django_db
def test_a_mapping_of_before_that_leaves_a_deciding_column_out_is_asked_again(
    clerk: Client,
) -> None:
    table = [["Date", "Ref", "Amount", "DR/CR"], ["2026-11-22", "T1", "20000.00", "DR"]]
    file = bring_in(clerk, making.pack_csv(table))
    chosen = {"network": "Bank", "moment": "Date", "receipt": "Ref", "amount": "Amount"}
    clerk.post(f"{BASE}{file.pk}/columns", chosen | {"side": "DR/CR"})
    known = KnownLayout.objects.get()
    known.columns = {name: heading for name, heading in known.columns.items() if name != "side"}
    known.save()
    again = bring_in(clerk, making.pack_csv([*table, ["2026-11-23", "T2", "5.00", "DR"]]))
    assert not again.layout and not again.lines.exists()


@pytest.mark.parametrize(
    ("amounts", "answer", "needs_answer", "read_as"),
    [
        (["1,500", "2,250"], None, True, ["1500", "2250"]),
        (["1,500", "2,250"], True, False, ["1500", "2250"]),
        (["1,500", "2,250"], False, False, ["1.500", "2.250"]),
        (["1,500", "2,250.125"], None, False, ["1500", "2250.125"]),
        (["1,500", "0,125"], None, False, ["1.500", "0.125"]),
        (["1,500", "1,234,567"], None, False, ["1500", "1234567"]),
        (["1500", "12.500"], None, False, ["1500", "12.500"]),
    ],
)
def test_a_comma_of_a_dinar_is_asked(
    amounts: list[str], answer: bool | None, needs_answer: bool, read_as: list[str]
) -> None:
    content = write_mpesa(*(("22-10-2026 10:00:00", one, "Completed") for one in amounts))
    answers = {} if answer is None else {"divider": {",": answer}}
    found = read(content, zone=NAIROBI, currency="KWD", answers=answers)
    assert isinstance(found, Statement) and bool(found.unknown_words) is needs_answer
    assert [line.amount for line in found.lines] == [Decimal(one) for one in read_as]
    shillings = read(content, zone=NAIROBI, currency="KES")
    # Of shillings a comma divides thousands, and a point before three figures is asked.
    assert isinstance(shillings, Statement)
    assert shillings.unknown_words == ({"divider": ["."]} if "12.500" in amounts else {})


@pytest.mark.django_db
def test_a_row_whose_day_can_not_be_right_is_not_recorded_by_itself(
    clerk: Client, service: DeskService
) -> None:
    period = "From 02-11-2026 00:00:00 To 20-11-2026 23:59:59"
    rows = [("11/2/2026 10:00", "5.00", "Completed"), ("13-11-2026 10:00:00", "6.00", "Completed")]
    file = bring_in(clerk, write_mpesa(*rows, period=period))
    # Its two ways to write days are named too.
    assert [one["number"] for one in file.proof["breaks"]] == [0, 3]
    page = clerk.get(file.get_absolute_url()).text
    assert "/rows/1/record" not in page and "/rows/2/record" in page
    answer = clerk.get(f"{BASE}{file.pk}/rows/1/record")
    assert answer.headers["Location"] == file.get_absolute_url()
    assert clerk.get(f"{BASE}{file.pk}/rows/2/record").status_code == 200
