"""What is said of odd contracts when they stand side by side."""

from decimal import Decimal
from typing import Any

from lendingadmin.lending.fields import find_malformed
from lendingadmin.lending.values import LendingContract
from lendingadmin.records.offers import comparison


def contract(**fields: Any) -> LendingContract:
    """A contract of one instalment of 10 that costs 1."""
    usual = {
        "amounts": {"disbursement": 9, "repayment": 10},
        "installments": [{"amounts": {"repayment": 10}}],
    }
    return LendingContract(usual | fields)


def marks(*contracts: LendingContract) -> list[tuple[bool, bool]]:
    found = comparison.columns(contracts, str)
    return [(column.cheapest, column.lightest) for column in found]


def test_equals_have_no_mark_and_one_alone_has_none() -> None:
    assert marks(contract()) == [(False, False)]
    assert marks(contract(), contract()) == [(False, False)] * 2


def test_two_best_share_the_mark() -> None:
    dear = contract(amounts={"disbursement": 9, "repayment": 20})
    assert [cheap for cheap, _ in marks(contract(), dear, contract())] == [True, False, True]


def test_one_that_does_not_tell_is_never_the_best() -> None:
    silent = contract(amounts={"repayment": 1}, installments=[{"amounts": {}}])
    dear = contract(
        amounts={"disbursement": 9, "repayment": 20}, installments=[{"amounts": {"repayment": 20}}]
    )
    assert marks(silent, contract(), dear) == [(False, False), (True, True), (False, False)]


def test_the_lightest_is_by_its_largest_instalment() -> None:
    uneven = contract(installments=[{"amounts": {"repayment": n}} for n in (1, 30)])
    assert [light for _, light in marks(uneven, contract())] == [False, True]


def test_what_is_received_is_the_sum_of_the_tranches_where_the_contract_is_silent() -> None:
    found = comparison.columns([contract(amounts={}, tranches=[{"amount": 4}, {"amount": 5}])], str)
    assert found[0].receives == Decimal(9)


def test_places_of_the_wrong_type_are_named_as_on_the_wire() -> None:
    odd = contract(
        amounts="x", interestRates={"APR": "1"}, installments=[{"dueDate": 5}, 7], unknown=[1]
    )
    assert list(find_malformed(odd)) == [
        "amounts",
        "interestRates.APR",
        "installments[0].dueDate",
        "installments[1]",
    ]
