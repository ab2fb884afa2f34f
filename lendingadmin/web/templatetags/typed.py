"""`<form … {% keep %}>`: what is typed into this form survives a refresh of the page."""

from django import template
from django.template import Context
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from lendingadmin.display import reader
from lendingadmin.web import typed

register = template.Library()


@register.simple_tag(takes_context=True)
def keep(context: Context, name: str = "form", page: str = "") -> SafeString:
    """The attributes that let the script keep what is typed, and say when something is kept.

    `name` tells forms of one page apart; `page` is for a form that is shown again, with what is
    wrong, at an address of its own. A form that holds what was sent is not filled in.
    """
    request, zone = context["request"], reader.zone() or context["frame"].app.zone
    form = typed.form_of(page or request.get_full_path(), name)
    request.keeps_typed = True
    told = format_html(' data-keep="{}" data-keep-at="{}"', str(form), reverse("typed"))
    if request.method == "POST":
        return told + SafeString(" data-keep-add")
    if at := typed.kept_at(request.user, form):
        told += format_html(' data-kept="{}"', f"{timezone.localtime(at, zone):%H:%M}")
    return told
