"""Parts of pages that stand around something: each has one template."""

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

register = template.Library()

# By tone; the levels of Django's messages are tones by another name.
_ICONS = {
    "good": "check-circle",
    "warn": "exclamation-triangle",
    "bad": "exclamation-triangle",
    "info": "information-circle",
    "odd": "question-mark-circle",
}
_LEVELS = {"success": "good", "warning": "warn", "error": "bad", "debug": "info"}


@register.filter
def sentence(words: str) -> str:
    """`Two-Factor Authentication` as `Two-factor authentication`, as our headings are written."""
    words = " ".join(words.split())
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
) -> SafeString:
    """`{% notice "warn" "Title" %}<p>…</p>{% endnotice %}`: what a person must not miss.

    `tone` is good, warn, bad, info or odd, or the level of a message, and brings its icon unless
    `icon` names another. `announce` is said aloud when the notice comes into the page; True says
    the title. `extra` is one more class.
    """
    tone = _LEVELS.get(tone, tone)
    given = {
        "content": content,
        "tone": tone,
        "title": title,
        "icon": icon or _ICONS.get(tone, ""),
        "announce": title if announce is True else announce,
        "extra": extra,
    }
    return render_to_string("_notice.html", given)
