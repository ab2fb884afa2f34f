"""The parts of an overdue amount, by tables: they add up, or there is no notice."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from lendingadmin.desk.papers.figures import Unfit, read_figures
from lendingadmin.desk.papers.notice import Overdue, read_overdue
from lendingadmin.lending.values import Loan
from tests.papers.conftest import instalments

NOW = datetime(2026, 11, 1, 9, tzinfo=UTC)
# Four of them are due by 29 October.
CONTRACT = instalments(300, 300, 300, 300, 300)


def read(paid: str, overdue: Any, contract: Any = CONTRACT, **groups: Any) -> Overdue:
    total, penalty = Decimal(1500), groups.pop("late_penalty", Decimal(0))
    whole = {"total": total + penalty, "paid": Decimal(paid), "overdue": overdue}
    whole["unpaid"] = whole["total"] - whole["paid"]
    balances: dict[str, Any] = {"repayment": whole}
    if penalty:
        balances["penalty"] = {"total": penalty, "paid": Decimal(0), "overdue": penalty}
    fields = {"accountId": "L-1", "startDate": "2026-10-01T00:00:00.000Z", "contract": contract}
    loan = Loan({**fields, "balances": balances | groups})
    return read_overdue(loan, read_figures(loan, "L-1", NOW))


TABLE: list[tuple[str, str, dict[str, Any], list[tuple[str, str, str]]]] = [
    # Paid, overdue, further values, and the lines: part, number, amount.
    ("0", "1200", {}, [("instalment", str(one), "300") for one in range(1, 5)]),
    ("450", "750", {}, [("instalment", "2", "150"), *(("instalment", x, "300") for x in "34")]),
    ("1200", "0", {}, []),
    # The service has a period of grace for the newest one.
    ("450", "450", {}, [("instalment", "2", "150"), ("instalment", "3", "300")]),
    # More is late than the instalments: fees for lateness.
    ("900", "350.55", {}, [("instalment", "4", "300"), ("other", "", "50.55")]),
    (
        "900",
        "340",
        {"late_penalty": Decimal(40)},
        [("instalment", "4", "300"), ("penalty", "", "40")],
    ),
    # Without a contract, or with instalments that can't be read.
    ("0", "1200", {"contract": None}, [("other", "", "1200")]),
    ("0", "1200", {"contract": {"installments": ["x"]}}, [("other", "", "1200")]),
]


@pytest.mark.parametrize(("paid", "overdue", "more", "lines"), TABLE)
def test_the_lines_add_up_to_what_the_service_says(
    paid: str, overdue: str, more: dict[str, Any], lines: list[tuple[str, str, str]]
) -> None:
    found = read(paid, Decimal(overdue), **more)
    assert [(x.part.value, x.number, format(x.overdue, "f")) for x in found.lines] == lines
    assert sum((x.overdue for x in found.lines), Decimal(0)) == found.total == Decimal(overdue)


PART = {"total": 1, "paid": 1, "overdue": 1}
PARTS = dict.fromkeys(("interest", "fees", "penalty"), PART) | {"principal": PART | {"total": 1497}}
ODD: list[tuple[str, Any, dict[str, Any]]] = [
    ("unreadable", None, {}),
    ("unreadable", "much", {}),
    ("unbalanced", -1, {}),
    # More is late than is owed.
    ("unbalanced", 1501, {}),
    # More of penalties is late than in total.
    ("unbalanced", 39, {"late_penalty": Decimal(40)}),
    # The parts do not add up to the total.
    ("unbalanced", 5, PARTS),
    ("unbalanced", 5, {"fees": PART | {"overdue": -1}}),
]


@pytest.mark.parametrize(("code", "overdue", "groups"), ODD)
def test_an_overdue_amount_that_can_t_be_trusted_is_on_no_notice(
    code: str, overdue: Any, groups: dict[str, Any]
) -> None:
    with pytest.raises(Unfit) as error:
        read("0", overdue, **groups)
    assert error.value.code == code


def test_parts_that_add_up_are_on_a_notice() -> None:
    assert read("0", 4, **PARTS).total == 4
