"""Payer, reference and reversed payment of a row of a table, from its columns and its words."""

import re
from collections.abc import Mapping

from .figures import read_id

# A phone number within other words, with or without hidden digits.
_PHONE = re.compile(r"(?<![\w*])\+?\d{2,6}\*{2,}\d{2,4}(?!\w)|(?<!\w)\+?\d{9,15}(?!\w)")
_MTN_PARTY = re.compile(r"^(?:FRI:)?([^/@]+)(?:[/@].*)?$")
_REFERENCE = re.compile(
    r"(?i)\bacc(?:ount)?\b\.?(?: ?no\.?)?\s*[:.#-]?\s*(?!(?:from|for|to|of|by|with)\b)(\S+)"
)
# Ten digits alone are ambiguous: they may be a phone number, a day or an account.
_OTHER_RECEIPT = re.compile(r"\b(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{10}\b")


def read_party(values: Mapping[str, str]) -> tuple[str, str]:
    """Return the payer and phone number, from their columns or from words with both."""
    phone, payer = values.get("phone", ""), values.get("payer", "")
    if phone and (found := _MTN_PARTY.match(phone)):
        phone = read_id(found[1])[0]
    if not phone:
        hit = _PHONE.search(payer) or _PHONE.search(values.get("details", ""))
        phone = hit[0] if hit else ""
    payer = _PHONE.sub("", payer).strip(" -–,;")
    return payer, phone


def read_reference(values: Mapping[str, str]) -> str:
    """Return the reference of a row, from its column or its details; empty if it has none."""
    reference, is_damaged = read_id(values.get("reference", ""))
    if reference and not is_damaged:
        return reference
    found = _REFERENCE.search(values.get("details", ""))
    return found[1].strip(".,;") if found else ""


def find_reversed(values: Mapping[str, str], receipt: str) -> str:
    """Return the id of the payment that a row reverses; empty if the row names no other id."""
    if values.get("reverses"):
        return read_id(values["reverses"])[0]
    others = [one for one in _OTHER_RECEIPT.findall(values.get("details", "")) if one != receipt]
    return others[0] if others else ""
