"""Function that reads money in or out from texts of banks and mobile-money services.

Only incoming texts are read whose sender is a name or a short number.
"""

import re
from decimal import Decimal
from typing import NamedTuple

_CURRENCY = (
    r"(?:KES|KSHS?|GHS|GH¢|GH₵|NGN|₦|UGX|USHS?|TZS|TSHS?|EGP|XOF|FCFA|CFA|USD|EUR|RWF|ZMW|ZAR)"
)
_NUMBER = r"(\d{1,3}(?:,\d{3})+|\d{1,12})(\.\d{1,2})?(?![\d,]*\d)"
_AMOUNT = re.compile(
    rf"(?<![A-Z]){_CURRENCY}\.?\s?{_NUMBER}|(?<![\d.,]){_NUMBER}\s?{_CURRENCY}(?![A-Z])",
    re.IGNORECASE | re.ASCII,
)
_IN = r"received|sent you|credited|deposited|deposit of|refunded|umepokea|reçu|recu"
_OUT = (
    r"sent to|paid to|payment made|your payment|transferred to|withdrawn|withdraw|withdrawal|"
    r"debited|bought|purchased|sent|paid|umetuma|umelipa|transfert de|retrait|paiement de"
)
_DIRECTION = re.compile(rf"\b(?:(?P<inward>{_IN})|(?P<outward>{_OUT}))\b", re.IGNORECASE)
_NOT_DONE = re.compile(
    r"\b(failed|declined|reversed|cancelled|insufficient|not enough|unsuccessful|not successful|"
    r"pending|échoué|insuffisant)\b",
    re.IGNORECASE,
)
_SHORT_NUMBER = 6  # digits: the numbers of people are longer


class Movement(NamedTuple):
    """Money that a person received (`inward` is True) or paid, in the app's currency."""

    inward: bool
    amount: Decimal


def read_movement(address: str, direction: str, body: str) -> Movement | None:
    """Return the money that a text reports; None if it reports no money.

    The first word for money in or out decides the direction, and the first amount with a currency
    is the sum. Other amounts (fees, the new balance) are later in such texts.
    """
    if direction != "inbound" or not is_service(address) or _NOT_DONE.search(body):
        return None
    way, sum_ = _DIRECTION.search(body), _AMOUNT.search(body)
    if way is None or sum_ is None:
        return None
    whole, part = (sum_[1], sum_[2]) if sum_[1] else (sum_[3], sum_[4])
    amount = Decimal(whole.replace(",", "") + (part or ""))
    return Movement(way["inward"] is not None, amount) if amount else None


def is_service(address: str) -> bool:
    """Return True if the sender is a service and not a person: a name, or a short number."""
    digits = sum(sign.isdigit() for sign in address)
    return any(sign.isalpha() for sign in address) or 0 < digits <= _SHORT_NUMBER
