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

# The most characters of a phone number in any notation. A longer text is not parsed.
_LONGEST = 40
_ZEROS = re.compile(r"^\s*00")


def normalise_phone(text: str, zone: tzinfo) -> str | None:
    """Return the number in E.164; None if it is not valid or its country is unknown.

    A number without a country code belongs to the country of `zone`, which is the lender's zone.
    """
    if len(text) > _LONGEST:
        return None
    try:
        # Some countries dial other digits before a country code, but `00` is understood everywhere.
        number = parse(_ZEROS.sub("+", text), find_territory(zone))
    except NumberParseException:
        return None
    # E.164 can't contain an extension, and without it `0712 345 678 ext. 5` is another number.
    if number.extension or not is_valid_number(number):
        return None
    return format_number(number, PhoneNumberFormat.E164)


def find_territory(zone: tzinfo) -> str | None:
    """Return the country of a zone, `KE` for Africa/Nairobi (CLDR).

    Return None for a zone without a country, such as UTC.
    """
    territory = get_global("zone_territories").get(getattr(zone, "key", ""))
    return territory if territory not in ("001", "ZZ") else None
