"""`{% policy_url "calling" as url %}`: the page of a rule, for people who may change the rule."""

from django import template
from django.template import Context
from django.urls import reverse

from lendingadmin.core.staff.roles import CHANGE_POLICIES

register = template.Library()


@register.simple_tag(takes_context=True)
def policy_url(context: Context, kind: str) -> str:
    """Return the address of a rule's page in the app of this page; empty for other people."""
    person = context["request"].user
    may_change = person.has_perm(CHANGE_POLICIES)
    return reverse("policy", args=[person.app_id, kind]) if may_change else ""
