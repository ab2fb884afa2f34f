"""`<form … {% autosave %}>`: what is typed into this form survives a refresh of the page."""

import secrets
from hashlib import sha256

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime

from lendingadmin.display import formats
from lendingadmin.ui.autosave import read_saved

register = template.Library()


@register.simple_tag(takes_context=True)
def autosave(context: Context, name: str = "form", page: str = "") -> SafeString:
    """The attributes for the script: where to send what is typed, and whether something is stored.

    `name` tells forms of one page apart; `page` is for a form that is shown again, with what is
    wrong, at an address of its own. A form that holds what was sent is not filled in.
    """
    request = context["request"]
    request.has_autosave = True
    key = sha256(f"{name}\n{page or request.get_full_path()}".encode()).hexdigest()
    form = f"{key}.{secrets.token_urlsafe(9)}"
    attributes = format_html(
        ' data-autosave="{}" data-autosave-url="{}"', form, reverse("autosave")
    )
    if request.method == "POST":
        return attributes + SafeString(" data-autosave-add")
    if at := read_saved(request.user, form)[1]:
        zone = formats.zone() or context["navigation"].app.zone
        attributes += format_html(' data-autosaved="{}"', f"{localtime(at, zone):%H:%M}")
    return attributes
