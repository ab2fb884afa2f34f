"""Search of the journal: repayments for the find box, and the borrowers of loans.

A repayment is found by its transaction id, its receipt number or its own number.
"""

import re
from collections.abc import Collection

from django.db.models import Q
from django.utils.translation import gettext as _

from lendingadmin.people.search import kinds
from lendingadmin.people.search.lookups import Finder, Match

from .models import Repayment, normalise_external_id
from .receipts import match_number

_NUMBER = re.compile(r"rp-(\d{1,18})", re.IGNORECASE)
_AT_MOST = 10


def find_repayments(app_id: str, wanted: str) -> tuple[Match, ...]:
    """Return the app's repayments with this transaction id, number or receipt number.

    The id may be written in any way. A number looks like `rp-12`. The newest repayments come first.
    """
    own = Repayment.objects.filter(app_id=app_id)
    number = _NUMBER.fullmatch(wanted)
    same = Q(external_id_key=normalise_external_id(wanted))
    rows = list(own.filter(same).order_by("-pk")[:_AT_MOST])
    if of_receipt := match_number(app_id, wanted):
        rows += own.filter(of_receipt)
    if number:
        rows += own.filter(pk=int(number[1]))
    about = _("%(transaction)s on %(loan)s")
    return tuple(
        Match(
            kinds.REPAYMENT,
            str(row.pk),
            about % {"transaction": row.external_id, "loan": row.account_id},
        )
        for row in rows
    )


def read_borrowers(app_id: str, loan_ids: Collection[str]) -> dict[str, str]:
    """Return the borrowers of these loans in the journal, by loan id."""
    rows = Repayment.objects.filter(app_id=app_id, account_id__in=loan_ids).exclude(borrower_id="")
    return dict(rows.order_by().values_list("account_id", "borrower_id").distinct())


FINDER = Finder("lending.loans.get", find_repayments)
