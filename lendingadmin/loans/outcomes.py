"""Finding out what became of a loan that was to be made or deleted.

A loan has its accountId as natural key (Spec: Loan), so it is read.
"""

from django.urls import reverse

from lendingadmin import gateway
from lendingadmin.lending import figures
from lendingadmin.lending.errors import NotFound, Unreadable
from lendingadmin.lending.values import Loan, text
from lendingadmin.web.following import Finding, Meant, Way, lend
from lendingadmin.web.likeness import differing
from lendingadmin.web.models import Write

_READS = "lending.loans.get"
# What of a loan stays as it was made (Spec: Loan); balances, for one, change by themselves.
_COMPARED = ("borrowerId", "contract")


def created(write: Write, meant: Meant) -> Finding:
    """Whether a loan with the accountId is there, of this borrower and by this contract."""
    there = _read(write)
    if there is None:
        return Finding(Write.Found.NOT_SEEN, "There is no loan with this account id so far.")
    sent = {key: meant.sent[key] for key in _COMPARED if key in meant.sent}
    places = differing(sent, there.raw)
    if places:
        why = (
            "There is a loan with this account id, but somebody else may have made it. "
            f"It differs in: {', '.join(places)}."
        )
        return Finding(Write.Found.DIFFERS, why, _link(write))
    why = "There is a loan with this account id, of this borrower and by this contract."
    return Finding(Write.Found.THERE, why, _link(write))


def deleted(write: Write, meant: Meant) -> Finding:
    """Whether the loan is gone."""
    if _read(write) is None:
        return Finding(Write.Found.THERE, "There is no loan with this account id any more.")
    return Finding(Write.Found.NOT_SEEN, "The loan is still there so far.", _link(write))


def _read(write: Write) -> Loan | None:
    """The loan, None where there is none. Raises LendingError, also for another loan."""
    try:
        found = gateway.app(write.app_id).loans.get(write.subject)
    except NotFound:
        return None
    # The address of a loan may have carried its uid (Spec: Loans).
    if write.subject not in (figures.account_of(found) or write.subject, text(found.uid)):
        raise Unreadable("The service answered with another loan.", operation="loans.get")
    return found


def _link(write: Write) -> tuple[tuple[str, str], ...]:
    return (("Open the loan", reverse("loan", args=[write.app_id, write.subject])),)


def lend_ways() -> None:
    """Let the writes of this area be followed."""
    lend("loans.create", Way("Make a loan", _READS, created))
    delete = Way("Delete this loan", _READS, deleted, compares=False)
    lend("loans.delete", delete._replace(there="It is gone", not_seen="Still there so far"))
