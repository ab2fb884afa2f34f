"""Template tag `{% may_make_bulk_papers as may %}`."""

from django import template
from django.template import Context

from lendingadmin.desk.papers.bulk import RIGHTS

register = template.Library()


@register.simple_tag(takes_context=True)
def may_make_bulk_papers(context: Context) -> bool:
    """Return True if the person may make papers for the borrowers of a list."""
    person = context["request"].user
    return all(person.has_perm(name) for name in RIGHTS)
