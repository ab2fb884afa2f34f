"""Rules for passwords, and a check for people who must choose another password."""

import re
from itertools import pairwise

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from lendingadmin.core.policies.lender import read_lender

from .models import User

# Fewest characters that a password must have, without the parts that are easy to guess.
_LEFT = 8
_WORDS = ("lendingadmin", "lending", "lender", "loan", "borrower", "repayment", "desk")

# Words that many people use in long passwords.
_COMMON = (
    *("password", "passwort", "passphrase", "passcode", "welcome", "letmein", "changeme", "change"),
    *("administrator", "admin", "default", "temporary", "secret", "login", "master", "qwerty"),
    *("iloveyou", "sunshine", "princess", "football", "baseball", "monkey", "dragon", "shadow"),
    *("superman", "batman", "starwars", "whatever", "trustno", "freedom", "hello", "jesus"),
    *("arsenal", "liverpool", "chelsea", "manchester", "company", "money", "mpesa", "office"),
    *("spring", "summer", "autumn", "winter", "january", "february", "march", "april", "june"),
    *("july", "august", "september", "october", "november", "december", "monday", "tuesday"),
    *("wednesday", "thursday", "friday", "saturday", "sunday"),
)
# The longest word is first, so that no part of a longer word remains.
_ANY_COMMON = "|".join(sorted(_COMMON, key=len, reverse=True))
_COMMON_WORD = re.compile(_ANY_COMMON)
_YEAR = re.compile(r"(?:19|20)\d\d")
# Characters that people use in place of letters.
_AS_LETTERS = str.maketrans("@4310$5!", "aaeiossi")
_ROWS = (
    *("abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm"),
    *("1qaz", "2wsx", "3edc", "4rfv", "5tgb", "6yhn", "7ujm", "8ik", "9ol"),
)
_PAIRS = {"".join(pair) for line in _ROWS for row in (line, line[::-1]) for pair in pairwise(row)}
_REPEATED = re.compile(r"(.+?)\1+", re.DOTALL)
# Only this number of characters of a password is checked, so that the check is always fast.
_JUDGED = 64


class ContextWordsValidator:
    """Refuses a password that is close to a word of this lender or dashboard: `Lending2026!`."""

    def validate(self, password: str, user: object = None) -> None:
        """Raise ValidationError if too few letters remain without these words and digits."""
        left = password.casefold()
        for word in _list_words():
            left = left.replace(word, "")
        if left != password.casefold() and len(re.sub(r"[\W\d_]", "", left)) < _LEFT:
            raise ValidationError(
                _("This password is too close to a word that people would guess.")
            )

    def get_help_text(self) -> str:
        return _("Don't use the lender's name or words of this dashboard.")


class GuessableValidator:
    """Refuses a password of common words, years, runs and repeated pieces: `Welcome12345`."""

    def validate(self, password: str, user: object = None) -> None:
        """Raise ValidationError if too few characters remain when each such piece counts as one."""
        if _count_signs(password) < _LEFT:
            raise ValidationError(
                _(
                    "This password is easy to guess, because it has common words, years, runs or "
                    "repeated pieces."
                )
            )

    def get_help_text(self) -> str:
        return _("Don't use common words, runs such as 12345 or repeated pieces.")


def _count_signs(password: str) -> int:
    """Return the number of characters; a piece that is easy to guess counts as one."""
    text = password[:_JUDGED].casefold()
    # One character replaces one letter, so positions are the same in both texts.
    for found in reversed(list(_COMMON_WORD.finditer(text.translate(_AS_LETTERS)))):
        text = f"{text[: found.start()]}\0{text[found.end() :]}"
    return len(_REPEATED.sub(r"\1", _shorten_runs(_YEAR.sub("\0", text))))


def _shorten_runs(text: str) -> str:
    """Replace each run of three or more characters, such as `abcd`, by its first character."""
    pieces, start = [], 0
    for at in range(1, len(text) + 1):
        if text[at - 1 : at + 1] not in _PAIRS or at == len(text):
            pieces.append(text[start] if at - start > 2 else text[start:at])
            start = at
    return "".join(pieces)


class AnotherPasswordValidator:
    """Refuses the password that the person has already."""

    def validate(self, password: str, user: object = None) -> None:
        """Raise ValidationError for the same password."""
        if isinstance(user, User) and user.check_password(password):
            words = _("This is your current password. Choose another password.")
            raise ValidationError(words, code="same_password")

    def get_help_text(self) -> str:
        return _("Don't use your current password.")


def _list_words() -> list[str]:
    """Return the words, the longest first, because a word may contain a shorter one."""
    apps = [app.app_id for app in settings.LENDING_APPS]
    lenders = " ".join([*(read_lender(app_id).name for app_id in apps), *apps])
    words = {*_WORDS, *re.findall(r"\w{4,}", lenders.casefold())}
    return sorted(words, key=len, reverse=True)
