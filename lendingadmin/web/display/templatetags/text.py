"""`{{ value|shown }}`, `…|spelled`, `…|borrower_name`, `…|breakable`, `…|group_phone`."""

import re
from html import escape

from django import template
from django.utils.safestring import SafeString

from lendingadmin.web.display import phones, technical, text

register = template.Library()
register.filter("shown", text.shown)
register.filter("spelled", text.spelled)
register.filter("borrower_name", text.borrower_name)
register.filter("borrower_phone", text.borrower_phone)
register.filter("group_phone", phones.group_phone)
register.filter("outcome", text.write_outcome)
register.filter("by_field", technical.group_by_field)

# A word that is too long for one line in a column of a full table.
_LONG = re.compile(r"\S{25}")


@register.filter
def breakable(value: object) -> object:
    """Let very long words break at any place, so that they fit into their column.

    Other text stays unchanged, because tables make columns of breakable text too narrow.
    """
    if isinstance(value, SafeString) or not _LONG.search(text := str(value)):
        return value
    tag = f'<span class="long">{escape(text)}</span>'
    return SafeString(tag)  # nosec B703
