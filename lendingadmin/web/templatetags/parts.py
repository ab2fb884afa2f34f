"""Page parts that enclose other content, each with one template; parts that are drawn once."""

import re
from functools import lru_cache
from typing import Any

from django import template
from django.forms import BoundField
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from lendingadmin.web import dates

register = template.Library()

# The icon of each tone. `_LEVELS` has the tone of each level of Django's messages.
_ICONS = {
    "good": "check-circle",
    "warn": "exclamation-triangle",
    "bad": "exclamation-triangle",
    "info": "information-circle",
    "odd": "question-mark-circle",
}
_LEVELS = {"success": "good", "warning": "warn", "error": "bad", "debug": "info"}
_TWO_FACTOR = re.compile("two-factor authentication", re.IGNORECASE)


@register.filter
def as_we_say(words: str) -> str:
    """Replace “two-factor authentication” with the dashboard's name, “two-step sign-in”."""
    return _TWO_FACTOR.sub(gettext("two-step sign-in"), words)


@register.filter
def sentence(words: str) -> str:
    """Return words in the form of our headings: `Authenticator App` becomes `Authenticator app`."""
    words = " ".join(as_we_say(words).split())
    return words[:1].upper() + words[1:].lower()


@register.simple_block_tag
def notice(
    content: SafeString,
    tone: str,
    title: object = "",
    *,
    icon: str = "",
    announce: object = "",
    extra: str = "",
    finding: str = "",
) -> SafeString:
    """`{% notice "warn" "Title" %}<p>…</p>{% endnotice %}`: text that people must not miss.

    `tone` is good, warn, bad, info or odd, or the level of a message, and sets its icon unless
    `icon` names another. A screen reader reads `announce` when the notice is added to the page;
    True means the title. `extra` is one more class. `finding` names the content, in the mark
    `data-finding`.
    """
    tone = _LEVELS.get(tone, tone)
    given = {
        "content": content,
        "tone": tone,
        "title": title,
        "icon": icon or _ICONS.get(tone, ""),
        "announce": title if announce is True else announce,
        "extra": extra,
        "finding": finding,
    }
    return render_to_string("_notice.html", given)


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


@register.filter
def zone_beside(bound: BoundField) -> str:
    """Return the zone in words; empty for a field that is neither a day nor a time."""
    return dates.zone_beside(bound.field)
