"""`{% term "AER" %}`: a word that explains itself on hover, on focus and to a screen reader."""

from typing import Any

from django import template
from django.template import Context
from django.utils.html import conditional_escape, format_html
from django.utils.text import slugify
from django.utils.translation import gettext as _

from lendingadmin.web.display.glossary import find_explanation

register = template.Library()


@register.simple_tag(takes_context=True)
def term(context: Context, word: str, shown: str = "") -> str:
    """The word, or `shown` in its place, with its sentences; a word without any is plain text.

    Not within a label, a link or a summary: it is a button.
    """
    text = find_explanation(word)
    if not text:
        return conditional_escape(shown or _(word))
    # static/js/terms.js shows and places it; without scripts the style sheet does.
    return format_html(
        '<button type="button" class="term" aria-describedby="{id}">{shown}</button>'
        '<span class="tip" id="{id}" role="tooltip" popover="manual">{text}</span>',
        id=_id(context.get("request"), word),
        shown=shown or _(word),
        text=text,
    )


def _id(request: Any, word: str) -> str:
    """An id of its own for each use on a page, fragments that come into it later included."""
    count = getattr(request, "terms_drawn", 0) + 1
    if request is not None:
        request.terms_drawn = count
    target = getattr(getattr(request, "htmx", None), "target", None) or ""
    return f"term-{slugify(f'{word} {target} {count}')}"
