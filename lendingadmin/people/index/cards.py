"""Write borrowers into the index, and remove them.

A card is written only with data that were read later than the data in the card. So a page that was
read before a borrower was changed or erased does not bring old data back. An erased borrower has an
empty card without tokens, until a walk that began later is complete.
"""

from collections.abc import Iterable
from datetime import datetime

from django.db import connection, transaction
from django.db.models import DateTimeField, Exists, F, OuterRef, QuerySet, Value
from django.db.models.functions import Greatest
from django.utils import timezone
from django.utils.translation import gettext_noop

from lendingadmin.core.encryption import Undecryptable
from lendingadmin.core.staff.erasure import Erasable
from lendingadmin.lending.values import Borrower, Individual, Malformed, status_key, text
from lendingadmin.web.display.numbers import MISSING
from lendingadmin.web.display.text import borrower_name, borrower_phone, shown

from .models import LONGEST_ID, BorrowerCard, BorrowerIndex, CardToken, WordKey
from .tokens import TOKENS, Tokenizer, digest, get_tokenizer
from .words import fold_number, read_phone, split_words

# The fields of a borrower that a walk reads, by their names in the API.
KEYS = (
    *("borrowerId", "borrowerNo", "category", "status", "individual", "company", "uid"),
    "createdAt",
)
_ENDING = 4
# The most characters of a text. Each word of a longer text would need its own keys.
_LONGEST_TEXT = 300
_AT_ONCE = 500
_ROWS_AT_ONCE = 5_000


def read_fields(borrower: Borrower) -> dict[str, str]:
    """Return the fields of a borrower's card; a missing or malformed field is empty."""
    person = borrower.individual if isinstance(borrower.individual, Individual) else None
    government_id = fold_number(_clean(person.government_id_no)) if person else ""
    email = _clean(person.email_address).strip().casefold() if person else ""
    name = borrower_name(borrower)
    is_named = name not in (MISSING, shown(borrower.borrower_id))
    return {
        "name": _clean(name) if is_named else "",
        "phone": read_phone(_clean(borrower_phone(borrower))),
        "id_ending": government_id[-_ENDING:],
        "number": "" if borrower.borrower_no is None else _clean(str(borrower.borrower_no)),
        "category": _clean(borrower.category),
        "status": _clean(status_key(borrower.status)),
        "uid": _clean(borrower.uid),
        "government_id_digest": digest(government_id),
        "email_digest": digest(email),
    }


def _clean(value: object) -> str:
    """Return a text of the service in a form that can be saved; empty if it is not a text."""
    kept = (text(value) or "").replace("\x00", "")
    return kept.encode("utf-8", "ignore").decode()[:_LONGEST_TEXT]


def put_borrowers(
    index: BorrowerIndex,
    borrowers: Iterable[Borrower | Malformed],
    read_at: datetime,
    walk: int | None = None,
) -> tuple[int, int]:
    """Save borrowers that were read at a time; return the numbers of new and unreadable ones.

    `walk` is the number of the walk that read the borrowers. A borrower is new if this walk has not
    seen the borrower before. If the key of the index is not configured, save nothing and return two
    zeros. Call this in a transaction.
    """
    tokenizer = get_tokenizer(index.app_id, index.key_name)
    if tokenizer is None:
        return 0, 0
    found, unreadable = _read_all(borrowers)
    cards = {card.borrower_id: card for card in _list_cards(index, found)}
    unseen = sum(key not in cards or cards[key].walk != walk for key in found)
    seen, changed, new = [], [], []
    surplus: list[tuple[BorrowerCard, set[int] | None]] = []
    missing: list[tuple[BorrowerCard, set[int]]] = []
    for borrower_id, fields in found.items():
        content, card = BorrowerCard.pack(fields), cards.get(borrower_id)
        if card and (card.content == content or card.read_at > read_at):
            seen.append(card)
            continue
        tokens, present = tokenizer.list_card_tokens(fields, borrower_id), set[int]()
        if card is None:
            card = BorrowerCard(index=index, borrower_id=borrower_id, walk=walk or 0)
            new.append(card)
        else:
            changed.append(card)
            before = _list_tokens(tokenizer, card)
            present = before or present
            surplus.append((card, None if before is None else before - tokens))
        missing.append((card, tokens - present))
        card.content, card.read_at = content, read_at
    _mark_seen(seen, read_at, walk)
    # Cards are saved one by one, because each encrypted text is bound to its row. Few cards change
    # between two walks.
    for card in changed:
        card.save(update_fields=["content", "read_at"])
    BorrowerCard.objects.bulk_create(
        new,
        batch_size=_AT_ONCE,
        update_conflicts=True,
        unique_fields=["index", "borrower_id"],
        update_fields=["content", "read_at", "walk"],
    )
    if walk is not None:
        _mark_seen(changed, read_at, walk)
    _delete_tokens(surplus)
    # The rows are sorted, so that the database writes each page of their index once.
    rows = sorted((token, card.pk) for card, tokens in missing for token in tokens)
    _insert_pairs("people_index_cardtoken(token,card_id)", rows)
    names = (found[card.borrower_id]["name"] for card in [*new, *changed])
    _create_word_keys(tokenizer, {word for name in names for word in split_words(name)})
    return unseen, unreadable


def _read_all(
    borrowers: Iterable[Borrower | Malformed],
) -> tuple[dict[str, dict[str, str]], int]:
    """Return the cards' fields by borrower id, and the number of items without a usable id."""
    found, unreadable = {}, 0
    for item in borrowers:
        key = None if isinstance(item, Malformed) else text(item.borrower_id)
        if isinstance(item, Malformed) or not key or key != _clean(key)[:LONGEST_ID]:
            unreadable += 1
        else:
            found[key] = read_fields(item)
    return found, unreadable


def _list_cards(index: BorrowerIndex, ids: Iterable[str]) -> Iterable[BorrowerCard]:
    keys = list(ids)
    for at in range(0, len(keys), _AT_ONCE):
        rows = BorrowerCard.objects.filter(index=index, borrower_id__in=keys[at : at + _AT_ONCE])
        # The rows are locked, so that a borrower who is erased at the same time is not written
        # back.
        yield from rows.select_for_update()


def _mark_seen(cards: list[BorrowerCard], read_at: datetime, walk: int | None) -> None:
    """Save the time of reading and the walk of these cards. Never replace a later time."""
    latest = Greatest(F("read_at"), Value(read_at, DateTimeField()))
    changes = {"read_at": latest} if walk is None else {"read_at": latest, "walk": walk}
    for at in range(0, len(cards), _AT_ONCE):
        keys = [card.pk for card in cards[at : at + _AT_ONCE]]
        BorrowerCard.objects.filter(pk__in=keys).update(**changes)


def _list_tokens(tokenizer: Tokenizer | None, card: BorrowerCard) -> set[int] | None:
    """Return the tokens of a stored card; None if no key can open it."""
    if tokenizer is None or isinstance(card.content, Undecryptable):
        return None
    return tokenizer.list_card_tokens(card.fields, card.borrower_id) if card.content else set()


def _delete_tokens(surplus: list[tuple[BorrowerCard, set[int] | None]]) -> None:
    """Delete the given tokens of each card.

    If the tokens are unknown (None), delete all of the card.
    """
    for card, tokens in surplus:
        if tokens:
            CardToken.objects.filter(card=card, token__in=tokens).delete()
    # No index leads from a card to its tokens, so one query reads the table for all these cards.
    if unknown := [card.pk for card, tokens in surplus if tokens is None]:
        CardToken.objects.filter(card__in=unknown).delete()


def _create_word_keys(tokenizer: Tokenizer, words: set[str]) -> None:
    """Create the keys of each new word.

    A word is known if the key of the complete word is stored.
    """
    by_token = {tokenizer.make("word", word): word for word in words}
    whole, known = [tokenizer.make("edit", word) for word in words], set[int]()
    for at in range(0, len(whole), _AT_ONCE):
        present = WordKey.objects.filter(key__in=whole[at : at + _AT_ONCE])
        known.update(present.values_list("word", flat=True))
    rows: set[tuple[int, int]] = set()
    for token, word in by_token.items():
        if token not in known:
            rows |= tokenizer.list_word_keys(word)
    _insert_pairs("people_index_wordkey(key,word)", sorted(rows))


def _insert_pairs(table: str, rows: list[tuple[int, int]]) -> None:
    """Insert rows of two numbers, except rows that exist already.

    A page has twelve thousand rows, and `bulk_create` would take ten times as long.
    """
    for at in range(0, len(rows), _ROWS_AT_ONCE):
        values = ",".join("({:d},{:d})".format(*row) for row in rows[at : at + _ROWS_AT_ONCE])
        with connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO {table} VALUES {values} ON CONFLICT DO NOTHING")  # noqa: S608 - numbers


def list_rows(app_id: str, borrower_id: str) -> Iterable[QuerySet[BorrowerCard]]:
    """Yield the cards of a borrower.

    The tokens are left out, because only the index can use these hashes.
    """
    yield BorrowerCard.objects.filter(index__app_id=app_id, borrower_id=borrower_id)


def erase_borrower(app_id: str, borrower_id: str) -> bool:
    """Remove a borrower from each index of the app; return True if an index had the borrower."""
    now, erased = timezone.now(), False
    for index in list_indexes(app_id):
        with transaction.atomic():
            card = next(iter(_list_cards(index, [borrower_id])), None)
            if card is None:
                continue
            erased = erased or bool(card.content)
            delete_card(index, card)
            if index.state == BorrowerIndex.State.RUNNING or index.is_newest_first:
                # With an empty card, a page that was read earlier can't restore the borrower.
                card.content, card.read_at = "", now
                card.save(force_insert=True)
    return erased


def delete_card(index: BorrowerIndex, card: BorrowerCard) -> None:
    """Delete a card and the tokens of the content that was read. Call this in a transaction."""
    tokenizer = get_tokenizer(index.app_id, index.key_name)
    _delete_tokens([(card, _list_tokens(tokenizer, card))])
    BorrowerCard.objects.filter(pk=card.pk).delete()


def delete_index(index: BorrowerIndex) -> None:
    """Delete an index in many small transactions, so that other writers do not wait long.

    Tokens are deleted in ranges and not by card: no database index leads from a card to its tokens,
    and the key of the tokens may no longer be configured.
    """
    cards = BorrowerCard.objects.filter(index=index)
    step = TOKENS // (cards.count() // _AT_ONCE + 1) + 1
    for start in range(0, TOKENS, step):
        rows = CardToken.objects.filter(token__gte=start, token__lt=start + step)
        rows.filter(card__in=cards.values("pk")).delete()
    while keys := list(cards.values_list("pk", flat=True)[:_AT_ONCE]):
        BorrowerCard.objects.filter(pk__in=keys).delete()
    index.delete()


def delete_unused_words() -> None:
    """Delete the keys of words that are no longer in any name."""
    bearers = CardToken.objects.filter(token=OuterRef("word"))
    WordKey.objects.exclude(Exists(bearers)).delete()


def list_indexes(app_id: str) -> list[BorrowerIndex]:
    """Return the indexes of an app whose keys are configured."""
    rows = BorrowerIndex.objects.filter(app_id=app_id)
    return [row for row in rows if get_tokenizer(row.app_id, row.key_name)]


ERASABLE = Erasable(
    gettext_noop("names and phones for the search"), erase_borrower, list_rows=list_rows
)
