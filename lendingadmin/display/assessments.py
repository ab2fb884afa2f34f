"""Assessments and their types in words (Spec: Assessment, AssessmentOutcome, AssessmentType)."""

from lendingadmin.display.numbers import as_it_came
from lendingadmin.display.statuses import Status
from lendingadmin.display.text import spelled
from lendingadmin.lending.ids import resource_id
from lendingadmin.lending.values import Malformed, status_key

_OUTCOMES = {
    "authorized": Status("authorized", "good", "check-circle"),
    "declined": Status("declined", "bad", "x-circle"),
    "invalid": Status("invalid", "warn", "exclamation-triangle"),
}
_OUTCOME_SENTENCES = {
    "authorized": "The service authorizes lending to this account.",
    "declined": "The service advises against lending to this account.",
    "invalid": "The service could not judge this account: there is no valid result.",
}
_LEVELS = {
    "very low": ("good", "shield-check"),
    "low": ("good", "shield-check"),
    "medium": ("warn", "exclamation-triangle"),
    "high": ("bad", "exclamation-triangle"),
    "very high": ("bad", "exclamation-triangle"),
}
_TYPE_WARNINGS = {
    "0": "In beta testing: its results may change, so check them against another assessment.",
    "2": "Deprecated: the service may refuse it, or stop offering it.",
}


def outcome(value: object) -> Status | None:
    """The type of an outcome as a chip; a value that the spec does not name speaks for itself."""
    if value is None or value == "":
        return None
    key = as_it_came(value)
    return _OUTCOMES.get(key) or Status(spelled(value), "odd", "question-mark-circle")


def outcome_sentence(value: object) -> str:
    """What the type of an outcome means; empty where the spec names no such type."""
    return _OUTCOME_SENTENCES.get(value, "") if isinstance(value, str) else ""


def risk(level: object) -> Status | None:
    """A risk level as a chip; None where there is none."""
    if level is None or level == "":
        return None
    words = spelled(level)
    tone, icon = _LEVELS.get(words.lower(), ("", "minus-circle"))
    return Status(f"{words} risk", tone, icon)


def type_warning(status: object) -> str:
    """What to know before an assessment type of this status is used; empty where nothing is."""
    return _TYPE_WARNINGS.get(status_key(status), "")


def borrower_id(account_id: object) -> str:
    """The borrower that an account id names, or empty."""
    return resource_id(account_id) or ""


def type_id(name: object) -> str:
    """An assessment type's full name without its collection, as a table has room for."""
    return as_it_came(name).removeprefix("assessmentTypes/")


def limits(settings: object) -> list[tuple[str, str]]:
    """Which apps and accounts an assessment type is for, as label and words.

    A list that is empty or absent limits nothing, as far as the spec tells; an odd one shows as it
    came.
    """
    if settings is None or isinstance(settings, Malformed):
        return [("Limits", "none named" if settings is None else as_it_came(settings))]
    named = (
        ("Channels", "apps", "channels"),
        ("Platforms", "apps", "platforms"),
        ("Borrowers", "accounts", "categories"),
        ("Account types", "accounts", "account_types"),
    )
    return [
        (label, _listed(getattr(settings, group, None), field)) for label, group, field in named
    ]


def _listed(group: object, field: str) -> str:
    values = group if isinstance(group, Malformed) else getattr(group, field, None)
    if isinstance(values, Malformed):
        return as_it_came(values)
    return ", ".join(spelled(value) for value in values or ()) or "any"
