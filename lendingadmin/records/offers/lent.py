"""Loans created from an offer in this dashboard, and the rest of the offer's limit.

The service does not list the loans of an offer. Loans that were created outside this dashboard do
not count, so the rest of the limit is an estimate.
"""

from decimal import Decimal
from typing import NamedTuple

from lendingadmin.lending.values import number
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteFound, WriteResolution, WriteState

from .models import OfferLoan, OfferRequest

_LARGEST = Decimal(10) ** 15


class LentLoan(NamedTuple):
    """A loan created from an offer in this dashboard; `amount` is None if it is unknown."""

    account_id: str
    amount: Decimal | None
    write: Write

    @property
    def is_open(self) -> bool:
        """True if the dashboard does not know yet whether the loan was created."""
        if self.write.state == WriteState.RESOLVED:
            return self.write.resolution != WriteResolution.SAVED
        return self.write.state != WriteState.SAVED and self.write.found != WriteFound.THERE


class LentFrom(NamedTuple):
    """Loans from an offer, their total, and the remaining limit (None if unknown)."""

    loans: list[LentLoan]
    total: Decimal
    left: Decimal | None


def read_lent(offer: OfferRequest) -> LentFrom:
    """Return the loans that were created from this offer in this dashboard, the oldest first.

    A loan with an unknown outcome counts as lent, so that the limit is not lent twice. Loans that
    were not created, or were deleted in this dashboard, are left out.
    """
    rows = {row.idempotency_key: row for row in offer.loans.order_by("pk")}
    writes = Write.objects.filter(idempotency_key__in=rows).order_by("pk")
    by_account: dict[str, LentLoan] = {}
    for write in writes:
        row = rows[write.idempotency_key]
        one = LentLoan(row.account_id, row.amount, write)
        # Several writes with the same account id count as one loan.
        known = by_account.get(row.account_id)
        if (write.is_open or not one.is_open) and (known is None or known.is_open):
            by_account[row.account_id] = one
    deletions = Write.objects.filter(
        app_id=offer.app_id,
        operation="loans.delete",
        subject__in=list(by_account),
        state=WriteState.SAVED,
    )
    deleted = dict(deletions.order_by("pk").values_list("subject", "pk"))
    loans = [one for one in by_account.values() if deleted.get(one.account_id, 0) < one.write.pk]
    total = sum((one.amount for one in loans if one.amount is not None), Decimal(0))
    limit = number(offer.response.credit_limit) if offer.response else None
    is_whole = all(one.amount is not None for one in loans)
    return LentFrom(loans, total, limit - total if limit is not None and is_whole else None)


def note_intent(offer: OfferRequest, idempotency_key: str, account_id: str, amount: object) -> None:
    """Record that a person is about to create a loan from an offer.

    A second call with the same key changes nothing. An amount that can't be stored becomes None.
    """
    known = number(amount)
    if known is not None and not (known.is_finite() and abs(known) < _LARGEST):
        known = None
    OfferLoan.objects.get_or_create(
        idempotency_key=idempotency_key,
        defaults={"offer": offer, "account_id": account_id, "amount": known},
    )
