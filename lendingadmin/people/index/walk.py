"""Walk through an app's borrowers, which updates the index from the service."""

from collections.abc import Iterable
from datetime import datetime

from django.conf import settings
from django.db.models import QuerySet

from lendingadmin.core import gateway
from lendingadmin.core.worker.walks import IndexWalk
from lendingadmin.lending.errors import WrongRecord
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.pages import ListResource
from lendingadmin.lending.values import Borrower, Malformed

from . import cards
from .models import BorrowerCard, BorrowerIndex
from .tokens import name_key


class BorrowerWalk(IndexWalk[BorrowerIndex]):
    """Walk that fills the index under the newest key.

    The index under an older key is searched until the new index is complete.
    """

    model = BorrowerIndex

    @classmethod
    def list_rows(cls) -> QuerySet[BorrowerIndex]:
        """Return the indexes under the newest key."""
        return BorrowerIndex.objects.filter(key_name=name_key(settings.PEOPLE_KEYS[0]))

    @classmethod
    def get_row(cls, app_id: str) -> BorrowerIndex:
        """Return the index of an app under the newest key; create it if there is none."""
        key_name = name_key(settings.PEOPLE_KEYS[0])
        return BorrowerIndex.objects.get_or_create(app_id=app_id, key_name=key_name)[0]

    def open_list(self) -> ListResource[Borrower]:
        """Return the list of borrowers, with only the fields that a card needs."""
        return gateway.app(self.row.app_id).borrowers.only(cards.KEYS)

    def put_items(
        self, items: Iterable[Borrower | Malformed], read_at: datetime
    ) -> tuple[int, int]:
        """Save the cards of borrowers; return the numbers of new and of unreadable borrowers."""
        return cards.put_borrowers(self.row, items, read_at, self.row.walk)

    def list_unseen(self) -> QuerySet[BorrowerCard]:
        """Return the older cards that this walk did not see.

        Cards that were written during the walk are left out, because their borrowers are known.
        """
        rows = BorrowerCard.objects.filter(index=self.row, walk__lt=self.row.walk)
        return rows.filter(read_at__lt=self.row.began_at).exclude(content="").order_by("pk")

    def read_unseen(self, unseen: BorrowerCard) -> Borrower:
        """Return the borrower of a card, read from the service.

        Raise WrongRecord if the service returns another borrower, and LendingError for a failed
        read.
        """
        key = unseen.borrower_id
        found = check_named(gateway.app(self.row.app_id).borrowers.get(key), key)
        if found.borrower_id != key:
            raise WrongRecord
        return found

    def drop_unseen(self, unseen: BorrowerCard) -> None:
        """Delete the card with its tokens."""
        cards.delete_card(self.row, unseen)

    def tidy(self) -> None:
        """Delete empty cards, the indexes of older keys, and words that are on no card."""
        # An empty card belonged to a borrower who was erased during the walk.
        BorrowerCard.objects.filter(index=self.row, content="").delete()
        for old in BorrowerIndex.objects.filter(app_id=self.row.app_id).exclude(pk=self.row.pk):
            cards.delete_index(old)
        cards.delete_unused_words()
