"""`{{ entry|action_words }}`: an entry of the audit trail in words."""

from django import template

from lendingadmin.core.audit import messages

register = template.Library()
register.filter("action_words", messages.describe_action)
register.filter("outcome_words", messages.describe_outcome)
register.filter("saved_words", messages.describe_saved)
