"""Loan arithmetic out of textbooks, in exact fractions: shares no line with the sandbox.

Where a spreadsheet has a function for it, the function is named: its result can be checked there.
"""

from fractions import Fraction
from math import floor

YEAR = 365


def cent(value: Fraction) -> Fraction:
    """To the cent, halves up: ROUND(x, 2)."""
    return Fraction(floor(value * 100 + Fraction(1, 2)), 100)


def level_payment(principal: Fraction, rate: Fraction, count: int) -> Fraction:
    """The payment of an ordinary annuity, P·i·(1 + i)^n / ((1 + i)^n − 1): PMT(i, n, −P).

    Source: the annuity formula of financial mathematics, e.g. Broverman, Mathematics of
    Investment and Credit, chapter 2 (level payment annuities).
    """
    if rate == 0:
        return cent(principal / count)
    growth = (1 + rate) ** count
    return cent(principal * rate * growth / (growth - 1))


def annuity(principal: Fraction, rate: Fraction, count: int) -> list[tuple[Fraction, Fraction]]:
    """Principal and interest of level payments; the last payment takes what is left.

    Source: the amortisation table, e.g. Broverman, chapter 3: interest is i × balance.
    """
    level, rows = level_payment(principal, rate, count), []
    for number in range(1, count + 1):
        interest = cent(principal * rate)
        part = principal if number == count else level - interest
        rows.append((part, interest))
        principal -= part
    return rows


def equal_parts(principal: Fraction, rate: Fraction, count: int) -> list[tuple[Fraction, Fraction]]:
    """Equal parts of principal, interest on the balance (constant amortisation).

    Source: Broverman, chapter 3 (amortisation with level principal): ISPMT gives its interest.
    """
    part = cent(principal / count)
    rows = []
    for number in range(1, count + 1):
        this = principal if number == count else part
        rows.append((this, cent(principal * rate)))
        principal -= this
    return rows


def simple(principal: Fraction, rate: Fraction, count: int) -> list[tuple[Fraction, Fraction]]:
    """Everything at the end, with simple interest I = P·r·t over one period."""
    assert count == 1
    return [(principal, cent(principal * rate))]


def effective(nominal: float, days: int) -> float:
    """(1 + i)^m − 1 with i = nominal × days / 365, m = 365 / days.

    A spreadsheet's EFFECT cuts m to a whole number: write the formula out there. Source: the
    definition of the effective annual rate (AER in the UK, APY in US Regulation DD, Appendix A:
    100 × [(1 + interest / principal)^(365 / days) − 1]).
    """
    return float((1 + nominal * days / YEAR) ** (YEAR / days) - 1)


def unit_rate(received: float, payments: list[float]) -> float:
    """The rate per unit period at which the payments are worth what was received: IRR.

    Source: US Regulation Z (12 CFR 1026), Appendix J: the actuarial method. By bisection.
    """
    low, high = 0.0, 10.0
    for _ in range(200):
        middle = (low + high) / 2
        worth = sum(one / (1 + middle) ** n for n, one in enumerate(payments, start=1))
        low, high = (middle, high) if worth > received else (low, middle)
    return (low + high) / 2


def nominal_apr(received: float, payments: list[float], days: int) -> float:
    """Unit-period rate × unit periods in a year (Regulation Z, Appendix J, (b)(1))."""
    return unit_rate(received, payments) * YEAR / days


def effective_apr(received: float, payments: list[float], days: int) -> float:
    """X of Σ D·(1 + X)^−s = C, times in years of 365 days: XIRR.

    Source: EU Consumer Credit Directive 2008/48/EC, Annex I, part I. By bisection.
    """
    low, high = 0.0, 1000.0
    for _ in range(300):
        middle = (low + high) / 2
        worth = sum(
            one * (1 + middle) ** -(n * days / YEAR) for n, one in enumerate(payments, start=1)
        )
        low, high = (middle, high) if worth > received else (low, middle)
    return (low + high) / 2
