"""`{% policy_note "calling" %}`: the rule that stops a person, and who can change the rule."""

from typing import Any

from django import template
from django.template import Context
from django.urls import reverse

from lendingadmin.core.policies.kinds import find_kind
from lendingadmin.core.staff.roles import CHANGE_POLICIES

register = template.Library()


@register.inclusion_tag("policies/_note.html", takes_context=True)
def policy_note(context: Context, key: str) -> dict[str, Any]:
    """Draw the title of a rule: a link for people who may change it, a sentence for others."""
    person, kind = context["request"].user, find_kind(key)
    if kind is None:
        raise template.TemplateSyntaxError(f"There is no rule “{key}”.")
    may_change = person.has_perm(CHANGE_POLICIES)
    url = reverse("policy", args=[person.app_id, key]) if may_change else ""
    return {"title": kind.title, "url": url}
