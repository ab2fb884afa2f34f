"""`<form … {% autosave %}>`: what is typed into this form survives a refresh of the page."""

from hashlib import sha256

from django import template
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag(takes_context=True)
def autosave(context: Context, name: str = "form", page: str = "") -> SafeString:
    """Return the attributes for the script, which keeps what is typed in the browser's tab.

    `name` tells forms of one page apart; `page` is for a form that is shown again, with what is
    wrong, at an address of its own. The key tells neither whose form it is nor what it is about.
    """
    request = context["request"]
    request.has_autosave = True
    text = f"{request.user.pk}\n{name}\n{page or request.get_full_path()}"
    again = " data-autosave-again" if request.method == "POST" else ""
    return format_html(' data-autosave="{}"{}', sha256(text.encode()).hexdigest(), again)
