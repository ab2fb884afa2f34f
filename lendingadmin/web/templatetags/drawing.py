"""`{% once "_head.html" %}`: parts of pages that are drawn once."""

from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag
def once(template_name: str, given: Any = None) -> SafeString:
    """Draw a fragment that depends only on `given`, once for each value.

    `given` is hashable and holds nothing about a person, because the drawn text stays in
    memory.
    """
    return (
        _drawn.__wrapped__(template_name, given) if settings.DEBUG else _drawn(template_name, given)
    )


@lru_cache(maxsize=512)
def _drawn(template_name: str, given: Any) -> SafeString:
    return render_to_string(template_name, {"given": given})
