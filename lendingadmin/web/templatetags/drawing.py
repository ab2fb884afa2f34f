"""`{% once "_head.html" %}`: parts of pages that are rendered once."""

from functools import lru_cache
from typing import Any

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

register = template.Library()


@register.simple_tag
def once(template_name: str, given: Any = None) -> SafeString:
    """Return a rendered fragment that depends only on `given`.

    The fragment is rendered once for each value and language. `given` is hashable and has nothing
    about a person, because the text stays in memory.
    """
    return _drawn(template_name, given, get_language())


@lru_cache(maxsize=512)
def _drawn(template_name: str, given: Any, _language: str) -> SafeString:
    return render_to_string(template_name, {"given": given})
