"""Masking of a borrower's record: one policy for pages, CSV, search and print.

A record is masked before it reaches a template or a file, so that hidden values are not in the
response. The table below has each field of the spec, with the right that opens it. Any other field
may be personal, so its name and value are left out, unless the person has all rights to the record.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple, TypeVar

from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import SEE_CONTACT, SEE_IDENTITY, SEE_NAMES
from lendingadmin.lending.values import Borrower, Malformed
from lendingadmin.web.display.technical import Leaf

from .redact import REDACTED

#: The rights that open a borrower's record. All three also open fields that are not in the spec.
WHOLE_RECORD = frozenset({SEE_NAMES, SEE_CONTACT, SEE_IDENTITY})

T = TypeVar("T")

# The number of last digits that are shown of a phone number. They are enough to recognise a caller.
_ENDING = 3
_SHORTEST_PHONE = 7
_PLAIN = (str, int, Decimal)


def write_initials(name: object) -> str:
    """Return `WANJIRU Anne` as `W. A.`. A value that is not text becomes a mask."""
    if not isinstance(name, str):
        return REDACTED
    return " ".join(f"{word[0].upper()}." for word in name.split())


def _write_ending(phone: object) -> str:
    digits = "".join(filter(str.isdigit, phone)) if isinstance(phone, str) else ""
    return REDACTED + (digits[-_ENDING:] if len(digits) >= _SHORTEST_PHONE else "")


def _write_nothing(_value: object) -> str:
    return REDACTED


class Rule(NamedTuple):
    """The right that opens a field, and the replacement for people without it.

    The right is empty if everyone may see the field, and `*` if all rights are needed.
    """

    right: str
    write: Callable[[object], str] = _write_nothing


class ListOf(NamedTuple):
    """A list of objects; each object has these fields."""

    fields: Mapping[str, Any]


class WordsOf(NamedTuple):
    """An object with keys that the spec does not show.

    The rule of a word applies to each key that contains it.
    """

    words: Mapping[str, Rule]

    def list_fields(self, raw: Mapping[str, object]) -> dict[str, Rule]:
        """Return the rule of each key that has one."""
        return {
            key: rule for key in raw for word, rule in self.words.items() if word in key.lower()
        }


_HARMLESS, _NAME, _PHONE = (
    Rule(""),
    Rule(SEE_NAMES, write_initials),
    Rule(SEE_CONTACT, _write_ending),
)
_CONTACT, _IDENTITY, _UNKNOWN = Rule(SEE_CONTACT), Rule(SEE_IDENTITY), Rule("*")

_INDIVIDUAL = {
    "surname": _NAME,
    "othernames": _NAME,
    "phoneNumber": _PHONE,
    "emailAddress": _CONTACT,
    "countryOfResidence": _HARMLESS,
    "governmentIdNo": _IDENTITY,
    "dateOfBirth": _IDENTITY,
    "sex": _IDENTITY,
    "employmentStatus": _IDENTITY,
    "maritalStatus": _IDENTITY,
    "educationLevel": _IDENTITY,
    "noOfDependants": _IDENTITY,
    "fingerprints": _IDENTITY,
    "photos": _IDENTITY,
}
_DEVICE = {
    "deviceId": _IDENTITY,
    "serialNumber": _IDENTITY,
    "equipmentId": _IDENTITY,
    "otherEquipmentId": _IDENTITY,
} | dict.fromkeys(
    ("deviceType", "modelNumber", "osName", "osVersion", "createdAt", "active"), _HARMLESS
)
_LOAN = dict.fromkeys(
    (
        *("loanId", "principalAmount", "payableAmount", "paidAmount", "startDate", "endDate"),
        *("nextPaymentDate", "completionDate", "assessmentId"),
    ),
    _HARMLESS,
)
_COMPANY = WordsOf({"name": _NAME, "phone": _PHONE, "mail": _CONTACT})
#: Spec: Borrower. A test finds a field of the spec that has no rule.
FIELDS: Mapping[str, Any] = {
    "individual": _INDIVIDUAL,
    "company": _COMPANY,
    "identity": _UNKNOWN,
    "demographic": _UNKNOWN,
    "profiles": _UNKNOWN,
    "settings": _UNKNOWN,
    "labels": _UNKNOWN,
    "devices": ListOf(_DEVICE),
    "loans": ListOf(_LOAN),
} | dict.fromkeys(
    (
        *("uid", "name", "createdAt", "borrowerId", "category", "startDate", "status"),
        "borrowerNo",
    ),
    _HARMLESS,
)


def list_rights(person: User, app_id: str = "") -> frozenset[str]:
    """Return a person's rights to the record in an app, by default in the app of the page."""
    return frozenset(right for right in WHOLE_RECORD if person.has_perm(right, app_id))


def is_whole(held: Collection[str]) -> bool:
    """Return True if these rights open the full record, also fields that are not in the spec."""
    return WHOLE_RECORD.issubset(held)


def mask_record(raw: Mapping[str, object], held: Collection[str]) -> dict[str, Any]:
    """Return a borrower's record, or a part of one, without the data that need other rights."""
    return dict(raw) if is_whole(held) else _mask(raw, FIELDS, held, set())


def find_masked(raw: Mapping[str, object], held: Collection[str]) -> frozenset[str]:
    """Return the rights that would open more of this record; empty if nothing is masked."""
    missing = set[str]()
    _mask(raw, FIELDS, held, missing)
    return frozenset(missing)


def mask_item(item: T, held: Collection[str]) -> T:
    """Return a borrower without the data that need other rights.

    Records of other kinds do not change. If an item of a list is not an object, it may contain data
    of any person, so all its content is masked.
    """
    if is_whole(held):
        return item
    if isinstance(item, Malformed):
        return type(item)(REDACTED)
    return type(item)(mask_record(item.raw, held)) if isinstance(item, Borrower) else item


def mask_open(cell: object) -> object:
    """Mask an object or a list in a cell of a file; other cells do not change.

    Such a cell, for example labels, may contain personal data.
    """
    return REDACTED if isinstance(cell, Mapping | list | tuple) and cell else cell


def mask_leaves(leaves: Sequence[Leaf], held: Collection[str]) -> list[Leaf]:
    """Return the leaves under Technical, without masked values and undocumented fields.

    With all rights, return all leaves. An undocumented field is not in the spec.
    """
    if is_whole(held):
        return list(leaves)
    return [leaf for leaf in leaves if leaf.documented and REDACTED not in leaf.text]


def mask_card(fields: Mapping[str, str], held: Collection[str]) -> dict[str, str]:
    """Return the fields of an index card that a search may compare and show.

    Fields that the person may not see are empty, so that a search for a number does not confirm its
    owner.
    """
    hidden = {name for right, names in _CARD_FIELDS.items() if right not in held for name in names}
    return {name: "" if name in hidden else value for name, value in fields.items()}


_CARD_FIELDS = {
    SEE_NAMES: ("name",),
    SEE_CONTACT: ("phone", "email_digest"),
    SEE_IDENTITY: ("id_ending", "government_id_digest"),
}


def may_edit(held: Collection[str], value: object, *place: str) -> bool:
    """Return True if a form may have the field at a place in the record, with this value.

    Example: `may_edit(held, record.get("sex"), "individual", "sex")`. These rights must open the
    field and its complete value. A field with keys that are not in the spec needs all rights, even
    if it is empty.
    """
    rule: Any = FIELDS
    for key in place:
        rule = rule.get(key) if isinstance(rule, Mapping) else None
    if not isinstance(rule, Rule) or rule is _UNKNOWN:
        return is_whole(held)
    missing = set[str]()
    _mask(value, rule, held, missing)
    return not missing and (not rule.right or rule.right in held)


def _mask(raw: object, rules: Any, held: Collection[str], missing: set[str]) -> Any:
    """Return a value masked by its rules; add to `missing` the rights that would show more."""
    if raw is None or raw in ("", [], {}):
        return raw
    if isinstance(rules, ListOf) and isinstance(raw, list | tuple):
        return [_mask(item, rules.fields, held, missing) for item in raw]
    if isinstance(rules, WordsOf) and isinstance(raw, Mapping):
        rules = rules.list_fields(raw)
    if isinstance(rules, Mapping) and isinstance(raw, Mapping):
        if not rules.keys() >= raw.keys():
            missing |= WHOLE_RECORD.difference(held)
        known = raw if is_whole(held) else {key: raw[key] for key in raw if key in rules}
        return {
            key: _mask(item, rules.get(key, _UNKNOWN), held, missing) for key, item in known.items()
        }
    return _mask_value(raw, rules if isinstance(rules, Rule) else _UNKNOWN, held, missing)


def _mask_value(raw: object, rule: Rule, held: Collection[str], missing: set[str]) -> object:
    is_plain = isinstance(raw, _PLAIN) or (
        isinstance(raw, list | tuple) and all(isinstance(item, _PLAIN) for item in raw)
    )
    if is_plain and not rule.right:
        return raw
    # An object may have any content if the spec has a word or a number in its place.
    wanted = {rule.right} if is_plain and rule.right in WHOLE_RECORD else WHOLE_RECORD
    needed = wanted.difference(held)
    missing |= needed
    return rule.write(raw) if needed else raw
