"""The amounts above which a repayment needs an approval or a confirmation.

The settings import this module.

Above APPROVAL_LIMITS a repayment needs a second person. Above CONFIRM_ABOVE the person who
records it confirms their identity.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from lendingadmin.core.gateway.lending_apps import LendingApp, words_by_app

AMOUNT, DAY, LOOK_ALIKE, CURRENCY = REASONS = ("amount", "day", "look-alike", "currency")
_LOOK_ALIKES = "look-alikes"


class ApprovalLimits(NamedTuple):
    """The approval limits of an app, in its currency.

    An amount equal to a limit needs no approval. `amount` limits one repayment, `day` the total
    that one person enters in a day of the lender's zone; None means no limit. With `look_alikes`, a
    repayment that looks like an earlier one needs a second person.
    """

    amount: Decimal | None
    day: Decimal | None
    look_alikes: bool


def read_approval_limits(
    apps: Sequence[LendingApp],
) -> Callable[[str], dict[str, ApprovalLimits]]:
    """Return a reader of `kenya:100000:300000:look-alikes,ghana:5000`: limits by app id.

    Each limit is optional. The reader raises ValueError with a sentence for the author of the
    text.
    """

    def read(text: str) -> dict[str, ApprovalLimits]:
        return {app_id: _read_limits(words) for app_id, words in words_by_app(apps)(text).items()}

    return read


def read_amounts(apps: Sequence[LendingApp]) -> Callable[[str], dict[str, Decimal]]:
    """Return a reader of `kenya:20000,ghana:1000`: an amount by app id, in the app's currency.

    The reader raises ValueError with a sentence for the author of the text.
    """

    def read(text: str) -> dict[str, Decimal]:
        found = {app_id: _read_limit(words) for app_id, words in words_by_app(apps)(text).items()}
        return {app_id: limit for app_id, limit in found.items() if limit is not None}

    return read


def _read_limits(words: str) -> ApprovalLimits:
    amount, day, look_alikes, *more = [*(piece.strip() for piece in words.split(":")), "", ""]
    if look_alikes not in ("", _LOOK_ALIKES) or any(more):
        raise ValueError(f"“{words}” is not of the form amount:amount of a day:{_LOOK_ALIKES}")
    found = ApprovalLimits(_read_limit(amount), _read_limit(day), bool(look_alikes))
    if not any(limit is not None for limit in found[:2]) and not found.look_alikes:
        raise ValueError(f"“{words}” limits nothing")
    return found


def _read_limit(text: str) -> Decimal | None:
    if not text:
        return None
    try:
        limit = Decimal(text)
    except InvalidOperation:
        limit = Decimal(-1)
    if not limit.is_finite() or limit < 0:
        raise ValueError(f"“{text}” is no amount")
    return limit


def list_reasons(
    limits: ApprovalLimits, amount: Decimal, *, entered: Decimal, is_converted: bool, is_alike: bool
) -> list[str]:
    """Return the REASONS why a repayment of this amount needs a second person, if any.

    `entered` is the sum that the person has entered earlier on that day. An amount in another
    currency can't be compared with a limit. Such an amount always needs a second person if amounts
    are limited.
    """
    is_limited = limits.amount is not None or limits.day is not None
    found = {
        AMOUNT: limits.amount is not None and not is_converted and amount > limits.amount,
        DAY: limits.day is not None and not is_converted and entered + amount > limits.day,
        LOOK_ALIKE: limits.look_alikes and is_alike,
        CURRENCY: is_limited and is_converted,
    }
    return [reason for reason in REASONS if found[reason]]
