"""The index's tables: per borrower a card, and the keyed hashes that it is found by."""

import json
from typing import Any

from django.db import models
from django.utils import timezone

from lendingadmin.core.encryption import EncryptedTextField, Undecryptable
from lendingadmin.core.worker.models import IndexRow

LONGEST_ID = 255
# What a card holds of a borrower, in the order in which it is stored. Of a government id it holds
# the last digits; that and the e-mail address are compared by their digests.
FIELDS = (
    *("name", "phone", "id_ending", "number", "category", "status"),
    *("uid", "government_id_digest", "email_digest"),
)


class BorrowerIndex(IndexRow):
    """The index of one app under one key, and the walk that fills it.

    A new key makes a new index; the old one answers until the new one is complete.
    """

    key_name = models.CharField(max_length=16)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["app_id", "key_name"], name="people_index_once_per_key")
        ]

    def __str__(self) -> str:
        return f"people-{self.pk}"

    def count_cards(self) -> int:
        """How many borrowers stand in it."""
        return self.cards.exclude(content="").count()


class BorrowerCard(models.Model):
    """What the index knows of one borrower: encrypted, with when it was read and by which walk."""

    # The unique constraint's index serves this key too.
    index = models.ForeignKey(
        BorrowerIndex, on_delete=models.CASCADE, related_name="cards", db_index=False
    )
    borrower_id = models.CharField(max_length=LONGEST_ID)
    content = EncryptedTextField(bound_to=["index", "borrower_id"])
    read_at = models.DateTimeField()
    walk = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["index", "borrower_id"], name="people_card_once")
        ]

    def __str__(self) -> str:
        return f"card-{self.pk}"

    @property
    def fields(self) -> dict[str, str]:
        """What the card holds, by the names of FIELDS; all empty where no key opens it."""
        is_closed = isinstance(self.content, Undecryptable) or not self.content
        values: Any = [""] * len(FIELDS) if is_closed else json.loads(self.content)
        return dict(zip(FIELDS, values, strict=True))

    @staticmethod
    def pack(fields: dict[str, str]) -> str:
        """The content of a card that holds these."""
        return json.dumps(
            [fields.get(name, "") for name in FIELDS], ensure_ascii=False, separators=(",", ":")
        )


class CardToken(models.Model):
    """That a card is found by a token: a keyed hash of a word of its name, or of a number.

    A borrower has a dozen of these, so a row is as small as can be: one index, from token to card.
    Which tokens a card has follows from what it holds (`cards.delete_tokens`); the database neither
    knows nor guards it.
    """

    pk = models.CompositePrimaryKey("token", "card")
    card = models.ForeignKey(
        BorrowerCard,
        on_delete=models.DO_NOTHING,
        related_name="tokens",
        db_index=False,
        db_constraint=False,
    )
    token = models.BigIntegerField()

    def __str__(self) -> str:
        return f"token-of-{self.card_id}"


class WordKey(models.Model):
    """That a word of names is found by a key: a keyed hash of its beginning, or of it misspelled.

    `word` is the token that cards have for the word, or for its first three letters, so that each
    word stands here once, however many people bear it. Tokens of different indexes have nothing in
    common, so no row needs to name its own.
    """

    pk = models.CompositePrimaryKey("key", "word")
    key = models.BigIntegerField()
    word = models.BigIntegerField()

    def __str__(self) -> str:
        return "word-key"
