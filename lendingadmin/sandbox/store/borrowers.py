"""Borrowers. They are stored encrypted, and answers have their loan accounts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from lendingadmin.sandbox.models import Assessment, Borrower, Event, Loan
from lendingadmin.sandbox.rules.ids import read_account_id, write_account_id, write_name
from lendingadmin.sandbox.rules.invalid import AlreadyExists, Invalid, NotFound, RuleBroken
from lendingadmin.sandbox.schemas.answers import AnsweredBorrower, AnsweredLoanSummary
from lendingadmin.sandbox.store.encryption import can_decrypt, decrypt, encrypt
from lendingadmin.sandbox.store.loans import summarise_loans
from lendingadmin.sandbox.store.writing import write

Document = dict[str, Any]
_FIRST_NUMBER = 1_000_000
_ACTIVE = 1


def can_be_read() -> bool:
    """Return True if the data key opens the stored borrowers, or if there are no borrowers."""
    first = Borrower.objects.first()
    return first is None or can_decrypt(first.encrypted)


def create(app_id: str, sent: Document, now: datetime) -> Borrower:
    """Create a borrower. May raise AlreadyExists."""
    with write():
        borrower_id = sent["borrowerId"]
        if Borrower.objects.filter(app_id=app_id, borrower_id=borrower_id).exists():
            raise AlreadyExists(f"Borrower {borrower_id} already exists")
        borrower = build_borrower(app_id, sent, uuid4(), now)
        borrower.save(force_insert=True)
        return borrower


def build_borrower(app_id: str, sent: Document, uid: UUID, now: datetime) -> Borrower:
    """Return a borrower that is not saved yet."""
    return Borrower(
        app_id=app_id,
        borrower_id=sent["borrowerId"],
        uid=uid,
        category=sent["category"],
        encrypted=encrypt(_complete(sent, now)),
        created_at=now,
    )


def find_borrower(app_id: str, borrower_id: str) -> Borrower | None:
    """Return the borrower with this id; None if there is none."""
    return Borrower.objects.filter(app_id=app_id, borrower_id=borrower_id).first()


def find_holder(app_id: str, account_id: str) -> Borrower:
    """Return the borrower with this account id; raise Invalid if there is no such borrower."""
    borrower = find_borrower(app_id, read_account_id(account_id, "accountId"))
    if borrower is None:
        raise Invalid("accountId", f"account {account_id} does not exist")
    return borrower


def get_borrower(app_id: str, borrower_id: str) -> Borrower:
    """Return the borrower. May raise NotFound."""
    borrower = find_borrower(app_id, borrower_id)
    if borrower is None:
        raise NotFound(f"Borrower {borrower_id}")
    return borrower


def patch(app_id: str, borrower_id: str, sent: Document, now: datetime) -> Borrower:
    """Replace the sent fields of a borrower. May raise NotFound."""
    with write():
        borrower = get_borrower(app_id, borrower_id)
        changed = decrypt(borrower.encrypted) | sent
        borrower.category = changed["category"]
        borrower.encrypted = encrypt(_complete(changed, now))
        borrower.save(update_fields=["category", "encrypted"])
        return borrower


def delete(app_id: str, borrower_id: str) -> None:
    """Remove a borrower without loan accounts, with all events and assessments.

    May raise NotFound. Raise RuleBroken for a borrower with loan accounts.
    """
    with write():
        borrower = get_borrower(app_id, borrower_id)
        if Loan.objects.filter(app_id=app_id, borrower_id=borrower_id).exists():
            raise RuleBroken("A borrower with loan accounts can't be deleted")
        for kind in (Event, Assessment):
            kind.objects.filter(app_id=app_id, account_id=write_account_id(borrower_id)).delete()
        borrower.delete()


def answer_borrowers(
    app_id: str, borrowers: Sequence[Borrower], now: datetime
) -> list[AnsweredBorrower]:
    """Return the answers for borrowers, with their state at `now`."""
    held = summarise_loans(app_id, [one.borrower_id for one in borrowers], now)
    return [_answer_borrower(one, held.get(one.borrower_id, [])) for one in borrowers]


def _answer_borrower(borrower: Borrower, held: list[AnsweredLoanSummary]) -> AnsweredBorrower:
    sent = decrypt(borrower.encrypted)
    here = {summary.loan_id for summary in held}
    elsewhere = [loan for loan in sent["loans"] if loan["loanId"] not in here]
    return AnsweredBorrower(
        uid=borrower.uid,
        name=write_name(borrower.app_id, "borrowers", borrower.borrower_id),
        status=_ACTIVE,
        created_at=borrower.created_at,
        borrower_no=_FIRST_NUMBER + borrower.pk,
        **sent | {"loans": [*elsewhere, *held]},
    )


def _complete(sent: Document, now: datetime) -> Document:
    """Return the document to store: no null lists, names in capitals, devices with dates."""
    kept = sent | {
        "startDate": sent["startDate"] or now,
        "devices": [
            device | {"createdAt": device["createdAt"] or now} for device in sent["devices"] or []
        ],
        "loans": sent["loans"] or [],
        "settings": sent["settings"] or {},
    }
    if kept["individual"]:
        upper = {
            name: kept["individual"][name] and kept["individual"][name].upper()
            for name in ("surname", "othernames")
        }
        kept["individual"] = kept["individual"] | upper
    return kept
