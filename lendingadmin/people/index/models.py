"""Tables of the index: one card for each borrower, and the keyed hashes that find the card."""

import json
from typing import Any

from django.db import models
from django.utils import timezone

from lendingadmin.core.encryption import EncryptedTextField, Undecryptable
from lendingadmin.core.worker.models import IndexRow

LONGEST_ID = 255
# The fields of a card, in the order in which they are stored. A card has only the last digits of a
# government id. The government id and the e-mail address are compared by their digests.
FIELDS = (
    *("name", "phone", "id_ending", "number", "category", "status"),
    *("uid", "government_id_digest", "email_digest"),
)


class BorrowerIndex(IndexRow):
    """The index of one app under one key, and the walk that fills it.

    A new key makes a new index. The old index is used until the new one is complete.
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
        """Return the number of borrowers in the index."""
        return self.cards.exclude(content="").count()


class BorrowerCard(models.Model):
    """Encrypted index entry of one borrower, with the time of reading and the walk."""

    # The index of the unique constraint serves this key too.
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
        """Content of the card, by the names in FIELDS; all empty if no key opens the card."""
        is_closed = isinstance(self.content, Undecryptable) or not self.content
        values: Any = [""] * len(FIELDS) if is_closed else json.loads(self.content)
        return dict(zip(FIELDS, values, strict=True))

    @staticmethod
    def pack(fields: dict[str, str]) -> str:
        """Return these fields as the JSON for `content`, which is encrypted when it is saved."""
        return json.dumps(
            [fields.get(name, "") for name in FIELDS], ensure_ascii=False, separators=(",", ":")
        )


class CardToken(models.Model):
    """Link from a token to a card. The token is a keyed hash of a word of a name or a number.

    A borrower has about twelve tokens, so rows are as small as possible and have one index, from
    token to card. The content of a card determines its tokens (`Tokenizer.list_card_tokens`), but
    the database does not check this.
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
    """Link from a key to a word of names. The key is a keyed hash of a beginning or a misspelling.

    `word` is the token of the word, or of its first three letters. So the keys of a word are saved
    once, even if thousands of people have this name. Tokens of different indexes differ, so a row
    does not need to name its index.
    """

    pk = models.CompositePrimaryKey("key", "word")
    key = models.BigIntegerField()
    word = models.BigIntegerField()

    def __str__(self) -> str:
        return "word-key"
