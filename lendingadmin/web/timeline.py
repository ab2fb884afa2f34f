"""Sources of the timeline of a borrower or a loan. The areas declare them.

Each of our own sources is a queryset. The timeline reads the times of all rows to count the months,
and the rows of one month to describe them. A source of the service is read live, in parallel with
the others. If one fails, the others are still shown.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet
from django.utils.translation import gettext

from lendingadmin.core.areas import collect
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.lending.errors import LendingError
from lendingadmin.lending.values import Loan
from lendingadmin.web.display.statuses import Status


class Subject(NamedTuple):
    """The subject of a timeline: a borrower, or with `account_id` one loan.

    `loan` is the loan as read at `read_at`, or the error of the read. After an error, `borrower_id`
    may be empty.
    """

    app: LendingApp
    person: User
    borrower_id: str
    account_id: str = ""
    loan: Loan | LendingError | None = None
    read_at: datetime | None = None


class Item(NamedTuple):
    """One event: its time (aware), its words, its link, and the person who caused it.

    `detail` is a second line. `text` was written by a person; its source names the right to see it.
    `is_day` is True if only the day is known.
    """

    moment: datetime
    words: str
    url: str = ""
    by: str = ""
    chips: tuple[Status, ...] = ()
    amount: str = ""
    detail: str = ""
    text: str = ""
    is_day: bool = False


class OwnRows(NamedTuple):
    """Rows of our own database. `find` returns the rows of a subject by an index, in any order.

    `moment` names the column with the time of a row. Rows without a time are on no timeline.
    `describe` returns the event of a row.
    """

    find: Callable[[Subject], QuerySet[Any]]
    moment: str
    describe: Callable[[Any, Subject], Item]


class Found(NamedTuple):
    """Result of a read at the service: items in any order, and the time of the read.

    `note` reports missing items, and `more_url` is the address of a page that lists them.
    """

    items: Sequence[Item]
    read_at: datetime
    note: str = ""
    more_url: str = ""


class LiveReads(NamedTuple):
    """Calls that run in parallel with those of other sources, and a function for their results.

    The calls must not use the database, because they run on threads. `finish` gets the value or the
    LendingError of each call, and may raise a LendingError.
    """

    calls: Sequence[Callable[[], Any]]
    finish: Callable[[Sequence[Any]], Found]


@dataclass(frozen=True)
class Source:
    """One source of an area: its key in the address, its label, its icon, and its right.

    For a source at the service, `prepare` returns its reads, or None if it has nothing about this
    subject. `of_loans` is False if the source is only for borrowers.
    """

    key: str
    label: str
    icon: str
    permission: str
    rows: tuple[OwnRows, ...] = ()
    prepare: Callable[[Subject], LiveReads | None] | None = None
    of_loans: bool = True

    @property
    def title(self) -> str:
        """The label, in the language of the page."""
        return gettext(self.label)


def list_sources(person: User, *, of_loans: bool) -> list[Source]:
    """Return the sources that this person may see in this app, in the order of the areas."""
    return [
        one
        for one in collect("timeline")
        if person.has_perm(one.permission) and (one.of_loans or not of_loans)
    ]
