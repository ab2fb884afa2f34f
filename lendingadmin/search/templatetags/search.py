"""`{% last_opened %}`: what this person opened last, in the app of the page."""

from typing import Any

from django import template
from django.template import Context

from lendingadmin.search import opened
from lendingadmin.search.kinds import KINDS

register = template.Library()


@register.inclusion_tag("search/_last.html", takes_context=True)
def last_opened(context: Context) -> dict[str, Any]:
    """The last ten records that the person opened in the app of this page, as a list of links."""
    request, navigation = context["request"], context["navigation"]
    rows = opened.last(request.user, navigation.app.app_id)
    return {"rows": [(KINDS[row.kind], row.get_absolute_url(), row) for row in rows]}
