"""Assessments and their types in words and pictures, for templates."""

from django import template

from lendingadmin.web.display import assessments, formats

register = template.Library()
register.filter("outcome_status", assessments.outcome)
register.filter("outcome_sentence", assessments.outcome_sentence)
register.filter("risk_status", assessments.risk)
register.filter("type_warning", assessments.type_warning)
register.filter("account_borrower", assessments.borrower_id)
register.filter("type_id", assessments.type_id)
register.filter("limits", assessments.limits)


@register.filter
def score(value: object) -> str:
    """Return a score with all received digits."""
    return assessments.score(value, formats.locale())


@register.inclusion_tag("assessments/_picture.html")
def outcome_picture(result: object) -> dict[str, object]:
    """Draw an outcome: its steps to the decision, and each score on its scale."""
    level = assessments.risk(getattr(result, "risk_level", None))
    tone = level.tone if level else ""
    return {
        "steps": assessments.list_steps(result),
        "gauges": assessments.draw_gauges(result, tone, formats.locale()),
    }
