"""Stored texts are always English, regardless of the person's language.

This applies to texts in rows, in the audit trail, in files and in mails. Such a text is marked with
`gettext_noop`, or a function that is decorated with `in_english` makes the text.
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
