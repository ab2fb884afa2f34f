"""Functions that check, by the ids in an answer, that the answer is about the requested record.

A record has its own id and a uid, and the service accepts both in an address (Spec: Loans,
Assessments). An offer operation has account, request and app in its metadata (Spec: Offer
operation). If an id is missing or not text, the record may belong to another borrower.
"""

from collections.abc import Callable
from typing import TypeVar

from lendingadmin.lending.ids import account_id
from lendingadmin.lending.values import (
    Assessment,
    Borrower,
    Event,
    Loan,
    OfferMetadata,
    OfferOperation,
    text,
)

from .errors import LendingError, NotFound, Unconfirmed, UnidentifiedRecord, WrongRecord
from .errors import gettext_noop as _

Named = TypeVar("Named", Borrower, Loan, Assessment, Event)


def list_ids(record: Borrower | Loan | Assessment | Event) -> list[str]:
    """Return a record's id and uid, if they can be read."""
    ids = (getattr(record, record.id_field or "", None), record.uid)
    return [one for one in ids if isinstance(one, str) and one]


def is_named(record: Borrower | Loan | Assessment | Event, asked: str) -> bool:
    """Return True if the record has the requested id or uid."""
    return asked in list_ids(record)


def names_another(record: Borrower | Loan | Assessment | Event, asked: str) -> bool:
    """Return True if the record has an id, and neither id nor uid is the requested one."""
    own_id = text(getattr(record, record.id_field or "", None))
    return bool(own_id) and not is_named(record, asked)


def check_named(record: Named, asked: str) -> Named:
    """Return the record if it has the requested id or uid. Raise UnidentifiedRecord if not.

    Call this before a form uses the data of a record. (For another record, the read has already
    raised WrongRecord.)
    """
    if not is_named(record, asked):
        raise UnidentifiedRecord
    return record


def find_named(read: Callable[[str], Named], asked: str) -> Named | None:
    """Read a record; return None if the service has none.

    Raise LendingError, also if the answer does not have the record's id.
    """
    try:
        return check_named(read(asked), asked)
    except NotFound:
        return None


def delete_named(
    read: Callable[[str], Named], delete: Callable[[str], None], asked: str, operation: str
) -> None:
    """Delete a record, and read it again to prove that it was deleted.

    Before the deletion, read the record. If this read may have returned another record, raise
    WrongRecord or UnidentifiedRecord and delete nothing. After any other error of this read,
    continue. Raise Unconfirmed if the service accepted the deletion, but the second read does not
    prove the deletion.
    """
    try:
        check_named(read(asked), asked)
    except (WrongRecord, UnidentifiedRecord):
        raise
    except LendingError:
        pass
    delete(asked)
    try:
        read(asked)
        words = _("The lending service accepted the deletion but still has the record.")
    except NotFound:
        return
    except LendingError as error:
        words = (
            f"The lending service accepted the deletion. Reading the record failed: {error.message}"
        )
    raise Unconfirmed(words, operation=operation)


def offer_is_named(operation: OfferOperation, borrower_id: str, request_id: str | None) -> bool:
    """Return True if the operation names this borrower, and this request if it is given."""
    found = operation.metadata
    return (
        isinstance(found, OfferMetadata)
        and found.account_id in (account_id(borrower_id), borrower_id)
        and request_id in (None, found.request_id)
    )


def offer_names_another(
    operation: OfferOperation, borrower_id: str, request_id: str | None, app_id: str
) -> bool:
    """Return True if the operation names another borrower, request or app."""
    found = operation.metadata
    if not isinstance(found, OfferMetadata):
        return False
    account, request, app = map(text, (found.account_id, found.request_id, found.app_id))
    return bool(
        (account and account not in (account_id(borrower_id), borrower_id))
        or (request and request_id is not None and request != request_id)
        or (app and app != app_id)
    )
