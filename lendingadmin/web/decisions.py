"""Decisions that wait for a person. Areas declare their kinds in `AreaConfig.decisions`."""

from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.urls import reverse

from lendingadmin.core.areas import collect

from .keyset import count_each, spell_count

# The most rows of a kind on the home page. A link leads to the others.
_FEW = 5


class Task(NamedTuple):
    """One row to decide: the page for the decision, and the data to recognise it.

    `words` names the row, such as a loan's id. `since` is the start of the wait. `by` is the user
    name of the person who asked. `amount` is in `currency`; None for a row without an amount.
    """

    url: str
    words: str
    since: datetime
    borrower_id: str = ""
    amount: Decimal | None = None
    currency: str = ""
    by: str = ""


class ToDecide(NamedTuple):
    """A kind of rows to decide: its name, with a link to `route`.

    `words` is an `ngettext_lazy` of `number` that shows %(count)s. `list_waiting` leaves out rows
    that this person may not decide, such as the person's own entries. `query` makes the list at
    `route` show only these rows. `key` is the argument of the route after the app's id. If
    `describe` is given, it returns the Task of a row, and the home page shows the oldest rows one
    by one, in the order of the columns `oldest_first`. `button` is the label of the decision.
    """

    name: str
    route: str
    words: Any
    list_waiting: Callable[[str, Any], QuerySet[Any]]
    query: str = ""
    key: str = ""
    describe: Callable[[Any], Task] | None = None
    oldest_first: tuple[str, ...] = ("created_at", "pk")
    button: Any = ""


class Waiting(NamedTuple):
    """The rows of one kind to decide: their number in words, their list, and the oldest rows."""

    name: str
    url: str
    total: int
    words: str
    button: Any
    tasks: list[Task]


def list_decisions(app_id: str, person: Any) -> list[Waiting]:
    """Return the rows in an app that this person can decide, by kind.

    One query counts all kinds. Each kind with rows to show needs one more query.
    """
    kinds: tuple[ToDecide, ...] = collect("decisions")
    lists = [one.list_waiting(app_id, person) for one in kinds]
    counts = [0] * len(lists) if all(one.query.is_empty() for one in lists) else count_each(lists)
    return [
        Waiting(
            kind.name,
            reverse(kind.route, args=[app_id, *([kind.key] if kind.key else [])]) + kind.query,
            count,
            kind.words % {"number": count, "count": spell_count(count)},
            kind.button,
            _read_oldest(kind, rows),
        )
        for kind, rows, count in zip(kinds, lists, counts, strict=True)
        if count
    ]


def _read_oldest(kind: ToDecide, rows: QuerySet[Any]) -> list[Task]:
    if kind.describe is None:
        return []
    return [kind.describe(row) for row in rows.order_by(*kind.oldest_first)[:_FEW]]
