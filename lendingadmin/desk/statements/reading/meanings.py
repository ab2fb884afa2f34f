"""Lists of words: statuses of money that moved, sides of incoming money, and labels of totals.

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

STATUS, SIDE, CURRENCY, DIVIDER, YEAR = "status", "side", "currency", "divider", "year"
#: The name of an empty cell in a question to a person.
EMPTY = "(empty)"
_DONE = """
    complete completed success successful succes succeeded ok done paid posted booked settled
    processed executed approved confirmed accepted received effectue effectuee reussi reussie
    termine terminee valide validee paye payee imekamilika imefanikiwa book concluido concluida
    pago \u0645\u0643\u062a\u0645\u0644 ts
"""
# Words for money that did not move or came back, in a status or in the heading of a yes or no.
_UNDONE = """
    failed failure cancelled canceled declined rejected void voided reversed refunded returned
    annule annulee echoue echec rejete rejetee rembourse remboursee imeshindwa imeghairiwa
    imerudishwa falhado cancelado
"""
_FAILED = f"""
    {_UNDONE} fail unsuccessful cancel refused expired error aborted pending initiated created
    processing queued waiting submitted incomplete timeout blocked suspended echouee refuse refusee
    expire expiree inasubiri falhada pendente tf tip \u0641\u0634\u0644 \u0645\u0644\u063a\u0649
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
    # Only a person can explain a sign before three digits or an old year, so the lists are empty.
    DIVIDER: {},
    YEAR: {},
    SIDE: dict.fromkeys(_IN.split(), True)
    | dict.fromkeys(_OUT.split(), False)
    | dict.fromkeys(("money in", "paid in", "cash in", "credit transfer"), True)
    | dict.fromkeys(("money out", "paid out", "cash out", "debit transfer"), False),
}
# Words in the headings of status, side and currency columns.
_STATUS_HEADINGS = """
    status statut statuts state etat estado result resultat resultado outcome hali response reponse
    resposta situacao
"""
_SIDE_HEADINGS = "drcr crdr dc cd debitcredit creditdebit direction sign indicator side sens"
_CURRENCY_HEADINGS = "currency ccy cur devise monnaie moeda sarafu"
_HEADINGS = {
    STATUS: frozenset(_STATUS_HEADINGS.split()),
    SIDE: frozenset(_SIDE_HEADINGS.split()),
    CURRENCY: frozenset(_CURRENCY_HEADINGS.split()),
}
# A yes under a positive heading means that money moved; under a negative heading, that it did not.
_POSITIVE_HEADINGS = """
    success successful succeeded succes reussi reussie sucesso approved completed complete
"""
_NEGATIVE_HEADINGS = f"""
    {_UNDONE} reversal refund chargeback cancellation bounced annulation estornado
"""
# Under these headings, a person must explain a yes or a no.
_NEUTRAL_HEADINGS = "confirmed settled cleared posted processed valid valide validated"
# A column with one of these words in its heading has dates, people or sums, and is not a status.
_OTHER_HEADINGS = "date time by amount balance fee montant solde"
_POSITIVE, _NEGATIVE, _NEUTRAL, _OTHER = (
    frozenset(words.split())
    for words in (_POSITIVE_HEADINGS, _NEGATIVE_HEADINGS, _NEUTRAL_HEADINGS, _OTHER_HEADINGS)
)
_YES, _NO = "yes y true oui vrai ndiyo ndio sim", "no n false non faux hapana nao"
_NOTHING = "0 none n/a na -"
# Words for yes and no in any column. Other words count only in a column with such a heading.
_SURE_FLAGS = dict.fromkeys(_YES.split(), True) | dict.fromkeys(_NO.split(), False)
_MORE_FLAGS = dict.fromkeys(("1", "o", "s"), True) | dict.fromkeys(_NOTHING.split(), False)
_FLAGS = _SURE_FLAGS | _MORE_FLAGS
#: A column with more different words describes the payments and is not a status.
MOST_WORDS = 12
# The greatest length of a code with digits. A longer text with digits is an id.
_CODE = 3
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NO_WORD = re.compile(r"[\W_]+")
# The name of a total or of a carried balance has one of these words, and its other words are in the
# lists below.
_TOTAL_WORDS = """
    total totals totaux totais subtotal subtotals cumul jumla carried brought bf cf bfwd cfwd report
    reporter transportar transportado transporte lililoletwa lililopelekwa
"""
# In a row with a date, a word must say which balance this is, because a payer may write “balance”.
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
    """Return a word in the form of these lists: lower case, without accents."""
    if text.isascii():
        return " ".join(text.casefold().split())
    plain = unicodedata.normalize("NFKD", text).casefold()
    return " ".join("".join(x for x in plain if not unicodedata.combining(x)).split())


def read_word(field: str, text: str, answers: Answers) -> bool | None:
    """Return the meaning of a word of a field; None if it is unknown.

    True means completed for a status, money in for a side, thousands for a point or comma in
    amounts, and right for a year. An empty status means completed. An empty side is unknown.
    """
    word = fold_word(text) or (EMPTY if field == SIDE else "")
    if not word:
        return True
    bare = word.strip(".").removeprefix("transaction ").removeprefix("payment ")
    return answers.get(field, {}).get(word, _MEANINGS[field].get(bare))


def read_status(
    text: str,
    answers: Answers,
    *,
    heading: str = STATUS,
    is_own: bool = True,
    is_alone: bool = False,
) -> tuple[bool | None, str]:
    """Return whether a status cell means completed, and the word for a question.

    The first value is None if the meaning is unknown. In a column such as “Reversed”, a yes means
    that no money came. `is_alone` is True if all cells of the column are empty; an empty cell then
    means completed. `is_own` is False if the layout does not use the column; the word then includes
    the heading.
    """
    word, names = fold_word(text), _split_heading(heading)
    is_positive, is_negative = (not x.isdisjoint(names) for x in (_POSITIVE, _NEGATIVE))
    if not word and (is_alone or (is_negative and not is_positive)):
        return True, ""
    word = word or EMPTY
    is_plain = is_own or (not _HEADINGS[STATUS].isdisjoint(names) and not is_negative)
    asked = word if is_plain else f"{' '.join(names)}: {word}"
    if is_positive != is_negative:
        if word in _FLAGS:
            return _FLAGS[word] is is_positive, asked
        if is_negative:
            own = False if word in names else None
            return answers.get(STATUS, {}).get(asked, own), asked
    return answers.get(STATUS, {}).get(asked, read_word(STATUS, word, {})), asked


def find_deciding_columns(header: Sequence[str], rows: Iterable[Sequence[str]]) -> dict[str, str]:
    """Return the headings of the status, side and currency columns of a table, by field.

    Without the content of these columns a row cannot be read safely.
    """
    found: dict[str, str] = {}
    rows = list(rows)
    if statuses := find_status_columns(header, rows) or _find_flags(header, rows):
        found[STATUS] = header[statuses[0]]
    for at, heading in enumerate(header):
        held = set(_list_cells(rows, at))
        for field in (SIDE, CURRENCY):
            is_named = _is_named(field, heading)
            if heading and field not in found and (is_named or _has_known(field, held)):
                found[field] = heading
    return found


def find_status_columns(
    header: Sequence[str], rows: Sequence[Sequence[str]], used: Iterable[int] = ()
) -> list[int]:
    """Return the columns, not in `used`, whose heading or words show whether money moved."""
    others = sorted({at for at, heading in enumerate(header) if heading} - {*used})
    return [at for at in others if _decides(header[at], _list_cells(rows, at))]


def _decides(heading: str, cells: Sequence[str]) -> bool:
    names, held = _split_heading(heading), set(cells)
    if not _OTHER.isdisjoint(names):
        return False
    if _is_named(STATUS, heading) or _has_known(STATUS, held):
        return True
    flags = (_POSITIVE, _NEGATIVE, _NEUTRAL)
    if any(not words.isdisjoint(names) for words in flags):
        return not held or _is_coded(held)
    # If the words repeat often, a third of them must be known.
    known = sum(fold_word(cell) in _MEANINGS[STATUS] for cell in held)
    return _is_coded(held) and len(cells) >= 2 * len(held) and 3 * known >= len(held)


def _find_flags(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the positions of columns whose cells are yes and no, or response codes."""
    found = []
    for at, heading in enumerate(header):
        held = set(map(fold_word, _list_cells(rows, at)))
        is_flag = held <= {*_FLAGS} and not held.isdisjoint(_SURE_FLAGS)
        is_code = len(held) > 1 and not held.isdisjoint(("00", "000")) and _is_coded(held)
        is_other = not _OTHER.isdisjoint(_split_heading(heading))
        if heading and not is_other and (is_flag or is_code):
            found.append(at)
    return found


def _list_cells(rows: Iterable[Sequence[str]], at: int) -> list[str]:
    return [row[at] for row in rows if at < len(row) and row[at]]


def _is_coded(held: set[str]) -> bool:
    """Return True if a column has few different words and codes, without ids or amounts."""
    is_id = any(len(cell) > _CODE and any(map(str.isdigit, cell)) for cell in held)
    return 0 < len(held) <= MOST_WORDS and not is_id


def _is_named(field: str, heading: str) -> bool:
    names = _split_heading(heading)
    if field == SIDE:
        parts = [_NO_WORD.sub("", part) for part in fold_word(heading).split()]
        names = [*names, *parts, "".join(names)]
    return not _HEADINGS[field].isdisjoint(names)


def _split_heading(heading: str) -> list[str]:
    """Return the words of a heading such as `Success? (Y/N)`, `txn_status` or `ResultCode`."""
    return _NO_WORD.sub(" ", fold_word(_CAMEL.sub(" ", heading))).split()


def _has_known(field: str, held: set[str]) -> bool:
    """Return True if at least half of the different cells of a column are known words."""
    if not 0 < len(held) <= MOST_WORDS:
        return False
    if field == CURRENCY:
        known = sum(len(cell) == 3 and is_currency(cell.upper()) for cell in held)
    else:
        known = sum(fold_word(cell) in _MEANINGS[field] for cell in held)
    return 2 * known >= len(held)


def is_total(cell: str, *, is_dated: bool = False) -> bool:
    """Return True if a cell names a total or a carried balance, and nothing else.

    In a row with a day (`is_dated`), “balance” counts only with a word such as “opening”.
    """
    words = _list_words(cell)
    if not _BESIDE.issuperset(words):
        return False
    if not _TOTALS.isdisjoint(words) or not _PAIRS.isdisjoint(pairwise(words)):
        return True
    return not _BALANCES.isdisjoint(words) and not (is_dated and _WHICH.isdisjoint(words))


def may_follow_total(cell: str) -> bool:
    """Return True if all words of a cell can be part of the name of a total."""
    words = _list_words(cell)
    return _BESIDE.issuperset(words) and (bool(words) or not any(map(str.isdigit, cell)))


def _list_words(cell: str) -> list[str]:
    """Return the words of a cell without days, amounts and currencies; a long cell is one word."""
    if len(cell) > _LONGEST_TOTAL:
        return [cell]
    text = _FIGURES_BESIDE.sub(" ", fold_word(cell)).translate(_NO_SIGNS)
    return [word for word in text.split() if word in _BESIDE or not read_currency(word.upper())]
