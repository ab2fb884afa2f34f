"""No odd value of the service, anywhere, breaks a page of offers."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
import simplejson
from django.test import Client

from lendingadmin.lending.codec import decode
from lendingadmin.lending.oddities import odd_places
from lendingadmin.lending.values import LendingContract, OfferOperation
from lendingadmin.offers import asking, comparison
from lendingadmin.offers.models import OfferRequest
from tests.loans.test_pages import places, with_odd
from tests.offers.conftest import Ask
from tests.offers.service import (
    BORROWER,
    CONTRACT,
    DONE,
    OFFER,
    PRODUCTS,
    TYPES,
    OfferService,
    operation,
)

ASKED = "?amount=1000&startDate=2026-12-01"
OPERATION = operation(**DONE)
PLAIN = simplejson.loads(CONTRACT)
# One of each JSON type; which of them a place is given goes round, so that the walk stays short.
ODD: list[object] = [None, "text", [None, 1, "x", []], -1, {"x": {"y": []}}, True]


def some(path: tuple[Any, ...]) -> list[object]:
    """Two of them, others for the next place."""
    start = sum(len(str(key)) for key in path) % len(ODD)
    return [*ODD, *ODD][start : start + 2]


def always(value: object) -> Callable[[], object]:
    return lambda: value


@pytest.mark.django_db
class TestPages:
    @pytest.mark.parametrize("path", places(OPERATION), ids=lambda path: ".".join(map(str, path)))
    def test_operations(
        self, desk: Client, service: OfferService, asked: Ask, path: tuple[Any, ...]
    ) -> None:
        for odd in some(path):
            OfferRequest.objects.all().delete()
            row = asked()
            service.operation = with_odd(OPERATION, path, odd)
            raw = decode(simplejson.dumps(service.operation).encode())
            asking.note(row, OfferOperation(raw), row.asked_at)
            for address in ("", "status", "contracts", f"contracts{ASKED}"):
                answer = desk.get(OFFER + address)
                assert answer.status_code == 200, (address, odd)

    @pytest.mark.parametrize("path", places(PLAIN), ids=lambda path: ".".join(map(str, path)))
    def test_contracts(
        self, desk: Client, service: OfferService, offered: OfferRequest, path: tuple[Any, ...]
    ) -> None:
        for odd in some(path):
            changed = with_odd(PLAIN, path, odd)
            service.contracts = [simplejson.dumps(changed), simplejson.dumps(odd), CONTRACT]
            assert desk.get(f"{OFFER}contracts{ASKED}").status_code == 200, odd
            loan = desk.get(f"{OFFER}contracts/short/loan{ASKED}&place=1")
            assert loan.status_code == 200, odd

    @pytest.mark.parametrize("path", places(PRODUCTS), ids=lambda path: ".".join(map(str, path)))
    def test_products(
        self, desk: Client, service: OfferService, offered: OfferRequest, path: tuple[Any, ...]
    ) -> None:
        for odd in some(path):
            changed = {"products": with_odd(PRODUCTS, path, odd)}
            service.answers("GET /v1/projects/demo/products", always(changed))
            for address in ("", f"contracts{ASKED}", f"contracts/short/loan{ASKED}"):
                assert desk.get(OFFER + address).status_code == 200, (address, odd)

    @pytest.mark.parametrize("path", places(TYPES), ids=lambda path: ".".join(map(str, path)))
    def test_assessment_types(
        self, desk: Client, service: OfferService, path: tuple[Any, ...]
    ) -> None:
        for odd in some(path):
            changed = {"assessmentTypes": with_odd(TYPES, path, odd)}
            service.answers("GET /v1/assessmentTypes", always(changed))
            assert desk.get(f"{BORROWER}/offers/new").status_code == 200, odd


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
    assert list(odd_places(odd)) == [
        "amounts",
        "interestRates.APR",
        "installments[0].dueDate",
        "installments[1]",
    ]
