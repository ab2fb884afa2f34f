"""`{{ value|shown }}`, `{{ word|spelled }}`, `{{ borrower|borrower_name }}`."""

from django import template

from lendingadmin.display import text

register = template.Library()
register.filter("shown", text.shown)
register.filter("spelled", text.spelled)
register.filter("borrower_name", text.borrower_name)
