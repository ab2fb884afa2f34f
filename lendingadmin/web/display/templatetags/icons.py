"""`{% icon "name" %}`: a heroicon next to words, hidden from screen readers."""

from functools import lru_cache

from django import template
from django.utils.safestring import SafeString, mark_safe
from heroicons import IconDoesNotExist
from heroicons.templatetags.heroicons import heroicon_micro, heroicon_mini

register = template.Library()


@register.simple_tag
def icon(name: object, size: int = 16) -> SafeString:
    """Draw an icon of 16 or 20 pixels; nothing for a name that does not exist."""
    return _drawn(str(name), size)


@lru_cache(maxsize=512)
def _drawn(name: str, size: int) -> SafeString:
    draw = heroicon_mini if size >= 20 else heroicon_micro
    try:
        svg = draw(name, size=size, **{"class": "icon", "aria-hidden": "true"})
    except (IconDoesNotExist, ValueError):
        return SafeString("")
    # The SVG is from the package and contains no value of ours.
    return mark_safe(svg)  # nosec B703  # noqa: S308
