"""The order of the messages of one file, by the balances at both ends of each."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

from django.utils.translation import gettext as _

from lendingadmin.statements.lines import Flaw

# The opening and the closing balance of a message, where it has them.
Balances = tuple[Decimal | None, Decimal | None]


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
