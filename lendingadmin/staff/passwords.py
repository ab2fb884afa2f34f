"""What a password may not be, and who must choose another one."""

import re

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from .models import User

# So many signs must be left of a password without the words that anybody here would guess.
_LEFT = 8
_WORDS = ("lendingadmin", "lending", "lender", "loan", "borrower", "repayment", "desk")


def must_choose_password(person: object) -> bool:
    """Whether somebody else may know the person's password, so that they choose another first."""
    return isinstance(person, User) and person.must_choose_password


class ContextWordsValidator:
    """Refuses a password that is little more than a word of this place: `Lending2026!`."""

    def validate(self, password: str, user: object = None) -> None:
        """Raises ValidationError where too little is left without such words and digits."""
        left = password.casefold()
        for word in _list_words():
            left = left.replace(word, "")
        if left != password.casefold() and len(re.sub(r"[\W\d_]", "", left)) < _LEFT:
            raise ValidationError(
                _("It is little more than a word of this place, which others would guess.")
            )

    def get_help_text(self) -> str:
        """What is said beside the field."""
        return _("It can't be made of words of this place, such as the lender's name.")


class AnotherPasswordValidator:
    """Refuses the password that the person has already."""

    def validate(self, password: str, user: object = None) -> None:
        """Raises ValidationError for the same password."""
        if isinstance(user, User) and user.check_password(password):
            raise ValidationError(_("This is the password that you have: choose another one."))

    def get_help_text(self) -> str:
        """What is said beside the field."""
        return _("It can't be the password that you have.")


def _list_words() -> list[str]:
    """The longest first, so that no part of one is left."""
    lenders = " ".join(
        [*settings.LENDER_NAMES.values(), *(x.app_id for x in settings.LENDING_APPS)]
    )
    words = {*_WORDS, *re.findall(r"\w{4,}", lenders.casefold())}
    return sorted(words, key=len, reverse=True)
