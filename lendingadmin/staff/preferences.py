"""How a person reads: the zone and the way of writing numbers that they chose in their profile."""

from datetime import tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from django.core.exceptions import ValidationError

from lendingadmin.display.formats import Formats
from lendingadmin.display.locales import DEFAULT_LOCALE, OFFERED

# Other names are older ones for the same zones, or offsets without a place.
_REGIONS = frozenset(
    ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe")
) | {"Indian", "Pacific"}


def formats_of(person: object) -> Formats:
    """Who reads, for `display.reader`; what was chosen once and is no longer known is left out."""
    locale = getattr(person, "locale", "")
    key = getattr(person, "zone", "")
    return Formats(locale if locale in OFFERED else DEFAULT_LOCALE, zone_of(key) if key else None)


def zone_of(key: str) -> tzinfo | None:
    """The zone of this IANA name, or None."""
    try:
        return ZoneInfo(key)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


@lru_cache(maxsize=1)
def zones() -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """All zones by region, each with the words for it: `America`, `New York`."""
    regions: dict[str, list[tuple[str, str]]] = {}
    for key in available_timezones():
        region, _, place = key.partition("/")
        if region in _REGIONS and place:
            regions.setdefault(region, []).append((key, words(key)))
    found = [(region, tuple(sorted(each, key=_by_words))) for region, each in regions.items()]
    return (*sorted(found), ("No place", (("UTC", "UTC"),)))


def words(key: str) -> str:
    """A zone's place in words, the nearer first: `Buenos Aires, Argentina`."""
    *_, region, place = ["", *key.split("/")[1:]] if "/" in key else ["", key]
    place = place.replace("_", " ")
    return f"{place}, {region.replace('_', ' ')}" if region else place


def known_zone(value: str) -> None:
    """Validate the name of a zone. Raises ValidationError."""
    if zone_of(value) is None:
        raise ValidationError("This is no zone: write one such as Africa/Nairobi.")


def known_locale(value: str) -> None:
    """Validate a way of writing numbers and dates. Raises ValidationError."""
    if value not in OFFERED:
        raise ValidationError(f"Write one of these: {', '.join(OFFERED)}.")


def _by_words(zone: tuple[str, str]) -> str:
    return zone[1]
