"""Interest rates of a contract: nominal, periodic, AER, APY and APR (Spec: LendingContract).

All rates are fractions. A year has 365 days. `days` is the length of a compounding period.
"""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal, localcontext

YEAR = Decimal(365)
_SHOWN = Decimal("0.000001")


def round_rate(rate: Decimal) -> Decimal:
    """Return a rate in the form of answers, with six decimals."""
    return rate.quantize(_SHOWN, ROUND_HALF_UP)


def compute_periodic(nominal: Decimal, days: int) -> Decimal:
    """Return the share of the nominal yearly rate for a number of days, without compounding."""
    return nominal * days / YEAR


def compute_effective(nominal: Decimal, days: int) -> Decimal:
    """Return the yearly rate with compounding every `days` days: (1 + periodic)^(365/days) − 1."""
    with localcontext(prec=34):
        return (1 + compute_periodic(nominal, days)) ** (YEAR / days) - 1


def compute_nominal(effective_rate: Decimal, days: int) -> Decimal:
    """Return the nominal yearly rate for an effective rate.

    This function is the inverse of `compute_effective`.
    """
    with localcontext(prec=34):
        return ((1 + effective_rate) ** (days / YEAR) - 1) * YEAR / days


def compute_apr(received: Decimal, payments: Sequence[tuple[int, Decimal]], days: int) -> Decimal:
    """Return the annual percentage rate, including fees.

    At the rate for `days` days, the payments (days after disbursement, amount) are together worth
    the amount that the borrower received. Newton's method on the discount factor finds this rate.
    The APR is this rate × 365 / `days`.
    """
    with localcontext(prec=34):
        terms = [(Decimal(day) / days, amount) for day, amount in payments]
        factor = Decimal(1)
        for _ in range(60):
            worth = slope = Decimal(0)
            for exponent, amount in terms:
                value = amount * factor**exponent
                worth += value
                slope += value * exponent / factor
            step = (worth - received) / slope
            factor -= step
            if abs(step) < Decimal("1e-15"):
                break
        return (1 / factor - 1) * YEAR / days
