"""Functions for texts that are always English, in any language of the person.

Texts in rows, in the audit trail, in files and in mails are English. Such a text is marked with
`gettext_noop`, or a function with the decorator `in_english` makes it.
"""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.utils.translation import override

Args = ParamSpec("Args")
Result = TypeVar("Result")


def in_english(function: Callable[Args, Result]) -> Callable[Args, Result]:
    """Decorate a function so that it runs in English, because its texts are stored or mailed."""

    @wraps(function)
    def run(*args: Args.args, **options: Args.kwargs) -> Result:
        with override(settings.LANGUAGE_CODE):
            return function(*args, **options)

    return run
