"""A person's preferences: the zone of times, and the language of pages."""

from datetime import tzinfo
from functools import lru_cache
from operator import itemgetter
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

# Other regions are left out: they are old names of the same zones, or offsets without a place.
_REGIONS = frozenset(
    ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe")
) | {"Indian", "Pacific"}


def read_zone(person: object) -> tzinfo | None:
    """Return the zone that a person chose; None if there is none, or if it no longer exists."""
    key = getattr(person, "zone", "")
    return find_zone(key) if key else None


def list_languages() -> list[tuple[str, str]]:
    """Return the languages as choices, each in its own language; English is the blank choice."""
    return [(code.replace(settings.LANGUAGE_CODE, ""), name) for code, name in settings.LANGUAGES]


def find_zone(key: str) -> tzinfo | None:
    """Return the zone with this IANA name; None if there is none."""
    try:
        return ZoneInfo(key)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


@lru_cache(maxsize=1)
def list_zones() -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """Return the zones by region, each zone as its IANA name and its words, such as `New York`."""
    regions: dict[str, list[tuple[str, str]]] = {}
    for key in available_timezones():
        region, place = key.partition("/")[::2]
        if region in _REGIONS and place:
            regions.setdefault(region, []).append((key, describe_zone(key)))
    found = [(region, tuple(sorted(each, key=itemgetter(1)))) for region, each in regions.items()]
    return (*sorted(found), (gettext_noop("No place"), (("UTC", "UTC"),)))


def describe_zone(key: str) -> str:
    """Return a zone's place in words, the city first: `Buenos Aires, Argentina`."""
    *_, region, place = ["", *key.split("/")[1:]] if "/" in key else ["", key]
    place = place.replace("_", " ")
    return f"{place}, {region.replace('_', ' ')}" if region else place


def validate_zone(value: str) -> None:
    """Raise ValidationError if this is not the name of a zone."""
    if find_zone(value) is None:
        raise ValidationError(
            _("This is not a time zone. Enter a time zone such as Africa/Nairobi.")
        )
