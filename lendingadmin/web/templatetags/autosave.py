"""Template tag `<form … {% autosave %}>`: typed text is not lost if the page is loaded again."""

from hashlib import sha256

from django import template
from django.template import Context
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


@register.simple_tag(takes_context=True)
def autosave(context: Context, name: str = "form", page: str = "") -> SafeString:
    """Return the attributes for the script that saves typed text in the browser's tab.

    `name` distinguishes the forms of one page. `page` is for a form that is shown again at another
    address, with its errors. The key reveals neither the person nor the subject of the form.
    """
    request = context["request"]
    request.has_autosave = True
    text = f"{request.user.pk}\n{name}\n{page or request.get_full_path()}"
    again = " data-autosave-again" if request.method == "POST" else ""
    return format_html(' data-autosave="{}"{}', sha256(text.encode()).hexdigest(), again)
