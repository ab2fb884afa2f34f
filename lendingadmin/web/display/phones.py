"""Phone numbers as people type them, converted into the form for sending: `+254712345678`."""

import re
from datetime import tzinfo

from babel.core import get_global
from phonenumbers import (
    NumberParseException,
    PhoneNumberFormat,
    format_number,
    is_valid_number,
    parse,
)

# No number is longer, however it is written; the parser looks at every sign.
_LONGEST = 40
_ZEROS = re.compile(r"^\s*00")


def normalise_phone(text: str, zone: tzinfo) -> str | None:
    """Return the number in E.164; None if it is not valid or its country is unknown.

    A number without a country code belongs to the country of the zone, the lender's.
    """
    if len(text) > _LONGEST:
        return None
    try:
        # Some countries dial something else before a country code; everybody knows these two zeros.
        number = parse(_ZEROS.sub("+", text), find_territory(zone))
    except NumberParseException:
        return None
    # E.164 has no place for an extension, and `0712 345 678 ext. 5` is not the number alone.
    if number.extension or not is_valid_number(number):
        return None
    return format_number(number, PhoneNumberFormat.E164)


def find_territory(zone: tzinfo) -> str | None:
    """Return the country of a zone, `KE` for Africa/Nairobi (CLDR).

    Return None for a zone without a country, such as UTC.
    """
    territory = get_global("zone_territories").get(getattr(zone, "key", ""))
    return territory if territory not in ("001", "ZZ") else None
