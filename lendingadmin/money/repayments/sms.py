"""Text of the SMS to a customer about a recorded repayment: at most one message in GSM-7.

A message with other letters has room for only 70 characters, too few for two amounts. So letters
that GSM-7 lacks lose their accents, and words that GSM-7 can't write are left out.

After the received amount, the text has the overdue amount and the next instalment. If the text is
too long, the borrower's name is shortened first. Then these parts are left out, in this order: the
time of the balance, the end of the lender's name, the code, the lender, the balance, the next
instalment, the overdue amount. An amount, a code or a number appears in full or not at all.
"""

import unicodedata
from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from django.utils.translation import gettext, override

from lendingadmin.web.display.locales import write_day
from lendingadmin.web.display.money import figure, money
from lendingadmin.web.display.times import calendar_day, contract_date, minute

from .receipts import Receipt

LONGEST = 160
# A lender's name that is too long is cut to this length, which is the limit for the sender of an
# SMS.
_SENDER = 11

# 3GPP TS 23.038, 6.2.1: the default alphabet, and the characters that count twice.
_BASIC = frozenset(
    "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    "ÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
)
_EXTENDED = frozenset("^{}\\[~]|€")
# Replacements for characters that Unicode does not decompose: punctuation, and letters of Hausa,
# Ewe, Twi and other languages.
_SPELLED = dict(
    zip(
        "’‘ʼ“”„–—‑ŋŊɛƐɔƆɖƉƒƑɣƔʋƲɓƁɗƊƙƘƴƳıłŁđĐ",
        "'''\"\"\"---nNeEoOdDfFgGvVbBdDkKyYilLdD",
        strict=True,
    )
)


def write_sms(receipt: Receipt) -> str:
    """Return the text of the SMS in the receipt's language. The repayment must be recorded."""
    with override(receipt.language):
        return next(text for text in _list_texts(receipt) if count_signs(text) <= LONGEST)


def count_signs(text: str) -> int:
    """Return the number of GSM-7 characters of a text; an SMS has room for 160."""
    return sum(2 if letter in _EXTENDED else 1 for letter in text)


def fold_letters(text: str) -> str:
    """Return the text in GSM-7 characters; empty if this is not possible.

    Accents that GSM-7 lacks are removed.
    """
    found = "".join(map(_fold_letter, " ".join(text.split())))
    return "" if "\0" in found else found


def _fold_letter(letter: str) -> str:
    if letter in _BASIC or letter in _EXTENDED:
        return letter
    bare = _SPELLED.get(letter) or "".join(
        part for part in unicodedata.normalize("NFKD", letter) if not unicodedata.combining(part)
    )
    is_known = all(part in _BASIC for part in bare)
    return bare if is_known and (bare or unicodedata.combining(letter)) else "\0"


def _list_texts(receipt: Receipt) -> Iterator[str]:
    """Yield the text with all parts, then with fewer and fewer parts. The last text always fits."""
    lender, code = fold_letters(receipt.lender), receipt.repayment.external_id
    lender = f"{lender}: " if lender else ""
    of_code = _say(gettext("Code %(code)s."), code=code) if fold_letters(code) == code else ""
    number = receipt.repayment.receipt_number
    of_number = _say(gettext("Receipt %(number)s."), number=number) if number else ""
    overdue, coming = _say_overdue(receipt), _say_next(receipt)
    timed, balance = _say_balance(receipt)
    for name in _list_names(receipt.person):
        received = _say_received(receipt, name)
        yield _join(lender, received, overdue, coming, timed, of_code, of_number)
    nameless = _say_received(receipt, "")
    yield _join(lender, nameless, overdue, coming, balance, of_code, of_number)
    short = f"{lender[:_SENDER].rstrip(': ')}: " if lender else ""
    yield _join(short, nameless, overdue, coming, balance, of_code, of_number)
    yield _join(short, nameless, overdue, coming, balance, of_number)
    yield _join("", nameless, overdue, coming, balance, of_number)
    yield _join("", nameless, overdue, coming, of_number)
    yield _join("", nameless, overdue, of_number)
    yield _join("", nameless, of_number)


def _list_names(person: str) -> Iterator[str]:
    """Yield shorter and shorter forms of a name.

    The forms are: the full name, its first word and initials, the first word, initials, nothing.
    """
    words = fold_letters(person).split()
    if words:
        initials = [f"{word[0]}." for word in words]
        yield " ".join(words)
        yield " ".join([words[0], *initials[1:]])
        yield words[0]
        yield " ".join(initials)
    yield ""


def _say_received(receipt: Receipt, name: str) -> str:
    repayment, language = receipt.repayment, receipt.language
    given = {
        "amount": money(repayment.exact_amount, repayment.shown_currency, language),
        "day": _write_paid_on(receipt),
    }
    if name:
        return _say(gettext("%(amount)s received from %(name)s on %(day)s."), name=name, **given)
    return _say(gettext("%(amount)s received on %(day)s."), **given)


def _write_paid_on(receipt: Receipt) -> str:
    """Return the day of the transaction. The year is left out if the receipt's number has it.

    Return an empty text if the day is unknown.
    """
    paid_on = calendar_day(receipt.repayment.transaction_date, receipt.app.zone)
    if paid_on is None:
        return ""
    if paid_on.year == receipt.repayment.receipt_year:
        return _write_short_day(paid_on, receipt.language)
    return write_day(paid_on, receipt.language)


def _write_short_day(day: date, language: str) -> str:
    # In some languages the short name of a month ends with a full stop.
    return write_day(day, language, "MMMd").rstrip(".")


def _say_overdue(receipt: Receipt) -> str:
    left = receipt.remainder
    if left is None or left.overdue is None:
        return ""
    return _say(gettext("Still overdue %(amount)s."), amount=_write_left(receipt, left.overdue))


def _say_next(receipt: Receipt) -> str:
    left = receipt.remainder
    due = contract_date(left.next_due, receipt.app.zone) if left else None
    if left is None or left.next_amount is None or due is None:
        return ""
    amount, day = _write_left(receipt, left.next_amount), _write_short_day(due, receipt.language)
    return _say(gettext("Next %(amount)s on %(day)s."), amount=amount, day=day)


def _say_balance(receipt: Receipt) -> tuple[str, str]:
    """Return the balance with the time of its reading, and the same in a shorter form.

    If the balance was read on the day of the payment, the shorter form has no time. Both are empty
    if the balance is not known.
    """
    left, zone = receipt.remainder, receipt.app.zone
    if left is None:
        return "", ""
    given = {"amount": _write_left(receipt, left.amount), "time": minute(left.read_at, zone)}
    read_on = calendar_day(left.read_at, zone)
    if read_on is None or read_on == calendar_day(receipt.repayment.transaction_date, zone):
        timed = _say(gettext("Balance at %(time)s: %(amount)s."), **given)
        return timed, _say(gettext("Balance %(amount)s."), **given)
    given["day"] = _write_short_day(read_on, receipt.language)
    timed = _say(gettext("Balance at %(time)s on %(day)s: %(amount)s."), **given)
    return timed, timed


def _write_left(receipt: Receipt, amount: Decimal) -> str:
    """Return an amount of the loan. The currency is added only if the payment has another one."""
    currency = receipt.app.currency
    write = figure if receipt.repayment.shown_currency == currency else money
    return write(amount, currency, receipt.language)


def _say(sentence: str, **given: str) -> str:
    return fold_letters(sentence % given)


def _join(lender: str, *sentences: str) -> str:
    return lender + " ".join(filter(None, sentences))
