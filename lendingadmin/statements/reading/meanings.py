"""Which words of a status say that money moved, and which of a side say that it came in.

A word that stands in none of these lists says nothing until a person does.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from babel.numbers import is_currency

#: What a person said that words mean, by the field and the folded word.
Answers = Mapping[str, Mapping[str, bool]]

STATUS, SIDE, CURRENCY, COMMA = "status", "side", "currency", "comma"
_DONE = """
    complete completed success successful succes succeeded ok done paid posted booked settled
    processed executed approved confirmed accepted received effectue effectuee reussi reussie
    termine terminee valide validee paye payee imekamilika imefanikiwa ts
"""
_FAILED = """
    fail failed failure unsuccessful cancelled canceled cancel declined rejected refused expired
    error aborted void voided reversed refunded returned pending initiated created processing
    queued waiting submitted incomplete timeout blocked suspended annule annulee echoue echouee
    echec refuse refusee rejete rejetee expire expiree rembourse remboursee imeshindwa
    imeghairiwa inasubiri tf tip
"""
_IN = "cr c credit credited in + incoming inward deposit received crdt haben h recu entree"
_OUT = "dr d db debit debited out - outgoing outward withdrawal withdrawn sent dbit soll s sortie"
_PHRASES = {
    "in progress": False,
    "timed out": False,
    "not completed": False,
    "en attente": False,
    "en cours": False,
}
_MEANINGS: Answers = {
    STATUS: dict.fromkeys(_DONE.split(), True) | dict.fromkeys(_FAILED.split(), False) | _PHRASES,
    # Whether it divides thousands.
    COMMA: {},
    SIDE: dict.fromkeys(_IN.split(), True)
    | dict.fromkeys(_OUT.split(), False)
    | {"money in": True, "paid in": True, "money out": False, "paid out": False},
}
# What columns that decide are called; a column of nothing but known words is one too.
_HEADINGS = {
    STATUS: "status|state|statut|etat|result|transaction status|payment status|outcome|hali",
    SIDE: "dr/cr|cr/dr|d/c|c/d|debit/credit|credit/debit|dr cr|cr dr|drcr|crdr|dc|direction|sign|"
    "indicator|debit credit indicator|credit debit indicator|side|sens|debit or credit",
    CURRENCY: "currency|ccy|cur|currency code|devise|monnaie|sarafu",
}


def fold_word(text: str) -> str:
    """Return a word as these lists have it: small letters without accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return " ".join("".join(x for x in plain if not unicodedata.combining(x)).split())


def read_word(field: str, text: str, answers: Answers) -> bool | None:
    """Return whether a status means done, or a side money in; None for a word nobody explained.

    An empty cell says nothing against: it counts as done, and as a side it decides nothing.
    """
    word = fold_word(text)
    if not word:
        return True
    bare = word.strip(".").removeprefix("transaction ").removeprefix("payment ")
    return answers.get(field, {}).get(word, _MEANINGS[field].get(bare))


def find_deciding(header: Sequence[str], rows: Iterable[Sequence[str]]) -> dict[str, str]:
    """Return by field the heading of each column without which a table says nothing certain: its
    status, whether money came in, and its currency.
    """
    found: dict[str, str] = {}
    cells = list(rows)
    for at, heading in enumerate(header):
        held = {word for row in cells if at < len(row) and (word := fold_word(row[at]))}
        for field, names in _HEADINGS.items():
            is_named = fold_word(heading) in names.split("|")
            if heading and field not in found and (is_named or _has_only(field, held)):
                found[field] = heading
    return found


def _has_only(field: str, held: set[str]) -> bool:
    if field == CURRENCY:
        return bool(held) and all(len(word) == 3 and is_currency(word.upper()) for word in held)
    return bool(held) and held <= _MEANINGS[field].keys()
