"""What the timeline of a borrower or a loan is made of: areas name their sources.

A source of our own is a queryset: the timeline reads its moments to count the months, and the rows
of one month to describe them. A source of the service is read live, beside the others; it may fail
without them.
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
    """Whose timeline a person opens: a borrower's, or with `account_id` that of one loan.

    `loan` is that loan as it was read at `read_at`, or why it could not be. Then `borrower_id` may
    be empty.
    """

    app: LendingApp
    person: User
    borrower_id: str
    account_id: str = ""
    loan: Loan | LendingError | None = None
    read_at: datetime | None = None


class Item(NamedTuple):
    """What happened once: when (aware), in words, where that leads to, and who did it.

    `detail` is a second line. `text` is what a person wrote; a source that has it declares the
    right that opens it. `is_day` says that no more than the day is known.
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
    """Rows of our own: `find` gives those of a subject by an index, in any order.

    `moment` names their column that says when; rows without one are on no timeline.
    """

    find: Callable[[Subject], QuerySet[Any]]
    moment: str
    describe: Callable[[Any, Subject], Item]


class Found(NamedTuple):
    """What was read of the service: items in any order, and when.

    `note` says what is not among them, and `more_url` is where that is.
    """

    items: Sequence[Item]
    read_at: datetime
    note: str = ""
    more_url: str = ""


class LiveReads(NamedTuple):
    """Calls that run beside those of other sources, and what is found by their results.

    The calls leave the database alone, since they run on threads. `finish` gets the value of each,
    or the LendingError that it raised, and may raise one.
    """

    calls: Sequence[Callable[[], Any]]
    finish: Callable[[Sequence[Any]], Found]


@dataclass(frozen=True)
class Source:
    """What one area tells: its key in the address, what it is called, its icon, and its right.

    `prepare` gives the reads of a source of the service; None for one that has nothing to tell of
    this subject. `of_loans` is False for what belongs to a borrower alone.
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
        """What it is called, in the language of the page."""
        return gettext(self.label)


def list_sources(person: User, *, of_loans: bool) -> list[Source]:
    """Return the sources that this person may see in this app, in the order of the areas."""
    return [
        one
        for one in collect("timeline")
        if person.has_perm(one.permission) and (one.of_loans or not of_loans)
    ]
