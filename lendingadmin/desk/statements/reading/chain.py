"""The messages of one file: they have one account, and their balances say their order and gaps."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

from django.utils.translation import gettext as _

from lendingadmin.desk.statements.identity import normalise_account
from lendingadmin.desk.statements.lines import Flaw, Refused

# The opening and the closing balance of a message, where it has them.
Balances = tuple[Decimal | None, Decimal | None]


def find_account(accounts: Iterable[str]) -> str:
    """Return the account as the first message writes it. Raises Refused for several accounts."""
    named = [account for account in accounts if account]
    if len(set(map(normalise_account, named))) > 1:
        raise Refused(_("The file holds statements of several accounts. Export them one by one."))
    return named[0] if named else ""


def is_newest_first(messages: Sequence[Balances]) -> bool:
    """Return whether each message begins where the next one in the file ends."""
    follows = all(one[1] == other[0] for one, other in pairwise(messages))
    precedes = all(one[0] == other[1] for one, other in pairwise(messages))
    return len(messages) > 1 and precedes and not follows


def find_gaps(messages: Sequence[Balances]) -> Iterator[Flaw]:
    """Yield a flaw for each message that does not begin where the one before it ended."""
    for number, (one, other) in enumerate(pairwise(messages), start=1):
        ends, begins = one[1], other[0]
        if ends is not None and begins is not None and ends != begins:
            words = _(
                "Message %(number)s ends with %(ends)s and the next begins with %(begins)s: a "
                "message between them is missing."
            )
            values = {"number": number, "ends": f"{ends:,f}", "begins": f"{begins:,f}"}
            yield Flaw(0, words % values)
