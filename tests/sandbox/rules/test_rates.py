"""Rates of a contract (Spec: LendingContract, interestRates)."""

from decimal import Decimal

import pytest

from lendingadmin.sandbox.rules import rates

D = Decimal


@pytest.mark.parametrize(
    ("nominal", "days", "periodic", "effective"),
    [
        ("0.12", 30, "0.009863", "0.126834"),
        ("0.36", 7, "0.006904", "0.431557"),
        ("0.60", 30, "0.049315", "0.796202"),
        ("0.10", 365, "0.100000", "0.100000"),
        ("0", 30, "0.000000", "0.000000"),
    ],
)
def test_periodic_and_effective(nominal: str, days: int, periodic: str, effective: str) -> None:
    assert rates.round_rate(rates.compute_periodic(D(nominal), days)) == D(periodic)
    # Against floating point, which does not share the code.
    independent = (1 + float(nominal) * days / 365) ** (365 / days) - 1
    assert float(rates.compute_effective(D(nominal), days)) == pytest.approx(independent, abs=1e-12)
    assert rates.round_rate(rates.compute_effective(D(nominal), days)) == D(effective)
    back = rates.compute_nominal(rates.compute_effective(D(nominal), days), days)
    assert back == pytest.approx(D(nominal), abs=D("1e-20"))


def test_apr_without_fees_is_the_nominal_rate() -> None:
    payments = [(30, D("10")), (60, D("10")), (90, D("1010"))]
    apr = rates.compute_apr(D(1000), payments, 30)
    assert apr == pytest.approx(D("0.01") * 365 / 30, abs=D("1e-12"))


def test_apr_counts_the_fee_that_was_deducted() -> None:
    # 950 received, 1,000 back after a year without interest: 50/950.
    assert rates.compute_apr(D(950), [(365, D(1000))], 365) == pytest.approx(D(50) / D(950))


@pytest.mark.parametrize("received", ["1", "500", "1170", "1176"])
def test_apr_makes_the_payments_worth_what_was_received(received: str) -> None:
    payments = [(30 * number, D("217.61")) for number in range(1, 7)]
    apr = float(rates.compute_apr(D(received), payments, 30))
    worth = sum(float(amount) / (1 + apr * 30 / 365) ** (day / 30) for day, amount in payments)
    assert worth == pytest.approx(float(received), rel=1e-9)
