"""Borrowers: kept encrypted, answered with the loan accounts they hold here (Spec: Borrower)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction

from lendingadmin.sandbox.models import Assessment, Borrower, Event, Loan
from lendingadmin.sandbox.rules.account_ids import borrower_account
from lendingadmin.sandbox.rules.invalid import RuleBroken
from lendingadmin.sandbox.store.loans import Summary, summaries
from lendingadmin.sandbox.store.sealing import opens, seal, unseal

Document = dict[str, Any]
_FIRST_NUMBER = 1_000_000
_ACTIVE = 1


class BorrowerExists(Exception):
    """The app has a borrower with that id."""


def can_be_read() -> bool:
    """Whether the data key is the one that the borrowers kept here were encrypted with."""
    first = Borrower.objects.first()
    return first is None or opens(first.sealed)


def create(app_id: str, sent: Document, now: datetime) -> Borrower:
    """A new borrower; raises BorrowerExists."""
    with transaction.atomic():
        borrower_id = sent["borrowerId"]
        if Borrower.objects.filter(app_id=app_id, borrower_id=borrower_id).exists():
            raise BorrowerExists
        borrower = new(app_id, sent, uuid4(), now)
        borrower.save(force_insert=True)
        return borrower


def new(app_id: str, sent: Document, uid: UUID, now: datetime) -> Borrower:
    """A borrower that is not saved yet."""
    return Borrower(
        app_id=app_id,
        borrower_id=sent["borrowerId"],
        uid=uid,
        category=sent["category"],
        sealed=seal(_kept(sent, now)),
        created_at=now,
    )


def find(app_id: str, borrower_id: str) -> Borrower | None:
    """The borrower, or None."""
    return Borrower.objects.filter(app_id=app_id, borrower_id=borrower_id).first()


def patch(app_id: str, borrower_id: str, sent: Document, now: datetime) -> Borrower | None:
    """Replace the sent fields; None when there is no such borrower."""
    with transaction.atomic():
        borrower = find(app_id, borrower_id)
        if borrower is not None:
            changed = unseal(borrower.sealed) | sent
            borrower.category = changed["category"]
            borrower.sealed = seal(_kept(changed, now))
            borrower.save(update_fields=["category", "sealed"])
        return borrower


def delete(app_id: str, borrower_id: str) -> bool:
    """Remove a borrower without loan accounts, with everything that was reported and assessed.

    Raises RuleBroken for one with loan accounts; False when there is none.
    """
    with transaction.atomic():
        borrower = find(app_id, borrower_id)
        if borrower is None:
            return False
        if Loan.objects.filter(app_id=app_id, borrower_id=borrower_id).exists():
            raise RuleBroken("A borrower with loan accounts can't be deleted")
        for kind in (Event, Assessment):
            kind.objects.filter(app_id=app_id, account_id=borrower_account(borrower_id)).delete()
        borrower.delete()
        return True


def documents(
    project_id: str, app_id: str, borrowers: Sequence[Borrower], now: datetime
) -> list[Document]:
    """Borrowers as they are answered."""
    held = summaries(app_id, [one.borrower_id for one in borrowers], now)
    return [_document(project_id, one, held.get(one.borrower_id, [])) for one in borrowers]


def _document(project_id: str, borrower: Borrower, held: list[Summary]) -> Document:
    kept = unseal(borrower.sealed)
    here = {summary["loanId"] for summary in held}
    kept["loans"] = [loan for loan in kept["loans"] if loan["loanId"] not in here] + held
    return {
        "uid": borrower.uid.__str__(),
        "name": f"projects/{project_id}/apps/{borrower.app_id}/borrowers/{borrower.borrower_id}",
        "status": _ACTIVE,
        "createdAt": borrower.created_at,
        "borrowerNo": _FIRST_NUMBER + borrower.pk,
        **kept,
    }


def _kept(sent: Document, now: datetime) -> Document:
    """What is stored: lists never null, names upper-cased, each device with its own createdAt."""
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
