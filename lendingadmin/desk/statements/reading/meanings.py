"""Words of a status that mean that money moved, words of a side that mean money in, and totals.

A word that is not in these lists is unknown until a person explains it.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from babel.numbers import is_currency

from .figures import read_currency

#: The answers of people, by field and folded word.
Answers = Mapping[str, Mapping[str, bool]]

STATUS, SIDE, CURRENCY, DIVIDER = "status", "side", "currency", "divider"
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
    # Whether a sign before three figures divides thousands: no list says that.
    DIVIDER: {},
    SIDE: dict.fromkeys(_IN.split(), True)
    | dict.fromkeys(_OUT.split(), False)
    | dict.fromkeys(("money in", "paid in", "cash in", "credit transfer"), True)
    | dict.fromkeys(("money out", "paid out", "cash out", "debit transfer"), False),
}
# Words in the headings of columns that decide, as one does of which half of the words are known.
_STATUS_HEADINGS = "status state statut etat estado result outcome hali"
_SIDE_HEADINGS = """
    dr/cr cr/dr d/c c/d debit/credit credit/debit drcr crdr dc direction sign indicator side sens
"""
_CURRENCY_HEADINGS = "currency ccy cur devise monnaie moeda sarafu"
_HEADINGS = {
    STATUS: frozenset(_STATUS_HEADINGS.split()),
    SIDE: frozenset(_SIDE_HEADINGS.split()),
    CURRENCY: frozenset(_CURRENCY_HEADINGS.split()),
}
# A column of more different words than these says what was paid for, and not whether.
_MOST_WORDS = 12
# A total, or what is carried to another page, has one of these words and none that is in no list.
_TOTAL_WORDS = """
    total totals totaux totais subtotal subtotals cumul jumla carried brought bf cf bfwd cfwd report
    reporter transportar transportado transporte lililoletwa lililopelekwa
"""
# A balance is one with a word that says which. A payer may write the balance alone, of a loan.
_BALANCE_WORDS = "balance solde saldo salio sum somme soma summary"
_WHICH_WORDS = """
    opening closing initial initiale ouverture cloture nouveau anterieur precedent inicial final
    finale abertura fecho fechamento anterior awali mwanzo mwisho kufungua kufunga forward fwd down
    available disponible disponivel ledger book current period periode periodo as au em
"""
_PAIRS = frozenset((one, other) for one in "bc" for other in "fd")
_WORDS_WITH_THEM = """
    grand sub sous page montant general geral kuu ndogo of for the this in out on at and to from by
    du de des la le les et a d l do da dos das ya za na wa debit debits credit credits debito
    debitos credito creditos transactions paid received withdrawn withdrawals deposits amount
    amounts payments sent fees charges number count rows records entries items day daily month
    monthly week weekly year date account statement entrees sorties paye payes recu recus verse
    verses operations mouvements frais entradas saidas pago pagos recebido recebidos valor montante
    kiasi yote zote zilizoingia zilizotoka kuingia kutoka b c f
"""
_TOTALS, _BALANCES = frozenset(_TOTAL_WORDS.split()), frozenset(_BALANCE_WORDS.split())
_WHICH = frozenset(_WHICH_WORDS.split())
_BESIDE = _TOTALS.union(_BALANCES, _WHICH, _WORDS_WITH_THEM.split())
_LONGEST_TOTAL = 60
# Days, amounts and short numbers may follow; a longer number may be a loan's.
_FIGURES_BESIDE = re.compile(
    r"\b\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}\b|\b\d+[.,]\d\d\b|\b\d{1,3}(?:[ ,.]\d{3})*(?:[.,]\d\d?)?\b|"
    r"\b(?:jan|feb|fev|mar|apr|avr|abr|may|mai|jun|juin|jul|juil|aug|aou|ago|sep|set|oct|out|okt|"
    r"nov|dec|des|dez)[a-z]{0,7}[-/. ]+20\d\d\b"
)
_NO_SIGNS = str.maketrans(dict.fromkeys(".:,;-/()#'\u2019\u2013", " "))


def fold_word(text: str) -> str:
    """Return a word as these lists have it: small letters without accents."""
    if text.isascii():
        return " ".join(text.casefold().split())
    plain = unicodedata.normalize("NFKD", text).casefold()
    return " ".join("".join(x for x in plain if not unicodedata.combining(x)).split())


def read_word(field: str, text: str, answers: Answers) -> bool | None:
    """Return whether a status means completed, or a side means money in; None if it is unknown.

    An empty status counts as completed. An empty side is unknown, like a word.
    """
    word = fold_word(text) or (EMPTY if field == SIDE else "")
    if not word:
        return True
    bare = word.strip(".").removeprefix("transaction ").removeprefix("payment ")
    return answers.get(field, {}).get(word, _MEANINGS[field].get(bare))


def find_deciding_columns(header: Sequence[str], rows: Iterable[Sequence[str]]) -> dict[str, str]:
    """Return the headings of the status, side and currency columns of a table, by field.

    Without these a row cannot be read safely.
    """
    found: dict[str, str] = {}
    rows = list(rows)
    for at, heading in enumerate(header):
        held = {row[at] for row in rows if at < len(row)} - {""}
        for field, names in _HEADINGS.items():
            is_named = not names.isdisjoint(fold_word(heading).split())
            if heading and field not in found and (is_named or _has_known(field, held)):
                found[field] = heading
    return found


def _has_known(field: str, held: set[str]) -> bool:
    """Whether at least half of the different cells of a column are known words."""
    if not 0 < len(held) <= _MOST_WORDS:
        return False
    if field == CURRENCY:
        known = sum(len(cell) == 3 and is_currency(cell.upper()) for cell in held)
    else:
        known = sum(fold_word(cell) in _MEANINGS[field] for cell in held)
    return 2 * known >= len(held)


def is_total(cell: str, *, is_dated: bool = False) -> bool:
    """Return whether a cell names a total or a balance that is carried, and nothing else.

    In a row that has a day (`is_dated`) a balance says which one it is.
    """
    words = _list_words(cell)
    if not _BESIDE.issuperset(words):
        return False
    if not _TOTALS.isdisjoint(words) or not _PAIRS.isdisjoint(pairwise(words)):
        return True
    return not _BALANCES.isdisjoint(words) and not (is_dated and _WHICH.isdisjoint(words))


def may_follow_total(cell: str) -> bool:
    """Return whether a cell has nothing but words that stand in the name of a total."""
    words = _list_words(cell)
    return _BESIDE.issuperset(words) and (bool(words) or not any(map(str.isdigit, cell)))


def _list_words(cell: str) -> list[str]:
    """Return the words of a cell without days, amounts and currencies; of a long one the text."""
    if len(cell) > _LONGEST_TOTAL:
        return [cell]
    text = _FIGURES_BESIDE.sub(" ", fold_word(cell)).translate(_NO_SIGNS)
    return [word for word in text.split() if word in _BESIDE or not read_currency(word.upper())]
