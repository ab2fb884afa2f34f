"""`{% term "AER" %}`: a word with an explanation on hover, on focus and for screen readers."""

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
    """Return the word with its explanation, or plain text if it has none.

    `shown` replaces the word on the page. The result is a button, so do not use it inside a
    label, a link or a summary.
    """
    text = find_explanation(word)
    if not text:
        return conditional_escape(shown or _(word))
    # static/js/page.js shows the explanation. Without scripts the style sheet does this.
    return format_html(
        '<button type="button" class="term" aria-describedby="{id}">{shown}</button>'
        '<span class="tip" id="{id}" role="tooltip" popover="manual">{text}</span>',
        id=_id(context.get("request"), word),
        shown=shown or _(word),
        text=text,
    )


def _id(request: Any, word: str) -> str:
    """Return a new id for each use on a page, also for fragments that are added later."""
    count = getattr(request, "terms_drawn", 0) + 1
    if request is not None:
        request.terms_drawn = count
    target = getattr(getattr(request, "htmx", None), "target", None) or ""
    return f"term-{slugify(f'{word} {target} {count}')}"
