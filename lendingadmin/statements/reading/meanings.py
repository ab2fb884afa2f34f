"""Which words of a status say that money moved, and which of a side say that it came in.

A word that stands in none of these lists says nothing until a person does.
"""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from babel.numbers import is_currency

#: What a person said that words mean, by the field and the folded word.
Answers = Mapping[str, Mapping[str, bool]]

STATUS, SIDE, CURRENCY, COMMA, POINT = "status", "side", "currency", "comma", "point"
#: How an empty cell of a side is called, where somebody is asked what it means.
EMPTY = "(empty)"
_DONE = """
    complete completed success successful succes succeeded ok done paid posted booked settled
    processed executed approved confirmed accepted received effectue effectuee reussi reussie
    termine terminee valide validee paye payee imekamilika imefanikiwa book concluido concluida
    pago \u0645\u0643\u062a\u0645\u0644 ts
"""
_FAILED = """
    fail failed failure unsuccessful cancelled canceled cancel declined rejected refused expired
    error aborted void voided reversed refunded returned pending initiated created processing
    queued waiting submitted incomplete timeout blocked suspended annule annulee echoue echouee
    echec refuse refusee rejete rejetee expire expiree rembourse remboursee imeshindwa
    imeghairiwa inasubiri imerudishwa falhado falhada cancelado pendente tf tip
    \u0641\u0634\u0644 \u0645\u0644\u063a\u0649
"""
_IN = """
    cr c credit credited in + incoming inward deposit received crdt haben h recu entree credito
    entrada kuingia imepokelewa \u062f\u0627\u0626\u0646
"""
_OUT = """
    dr d db debit debited out - outgoing outward withdrawal withdrawn sent dbit soll s sortie debito
    saida kutoka imetumwa fee charge \u0645\u062f\u064a\u0646
"""
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
    POINT: {},
    SIDE: dict.fromkeys(_IN.split(), True)
    | dict.fromkeys(_OUT.split(), False)
    | dict.fromkeys(("money in", "paid in", "cash in", "credit transfer"), True)
    | dict.fromkeys(("money out", "paid out", "cash out", "debit transfer"), False),
}
# What columns that decide are called; a column of nothing but known words is one too.
_HEADINGS = {
    STATUS: "status|state|statut|etat|estado|result|outcome|hali",
    SIDE: "dr/cr|cr/dr|d/c|c/d|debit/credit|credit/debit|drcr|crdr|dc|direction|sign|indicator|"
    "side|sens",
    CURRENCY: "currency|ccy|cur|devise|monnaie|moeda|sarafu",
}
# A column of more different words than these says what was paid for, and not whether.
_MOST_WORDS = 12


def fold_word(text: str) -> str:
    """Return a word as these lists have it: small letters without accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return " ".join("".join(x for x in plain if not unicodedata.combining(x)).split())


def read_word(field: str, text: str, answers: Answers) -> bool | None:
    """Return whether a status means done, or a side money in; None for a word nobody explained.

    An empty status says nothing against. An empty side, where others are filled, is a word too.
    """
    word = fold_word(text) or (EMPTY if field == SIDE else "")
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
            is_named = not set(names.split("|")).isdisjoint(fold_word(heading).split())
            if heading and field not in found and (is_named or _has_known(field, held)):
                found[field] = heading
    return found


def _has_known(field: str, held: set[str]) -> bool:
    """Whether at least half of the words of a column are known ones."""
    if field == CURRENCY:
        known = {word for word in held if len(word) == 3 and is_currency(word.upper())}
    else:
        known = {word for word in held if word in _MEANINGS[field]}
    return 0 < len(held) <= _MOST_WORDS and 2 * len(known) >= len(held)
