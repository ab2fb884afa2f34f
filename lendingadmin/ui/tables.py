"""Tables of a list's rows, drawn column by column.

The list is the page that people wait for most: drawn by Python, its rows take a tenth of what a
template takes for them. A column says its heading once, for the head and for the phone's cards.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from django.utils.safestring import SafeString

from lendingadmin.display.numbers import MISSING
from lendingadmin.display.text import shown
from lendingadmin.lending.values import Malformed

from .converters import quote

# A word that a column of a full table has no room for on one line.
_LONG = re.compile(r"\S{25}")


@dataclass(frozen=True)
class Column:
    """One column: its heading, and the cell of an item as text or safe HTML.

    The first column of a table heads its rows.
    """

    heading: str
    cell: Callable[[Any], str]
    number: bool = False


def render_table(columns: Sequence[Column], items: Iterable[Any]) -> SafeString:
    """The table; an item that can't be read as what the list holds is one soft cell."""
    first, *others = columns
    cells = [(f"<td{_label(column)}{_kind(column)}>", column.cell) for column in others]
    parts = ['<table class="rows"><thead><tr>']
    parts += [f'<th scope="col"{_kind(column)}>{escape(column.heading)}</th>' for column in columns]
    parts.append("</tr></thead><tbody>")
    for item in items:
        if isinstance(item, Malformed):
            parts.append(f'<tr><th scope="row" colspan="{len(columns)}" class="soft">')
            parts.append(f"{breakable(shown(item))}</th></tr>")
            continue
        parts.append(f'<tr class="link"><th scope="row">{breakable(first.cell(item))}</th>')
        parts += [f"{start}{breakable(cell(item))}</td>" for start, cell in cells]
        parts.append("</tr>")
    parts.append("</tbody></table>")
    return SafeString("".join(parts))


def to_html(text: object) -> SafeString:
    """Text as HTML; what is HTML already stays as it is.

    As Django's conditional_escape, without its care for lazy translations, which takes longer than
    the escaping.
    """
    return text if isinstance(text, SafeString) else SafeString(escape(str(text)))


def breakable(text: object) -> SafeString:
    """Text as HTML that stays within its column: a very long word may break anywhere.

    Only such text, because a table makes columns too narrow for what may always break.
    """
    if isinstance(text, str) and not isinstance(text, SafeString) and _LONG.search(text):
        return SafeString(f'<span class="long">{escape(text)}</span>')
    return to_html(text)


def _label(column: Column) -> str:
    # Without what stands in brackets: a card has one currency, and its amounts say so.
    return f' data-label="{escape(column.heading.partition(" (")[0])}"'


def _kind(column: Column) -> str:
    return ' class="number"' if column.number else ""


def make_getter(path: str) -> Callable[[object], Any]:
    """Finds what lies at `balances.repayment.unpaid`; None where the way ends before."""
    names = path.split(".")

    def dig(value: object) -> Any:
        for name in names:
            value = getattr(value, name, None)
        return value

    return dig


def row_link(address: str, text: object, name: str = "") -> SafeString:
    """The link of a row: all of the row opens it. `name` is its row's, to come back to."""
    return SafeString(
        f'<a{_named(name)} class="stretch" href="{escape(address)}"><bdi>{to_html(text)}</bdi></a>'
    )


def row_id(address: str, key: str, name: str = "") -> SafeString:
    """The link of a row that an id names. `name` is its row's, to come back to."""
    return _id(address, key, "stretch id", name)


def id_link(address: str, key: str) -> SafeString:
    """An id that leads to its own page from within a row."""
    return _id(address, key, "id")


def row_name(key: str) -> str:
    """What a row is called in the page's own addresses: `#r-L-10001`. Not for an empty id."""
    return f"r-{quote(key)}"


def _named(name: str) -> str:
    return f' id="{name}"' if name else ""


def _id(address: str, key: str, kind: str, name: str = "") -> SafeString:
    shown_key = escape(key)
    return SafeString(
        f'<a{_named(name)} class="{kind}" dir="auto" title="{shown_key}"'
        f' href="{escape(address)}">{shown_key}</a>'
    )


def two_lines(main: str, small: object) -> SafeString:
    """A cell of two lines, the second small; of one where there is nothing for the second."""
    if not small:
        return breakable(main)
    return SafeString(f"{breakable(main)}<small>{breakable(small)}</small>")


def labelled_day(word: str, when: str) -> str:
    """A day or moment with what it is the day of; nothing where there is none."""
    return "" if when == MISSING else SafeString(f"{escape(word)} {breakable(when)}")


def side_by_side(*parts: str) -> SafeString:
    """A cell of several things beside one another, such as chips; empty where there are none."""
    content = "".join(map(breakable, parts))
    return SafeString(f'<span class="row">{content}</span>' if content else "")
