"""Which ids a record may have. Refusing `/` and the like is this service's documented choice."""

from lendingadmin.sandbox.rules.invalid import Invalid

LONGEST = 200
CUSTOM_METHODS = (":getOffers", ":getOfferContracts", ":makeRepayment")


def read_id(value: str, field: str) -> str:
    """An id that can stand in a path; else raises Invalid.

    Refused: empty, longer than 200, `.` and `..` (paths fold them), `/`, white space at an end,
    control characters, and an ending that names a custom operation.
    """
    if not value or len(value) > LONGEST:
        raise Invalid(field, f"must have 1 to {LONGEST} characters")
    if value in (".", "..") or "/" in value:
        raise Invalid(field, "must not be . or .. and must not hold a /")
    if value != value.strip() or any(letter < " " or letter == "\x7f" for letter in value):
        raise Invalid(field, "must not hold control characters, nor begin or end with a space")
    if value.endswith(CUSTOM_METHODS):
        raise Invalid(field, "must not end in the name of a custom operation")
    return value
