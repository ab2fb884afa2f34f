"""Keyed hashes of the values that find a borrower. Each has 40 bits and a key of PEOPLE_KEYS.

Different apps and keys have different tokens. Tokens are so short that some values have the same
token. Therefore each match is checked against its card.
"""

import hmac
from base64 import urlsafe_b64decode
from collections.abc import Iterable
from hashlib import sha256

from django.conf import settings

from .words import (
    MASKED_ENDING,
    PHONE_ENDINGS,
    SHORTEST_PREFIX,
    hash_phone,
    list_deletions,
    list_prefixes,
    mask_phone,
    split_words,
)

_BYTES = 5
# Each token is a number below this.
TOKENS = 2 ** (8 * _BYTES)
# The version of the rules that give a card its tokens. Change the version together with the rules,
# so that a new index is built. Otherwise a changed card would retain tokens of the old rules.
_RULES = b"rules 3"


class Tokenizer:
    """Maker of the tokens of one app under one key."""

    def __init__(self, app_id: str, key: str) -> None:
        self._mac = hmac.new(urlsafe_b64decode(key), f"{app_id}\n".encode(), sha256)

    def make(self, kind: str, text: str) -> int:
        """Return the token of a text of this kind."""
        mac = self._mac.copy()
        mac.update(f"{kind}\n{text}".encode())
        return int.from_bytes(mac.digest()[:_BYTES], "big")

    def list_card_tokens(self, fields: dict[str, str], borrower_id: str) -> set[int]:
        """Return the tokens of a card, for the name, all forms of the phone, and numbers."""
        names = split_words(fields["name"])
        found = {self.make("word", word) for word in names}
        found |= {self.make_beginning(word) for word in names}
        found.add(self.make("id", borrower_id.casefold()))
        if phone := fields["phone"]:
            found |= {self.make("phone", phone[-n:]) for n in PHONE_ENDINGS if len(phone) >= n}
            found.add(self.make("hashed", hash_phone(phone)))
            found.add(self.make("masked", phone[-MASKED_ENDING:]))
            if masked := mask_phone(phone):
                found.add(self.make("masked", masked))
        for kind in ("number", "uid", "government_id_digest", "email_digest"):
            if fields[kind]:
                found.add(self.make(kind, fields[kind].casefold()))
        return found

    def make_beginning(self, word: str) -> int:
        """Return the token that a card has for the first three letters of a word."""
        return self.make("beginning", word[:SHORTEST_PREFIX])

    def list_word_keys(self, word: str) -> set[tuple[int, int]]:
        """Return the keys for finding a word: its beginnings, and its misspellings by one letter.

        Each key comes with the token that it leads to. A beginning of one or two letters leads to a
        beginning of three letters. Beginnings of three letters need no key.
        """
        own, beginning = self.make("word", word), self.make_beginning(word)
        keys = {(self.make("edit", part), own) for part in list_deletions(word)}
        for part in list_prefixes(word):
            if len(part) < SHORTEST_PREFIX:
                keys.add((self.make("prefix", part), beginning))
            elif len(part) > SHORTEST_PREFIX:
                keys.add((self.make("prefix", part), own))
        return keys


def digest(text: str) -> str:
    """Return a digest that is compared instead of the number itself; empty for an empty text."""
    return sha256(text.encode()).hexdigest()[:16] if text else ""


def name_key(key: str) -> str:
    """Return the name of a key of PEOPLE_KEYS; the name does not reveal the key."""
    return hmac.new(urlsafe_b64decode(key), _RULES, sha256).hexdigest()[:16]


def get_tokenizer(app_id: str, key_name: str) -> Tokenizer | None:
    """Return the tokenizer of an index; None if its key is no longer configured."""
    keys: Iterable[str] = settings.PEOPLE_KEYS
    return next((Tokenizer(app_id, key) for key in keys if name_key(key) == key_name), None)
