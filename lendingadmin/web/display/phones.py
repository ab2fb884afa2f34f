"""Phone numbers as people type them, converted into the form for sending: `+254712345678`."""

import re
from datetime import tzinfo

from babel.core import get_global
from phonenumbers import (
    COUNTRY_CODE_TO_REGION_CODE,
    NumberParseException,
    PhoneNumberFormat,
    format_number,
    is_valid_number,
    parse,
)

# The most characters of a phone number in any notation. A longer text is not parsed.
_LONGEST = 40
_ZEROS = re.compile(r"^\s*00")
_DIALLED = re.compile(r"(?P<plus>\+|0)(?P<digits>[1-9][0-9]{6,13})")
# A number does not break into two lines.
_SPACE = "\u00a0"
# Three digits, or the last four: a digit alone is not a group.
_GROUP = re.compile(r"[0-9]{4}$|[0-9]{3}|[0-9]+$")


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


def group_phone(dialled: str) -> str:
    """Return a number in groups of three digits: `+254 700 186 215` or `0700 186 215`.

    Return any other text as it is.
    """
    found = _DIALLED.fullmatch(dialled)
    if not found:
        return dialled
    digits, country = found["digits"], ""
    if found["plus"] == "+":
        codes = (digits[:length] for length in (1, 2, 3))
        country = next((one for one in codes if int(one) in COUNTRY_CODE_TO_REGION_CODE), "")
        if not country:
            return dialled
    own = digits[len(country) :] if country else f"0{digits}"
    first = 3 if country else 4
    groups = own[:first], *_GROUP.findall(own[first:])
    return _SPACE.join([f"+{country}", *groups] if country else groups)
