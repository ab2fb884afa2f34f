"""`{{ value|shown }}`, `{{ word|spelled }}`, `{{ individual|person_name:fallback }}`."""

from django import template

from lendingadmin.display import text

register = template.Library()
register.filter("shown", text.shown)
register.filter("spelled", text.spelled)
register.filter("person_name", text.person_name)
register.filter("borrower_name", text.borrower_name)
register.filter("pairs", text.items)
