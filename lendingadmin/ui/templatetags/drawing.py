"""Parts of pages that Python draws, or that are drawn once."""

from functools import lru_cache
from typing import Any

from django import forms, template
from django.conf import settings
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from lendingadmin.ui import controls

register = template.Library()


@register.simple_tag
def filter_controls(form: forms.Form) -> SafeString:
    """The fields of a list's filter."""
    return controls.draw(form)


@register.simple_tag
def once(template_name: str, given: Any = None) -> SafeString:
    """A fragment that depends on nothing but `given`, drawn once for each value of it.

    `given` is hashable, and belongs to no person: what is drawn stays in memory.
    """
    return (
        _drawn.__wrapped__(template_name, given) if settings.DEBUG else _drawn(template_name, given)
    )


@lru_cache(maxsize=512)
def _drawn(template_name: str, given: Any) -> SafeString:
    return render_to_string(template_name, {"given": given})
