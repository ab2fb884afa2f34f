"""Find borrowers by typed text: first exact matches, then beginnings, then a mistyped letter.

The database returns cards with matching tokens. Each card is opened and compared with the typed
text before it is shown. So two borrowers who share a token are never mixed up.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _

from lendingadmin.core.monitoring.metrics import TableGauge
from lendingadmin.lending.values import Borrower
from lendingadmin.web.masking import mask_card

from . import words
from .cards import read_fields
from .models import BorrowerCard, BorrowerIndex, CardToken, WordKey
from .tokens import Tokenizer, digest, get_tokenizer
from .words import Query

# The most people that are shown.
SHOWN = 20
# A stage ends after this number of matches. The best of these are shown.
_ENOUGH = 100
# The most cards that one stage opens. Opening a card takes about forty microseconds.
_OPENED = 200
# The number of cards that a stage opens first. The best matches are usually among them.
_OPENED_FIRST = 50
# The most words that are read for a typed word. In practice, fewer words begin like the typed word
# or are one edit away.
_MOST_WORDS = 1_000
# People with a word are counted up to this number, to find the rarest word of a search.
_COUNTED = 5_000
# An initial is common if more than `MANY` cards have a word with this initial. In this case,
# `_OPENED_FOR_INITIALS` more cards of a name are enough to fill a page.
MANY = 40_000
_OPENED_FOR_INITIALS = 400

Tokens = QuerySet[CardToken, int]
_T = TypeVar("_T")


class Person(NamedTuple):
    """A borrower, with the data in the index and the time when they were read."""

    borrower_id: str
    name: str
    phone: str
    id_ending: str
    number: str
    category: str
    status: str
    read_at: datetime

    @classmethod
    def of(cls, card: BorrowerCard, fields: dict[str, str]) -> "Person":
        """Return the person that a card describes."""
        kept = {name: fields[name] for name in cls._fields if name in fields}
        return cls(borrower_id=card.borrower_id, read_at=card.read_at, **kept)


class Found(NamedTuple):
    """The best matches. `may_be_more` is True if there may be more matches."""

    people: list[Person]
    may_be_more: bool = False


def find_index(app_id: str) -> BorrowerIndex | None:
    """Return the newest complete index of an app, or else the newest index.

    Return None if the app has no index under a configured key.
    """
    rows = [
        row
        for row in BorrowerIndex.objects.filter(app_id=app_id)
        if get_tokenizer(app_id, row.key_name)
    ]
    return max(rows, key=lambda row: (row.complete_at is not None, row.pk), default=None)


def list_known(app_id: str, borrower_ids: Collection[str]) -> list[str]:
    """Return those ids that belong to a borrower in the index; none if there is no index."""
    index = find_index(app_id) if borrower_ids else None
    if index is None:
        return []
    cards = BorrowerCard.objects.filter(index=index, borrower_id__in=borrower_ids)
    return list(cards.values_list("borrower_id", flat=True))


def read_ages() -> list[tuple[tuple[str, ...], float]]:
    """Return the Unix time when the index of each app was last complete, for a gauge.

    Apps whose index was never complete are left out.
    """
    apps = [app.app_id for app in settings.LENDING_APPS]
    found = [(app_id, find_index(app_id)) for app_id in apps]
    return [
        ((app_id,), row.complete_at.timestamp()) for app_id, row in found if row and row.complete_at
    ]


def find_people(index: BorrowerIndex, text: str, held: Collection[str]) -> Found:
    """Return the borrowers that fit the typed text, the best first, at most SHOWN.

    `held` are the rights of the searching person. Fields that this person may not see are neither
    compared nor shown.
    """
    tokenizer = get_tokenizer(index.app_id, index.key_name)
    query = words.read_query(text)
    if tokenizer is None or query.is_empty:
        return Found([])
    return _Finder(index, tokenizer, query, text.strip(), held).run()


class Alike(NamedTuple):
    """A borrower who may be the same person as a new one, with the names of equal fields."""

    person: Person
    same: tuple[str, ...]


def find_alike(index: BorrowerIndex, borrower: Borrower) -> list[Alike]:
    """Return the borrowers with the same phone, government id or name, at most SHOWN.

    Borrowers with the most equal fields come first.
    """
    tokenizer = get_tokenizer(index.app_id, index.key_name)
    if tokenizer is None:
        return []
    own = read_fields(borrower)
    names = tuple(words.split_words(own["name"])[: words.MOST_WORDS])
    finder = _Finder(index, tokenizer, Query(names=names), own["name"])
    numbered = _order(_list_cards_of(_list_same_numbers(tokenizer, own)))
    # At most _OPENED cards with the same numbers are opened, and as many with the same name.
    keys = {*numbered[:_OPENED], *islice(finder.list_exact(), _OPENED)}
    found = []
    for card in BorrowerCard.objects.filter(index=index, pk__in=keys).exclude(content=""):
        fields = card.fields
        if same := _compare(own, fields):
            found.append(Alike(Person.of(card, fields), same))
    found.sort(key=lambda one: (-len(one.same), one.person.name.casefold(), one.person.borrower_id))
    return found[:SHOWN]


def _list_same_numbers(tokenizer: Tokenizer, fields: dict[str, str]) -> list[int]:
    """Return the tokens of the phone number and the government id in these fields."""
    found = []
    if ending := words.find_ending(fields["phone"]):
        found.append(tokenizer.make("phone", ending))
    if number := fields["government_id_digest"]:
        found.append(tokenizer.make("government_id_digest", number))
    return found


def _compare(one: dict[str, str], other: dict[str, str]) -> tuple[str, ...]:
    """Return the names of the fields that two cards share.

    The words of a name may be in any order.
    """
    same = []
    if one["phone"] and other["phone"] and _is_phone(one["phone"], other["phone"]):
        same.append(_("phone number"))
    if one["government_id_digest"] and one["government_id_digest"] == other["government_id_digest"]:
        same.append(_("government id"))
    names = set(words.split_words(one["name"]))
    if names and names == set(words.split_words(other["name"])):
        same.append(_("name"))
    return tuple(same)


class _Finder:
    """One search.

    It tries candidates in stages, from the best to the worst, until enough borrowers fit.
    """

    def __init__(
        self,
        index: BorrowerIndex,
        tokenizer: Tokenizer,
        query: Query,
        text: str,
        held: Collection[str] = (),
    ) -> None:
        self.index, self.tokenizer, self.query, self.text = index, tokenizer, query, text
        self.held = held
        self.scored: list[tuple[tuple[object, ...], Person]] = []
        self.opened: set[int] = set()
        self.is_cut = False
        self.answers: dict[tuple[Callable[..., Any], tuple[int, ...]], Any] = {}

    def run(self) -> Found:
        """Run the stages until enough borrowers fit, and return the best matches.

        Numbers come first, because a number fits either exactly or not at all.
        """
        # All matches of a number are equally good, so SHOWN matches are enough.
        self._open(iter(self._list_some(_list_cards_of(list(self._list_numbers())))), SHOWN)
        stages = (
            self.list_exact(),
            self._list_typed(),
            self._list_named(self._make_begun),
            self._list_named(self._make_edited),
        )
        for stage in stages:
            if len(self.scored) >= SHOWN:
                break
            self._open(stage, _ENOUGH)
        best = [person for rank, person in sorted(self.scored, key=lambda one: one[0])]
        return Found(best[:SHOWN], self.is_cut or len(best) > SHOWN)

    def _open(self, candidates: Iterator[int], enough: int) -> None:
        """Open these cards in batches, until there are `enough` matches."""
        new = (key for key in candidates if key not in self.opened)
        size = _OPENED_FIRST
        while some := set(islice(new, size)):
            self.opened |= some
            # Each batch is as large as all earlier batches together, so few queries are needed even
            # if many cards do not fit.
            size = max(size, len(self.opened))
            for card in BorrowerCard.objects.filter(pk__in=some):
                self._judge(card)
            if len(self.scored) >= enough:
                self.is_cut = True
                return

    def _judge(self, card: BorrowerCard) -> None:
        """Add a card that fits to `scored`, with its rank."""
        if card.index_id != self.index.pk or not card.content:
            return
        fields = mask_card(card.fields, self.held)
        rank = rank_card(self.query, self.text, card.borrower_id, fields)
        if rank is not None:
            key = (rank, fields["name"].casefold(), card.borrower_id)
            self.scored.append((key, Person.of(card, fields)))

    def _list_numbers(self) -> Iterator[int]:
        """Yield tokens of numbers: an id, a phone in any form, a government id, an e-mail."""
        make, query = self.tokenizer.make, self.query
        for key in words.fold_ids(self.text):
            yield make("id", key)
            yield make("uid", key)
        if query.number:
            yield make("number", query.number)
            yield make("government_id_digest", digest(query.number))
        if query.email:
            yield make("email_digest", digest(query.email))
        if query.hashed:
            yield make("hashed", query.hashed)
        if query.masked and not query.names:
            # A masked number is found by its two visible ends, or else by the last digits, which
            # many people share.
            begin, end = query.masked[0], query.masked[1][-words.MASKED_ENDING :]
            is_long = len(begin) >= words.MASKED_BEGINNING
            yield make("masked", f"{begin[: words.MASKED_BEGINNING]}*{end}" if is_long else end)
        if query.phone:
            yield make("phone", words.find_ending(query.phone))

    def list_exact(self) -> Iterator[int]:
        """Yield cards that have all words of the name."""
        return self._list_named(self._make_exact)

    def _list_typed(self) -> Iterator[int]:
        """Yield cards with all typed words. The last word may be the beginning of a longer word."""
        *_, last = self.query.names or [""]
        if len(self.query.names) > 1:
            yield from self._list_named(
                lambda word: self._make_begun(word) if word == last else self._make_exact(word)
            )

    def _ask(self, question: Callable[[list[int]], _T], keys: list[int]) -> _T:
        """Return the answer of `question` for these keys. Each answer is read once in a search."""
        key = question, tuple(keys)
        if key not in self.answers:
            self.answers[key] = question(keys)
        answer: _T = self.answers[key]
        return answer

    def _make_exact(self, word: str) -> "_Wanted":
        return _Wanted([self.tokenizer.make("word", word)])

    def _make_begun(self, word: str) -> "_Wanted":
        beginning = self.tokenizer.make_beginning(word)
        if len(word) == words.SHORTEST_PREFIX:
            return _Wanted([beginning])
        return _Wanted(self._list_begun_words(word), beginning)

    def _make_edited(self, word: str) -> "_Wanted":
        keys = [self.tokenizer.make("edit", part) for part in words.list_deletions(word)]
        return _Wanted([*self._make_begun(word).tokens, *self._ask(_list_words, keys)])

    def _list_begun_words(self, part: str) -> list[int]:
        key = self.tokenizer.make("prefix", part[: words.LONGEST_PREFIX])
        return self._ask(_list_words, [key])

    def _list_named(self, make_wanted: Callable[[str], "_Wanted"]) -> Iterator[int]:
        """Yield cards with a token for each word, starting with the rarest word.

        Very many names start with the same one or two letters. Such short words are looked up only
        if the other words match more cards than are opened.
        """
        long = [word for word in self.query.names if len(word) >= words.SHORTEST_PREFIX]
        wanted = [make_wanted(word) for word in long]
        if not wanted or not all(one.tokens for one in wanted):
            return
        wanted += [_Wanted(tokens) for tokens in self._list_ending_tokens()]
        wanted = [one._replace(cards=self._ask(_count_cards, one.tokens)) for one in wanted]
        wanted.sort(key=lambda one: one.cards)
        some = self._list_some(*_combine(wanted))
        yield from some
        short = [word for word in self.query.names if word not in long]
        if short and len(some) == _OPENED and len(self.scored) < SHOWN:
            yield from self._list_with_initials(wanted, short)

    def _list_with_initials(self, wanted: list["_Wanted"], short: list[str]) -> Iterator[int]:
        """Yield more cards of these words, which also have a word for each initial in `short`.

        If all initials are very common, it is quicker to open more cards than to list the words. A
        few hundred cards are then enough to find the best.
        """
        cards, others = _combine(wanted)
        initials = [self._list_begun_words(word) for word in short]
        if not others and all(self._ask(_has_many, one) for one in initials):
            yield from _order(cards)[_OPENED : _OPENED + _OPENED_FOR_INITIALS]
        else:
            yield from self._list_some(cards, [*others, *map(_list_cards_of, initials)])

    def _list_some(self, cards: Tokens, others: Sequence[Tokens] = ()) -> list[int]:
        """Return at most _OPENED of the cards that are also in all of `others`.

        Set `is_cut` if the result has this size, because there may be more cards.
        """
        rows = cards.intersection(*others) if others else _order(cards)
        keys = list(rows[:_OPENED])
        self.is_cut = self.is_cut or len(keys) == _OPENED
        return keys

    def _list_ending_tokens(self) -> Iterator[list[int]]:
        """Yield the tokens of each number of four or more digits that was typed with a name."""
        for digits in self.query.digits:
            if ending := words.find_ending(digits):
                yield [
                    self.tokenizer.make("phone", ending),
                    self.tokenizer.make("number", digits),
                    self.tokenizer.make("government_id_digest", digest(digits)),
                ]


class _Wanted(NamedTuple):
    """The tokens of a word; a card must have one of them.

    `beginning` is a token that all these cards have; other cards may have it too. `cards` is the
    number of cards, as far as they were counted.
    """

    tokens: list[int]
    beginning: int | None = None
    cards: int = 0


def _has_many(tokens: list[int]) -> bool:
    """Return True if more than MANY cards have one of these tokens."""
    return bool(_order(_list_cards_of(tokens))[MANY : MANY + 1])


def _count_cards(tokens: list[int]) -> int:
    return _order(_list_cards_of(tokens))[:_COUNTED].count()


def _combine(wanted: list[_Wanted]) -> tuple[Tokens, list[Tokens]]:
    """Return the cards of the first word, filtered by the other words, and lists for more filters.

    Each card of the first word must have a token of each other word, or the token of that word's
    beginning. If a check would need too many look-ups, it is quicker to read all cards of that word
    once; these cards are returned as a list. If all cards of the first word can be opened, nothing
    is checked.
    """
    first, *rest = wanted
    cards, others = _list_cards_of(first.tokens), list[Tokens]()
    for one in rest if first.cards > _OPENED else ():
        tokens = one.tokens
        if first.cards * (len(tokens) - 1) > one.cards:
            if one.beginning is None:
                others.append(_list_cards_of(tokens))
                continue
            tokens = [one.beginning]
        own = CardToken.objects.filter(card=OuterRef("card"), token__in=tokens)
        cards = cards.filter(Exists(own))
    return cards, others


def _order(cards: Tokens) -> Tokens:
    """Return the cards in the order of an index.

    Otherwise PostgreSQL would read the complete table.
    """
    return cards.order_by("token", "card")


def _list_words(keys: list[int]) -> list[int]:
    """Return the tokens of words to which these keys lead."""
    rows = WordKey.objects.filter(key__in=keys).values_list("word", flat=True)
    return list(rows[:_MOST_WORDS])


def _list_cards_of(tokens: list[int]) -> Tokens:
    return CardToken.objects.filter(token__in=tokens).values_list("card", flat=True)


def rank_card(
    query: Query, text: str, borrower_id: str, fields: dict[str, str]
) -> tuple[int, ...] | None:
    """Return the rank of a card for the typed text; None without a match. The smallest is best."""
    is_alone = not (query.names and query.masked)
    if is_alone and _has_number(query, text, borrower_id, fields):
        return (0,)
    if not query.names or not (is_alone or _fits_masked(query, fields["phone"])):
        return None
    own = words.split_words(fields["name"])
    ranks = [_rank_word(word, own) for word in query.names]
    if None in ranks:
        return None
    for digits in query.digits:
        number = words.strip_trunk(digits)
        is_long = len(number) >= words.PHONE_ENDINGS[-1]
        others = ("number", "id_ending") if is_long else ()
        is_ending = any(fields[kind].endswith(number) for kind in others)
        if not is_ending and not _fits_phone(number, fields["phone"]):
            return None
    known = [rank for rank in ranks if rank is not None]
    return (1, max(known), sum(known), len(own))


def _rank_word(word: str, own: list[str]) -> int | None:
    """Return 0 for a word of the name, 1 for the beginning of a word, 2 for a mistyped letter.

    Return None if the word does not fit.
    """
    if word in own:
        return 0
    if any(one.startswith(word) for one in own):
        return 1
    is_mistyped = len(word) >= words.SHORTEST_MISTYPED and any(
        words.is_one_edit(word, one) for one in own if len(one) >= words.SHORTEST_MISTYPED - 1
    )
    return 2 if is_mistyped else None


def _has_number(query: Query, text: str, borrower_id: str, fields: dict[str, str]) -> bool:
    """Return True if the typed text is a number of this borrower."""
    phone = fields["phone"]
    if words.fold_ids(text) & {borrower_id.casefold(), fields["uid"].casefold()}:
        return True
    if query.number and query.number == fields["number"]:
        return True
    if query.number and digest(query.number) == fields["government_id_digest"]:
        return True
    if query.email:
        return digest(query.email) == fields["email_digest"]
    if not phone:
        return False
    if query.hashed:
        return words.hash_phone(phone) == query.hashed
    if query.masked:
        return _fits_masked(query, phone)
    return len(query.phone) >= 4 and _fits_phone(query.phone, phone)


def _fits_masked(query: Query, phone: str) -> bool:
    return query.masked is not None and words.fits_mask(phone, *query.masked)


def _is_phone(one: str, other: str) -> bool:
    """Return True if two numbers are the same phone; one of them may lack its country code."""
    longest = words.PHONE_ENDINGS[0]
    if min(len(one), len(other)) < longest:
        return one == other
    return one.endswith(other) or other.endswith(one)


def _fits_phone(digits: str, phone: str) -> bool:
    """Return True if the phone ends with the digits, or equals them except for the country code."""
    return phone.endswith(digits) or (
        len(phone) >= words.PHONE_ENDINGS[0] and digits.endswith(phone)
    )


AGE = TableGauge(
    "people_index_seconds",
    "Time when the index of people was last complete, by app; Unix time.",
    ("app",),
    read_ages,
)
