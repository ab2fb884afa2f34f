"""User names, and rules that prevent two names that look the same.

The trail, receipts and journals name people by user name, so a name never changes.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable
from itertools import count

from django.contrib.auth.validators import ASCIIUsernameValidator
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from lendingadmin.core.audit.trail import SYSTEM

# Names of the product, and words that the product shows instead of a person.
_OWN = (SYSTEM, "superuser", "nobody", "anonymous", "lendingadmin")
_SAME = str.maketrans({"0": "o", "1": "l", "i": "l", "5": "s", "8": "b"} | dict.fromkeys("._-+@"))
_SAME_PAIRS = (("rn", "m"), ("vv", "w"), ("cl", "d"))

validate_letters = ASCIIUsernameValidator()


def fold_look(name: str) -> str:
    """Return a simplified form of a name. Names that look the same have the same form."""
    look = name.casefold().translate(_SAME)
    for pair, letter in _SAME_PAIRS:
        look = look.replace(pair, letter)
    return look


def validate_not_own(name: str) -> None:
    """Raise ValidationError for a reserved name, or a name that looks the same."""
    if fold_look(name) in map(fold_look, _OWN):
        raise ValidationError(_("This name is reserved. Choose another name."))


def validate_distinct(name: str, others: Iterable[str]) -> None:
    """Raise ValidationError for a name that looks like one of the others."""
    if fold_look(name) in map(fold_look, others):
        raise ValidationError(_("Another person has a user name that looks the same."))


def make_distinct(wanted: str, others: Collection[str]) -> str:
    """Return a user name that is like the name from the provider, and differs from all others."""
    ascii_only = unicodedata.normalize("NFKD", wanted.partition("@")[0]).encode("ascii", "ignore")
    name = re.sub(r"[^\w.+-]", "", ascii_only.decode())[:100] or "person"
    looks = {fold_look(one) for one in (*others, *_OWN)}
    names = (f"{name}-{number}" if number > 1 else name for number in count(1))
    return next(one for one in names if fold_look(one) not in looks)
