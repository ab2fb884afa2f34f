"""Phone numbers as people type them, in the one form in which they are sent: `+254712345678`."""

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
    """The number in E.164; None where it is no valid number, or does not say of which country.

    A number without a country code is one of the country that the zone lies in, the lender's.
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
    """The country of a zone, `KE` for Africa/Nairobi (CLDR); None for one without, such as UTC."""
    territory = get_global("zone_territories").get(getattr(zone, "key", ""))
    return territory if territory not in ("001", "ZZ") else None
