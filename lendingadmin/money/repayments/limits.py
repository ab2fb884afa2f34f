"""The limits above which a repayment needs a second person. Managers set them on Settings."""

from decimal import Decimal
from typing import NamedTuple

AMOUNT, DAY, LOOK_ALIKE, CURRENCY = REASONS = ("amount", "day", "look-alike", "currency")


class ApprovalLimits(NamedTuple):
    """The approval limits of an app, in its currency.

    An amount equal to a limit needs no approval. `amount` limits one repayment. `day` limits the
    total that one person enters in a day of the lender's time zone. None means no limit. With
    `look_alikes`, a repayment that is similar to an earlier repayment needs a second person.
    """

    amount: Decimal | None
    day: Decimal | None
    look_alikes: bool


def list_reasons(
    limits: ApprovalLimits, amount: Decimal, *, entered: Decimal, is_converted: bool, is_alike: bool
) -> list[str]:
    """Return the REASONS why this repayment needs a second person; empty if it needs none.

    `entered` is the sum that the person entered earlier on that day. An amount in another currency
    can't be compared with a limit, so it always needs a second person if the app has a limit.
    """
    is_limited = limits.amount is not None or limits.day is not None
    found = {
        AMOUNT: limits.amount is not None and not is_converted and amount > limits.amount,
        DAY: limits.day is not None and not is_converted and entered + amount > limits.day,
        LOOK_ALIKE: limits.look_alikes and is_alike,
        CURRENCY: is_limited and is_converted,
    }
    return [reason for reason in REASONS if found[reason]]
