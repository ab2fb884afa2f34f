"""Plain values, and words of the API, as text."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.lending.values import Malformed, Value
from lendingadmin.web.display.numbers import MISSING, as_it_came


def shown(value: object) -> str:
    """Write a plain value.

    A missing value is `—`, a boolean is yes or no; others are as received.
    """
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, str) and not value.strip():
        return MISSING
    return as_it_came(value)


def write_any(value: object) -> str:
    """Write any JSON value: a plain value in words, a list or an object as JSON."""
    return str(Malformed(value)) if isinstance(value, list | dict) else shown(value)


def list_others(value: object) -> list[tuple[str, str]]:
    """Return each key that the spec does not name and its value, as text, in the order received."""
    others = value.others if isinstance(value, Value) else ()
    return [(str(key), write_any(other)) for key, other in others]


def spelled(value: object) -> str:
    """Write a word of the API in plain words: `reducing_balance` is `reducing balance`."""
    return shown(value).replace("_", " ")


_OUTCOMES = {
    "yes": gettext_noop("It is %(verb)s"),
    "no": gettext_noop("Nothing was %(verb)s"),
    "probably": gettext_noop("Probably %(verb)s"),
    "unknown": gettext_noop("Not known yet"),
}


def write_outcome(saved: str, verb: str = gettext_noop("saved")) -> str:
    """Return a sentence that says if anything was saved.

    `saved` is a key of _OUTCOMES, or such a key with more words: `yes, decided by a person`.
    """
    answer, comma, rest = saved.partition(",")
    return f"{_(_OUTCOMES[answer]) % {'verb': _(verb)}}{comma}{rest}."


def person_name(individual: object, fallback: object = None) -> str:
    """Return the surname and other names of an Individual (spec), or the fallback."""
    parts = [getattr(individual, part, None) for part in ("surname", "othernames")]
    name = " ".join(part.strip() for part in parts if isinstance(part, str) and part.strip())
    return name or shown(fallback)


def borrower_name(borrower: object) -> str:
    """Return the name of a borrower: of the person, or else of the company, or else the id.

    The spec does not show the fields of Company, so the first text under a key with “name” is used.
    """
    person = person_name(getattr(borrower, "individual", None), "")
    if person != MISSING:
        return person
    company = find_text(getattr(borrower, "company", None), "name")
    return company or shown(getattr(borrower, "borrower_id", None))


def borrower_phone(borrower: object) -> str:
    """Return the phone number of a borrower as received: the person's, or else the company's.

    Return an empty text if there is none. The spec does not show the fields of Company.
    """
    phone = getattr(getattr(borrower, "individual", None), "phone_number", None)
    company = getattr(borrower, "company", None)
    return (
        phone.strip() if isinstance(phone, str) and phone.strip() else find_text(company, "phone")
    )


def find_text(record: object, word: str) -> str:
    """Find the first text in a record whose key contains this word; empty if there is none."""
    for key, value in getattr(record, "entries", ()):
        if word in str(key).lower() and isinstance(value, str) and value.strip():
            return value.strip()
    return ""
