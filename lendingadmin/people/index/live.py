"""Update the index with data of a borrower that a page or a write has just read."""

import logging
from datetime import timedelta

from django.db import Error
from django.utils import timezone

from lendingadmin.core.waiting import atomic_without_waiting
from lendingadmin.lending.values import Borrower, text

from . import cards
from .models import BorrowerCard

logger = logging.getLogger(__name__)

# After this time, unchanged data are saved again, because pages show the age of a name on hover.
_FRESH = timedelta(hours=1)


def keep(app_id: str, borrower: Borrower) -> Borrower:
    """Save a borrower who was just read or saved, and return the borrower.

    Never wait for another writer. If the index can't be written at the moment, the next walk reads
    the borrower. An error is only logged, so that the page still shows its result.
    """
    now = timezone.now()
    try:
        for index in cards.list_indexes(app_id):
            card = BorrowerCard.objects.filter(
                index=index, borrower_id=text(borrower.borrower_id) or ""
            ).first()
            is_same = card and card.content == BorrowerCard.pack(cards.read_fields(borrower))
            if card and is_same and now - card.read_at < _FRESH:
                continue
            with atomic_without_waiting():
                cards.put_borrowers(index, [borrower], now)
    except (Error, ValueError) as error:
        logger.warning("a borrower could not be indexed: %s", type(error).__name__)
    return borrower


def drop_gone(app_id: str, borrower_id: str) -> None:
    """Remove a borrower whom the service no longer has. Never wait for another writer.

    If this fails, the next walk checks the borrower at the service.
    """
    try:
        with atomic_without_waiting():
            cards.erase_borrower(app_id, borrower_id)
    except (Error, ValueError) as error:
        logger.warning("a borrower could not be removed from the index: %s", type(error).__name__)


def erase(app_id: str, borrower_id: str) -> None:
    """Remove a borrower whom the service has just deleted. A database error is only logged."""
    try:
        cards.erase_borrower(app_id, borrower_id)
    except Error as error:
        logger.warning("a borrower could not be removed from the index: %s", type(error).__name__)
