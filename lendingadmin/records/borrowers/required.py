"""Fields that a lender requires of a new borrower: BORROWER_REQUIRED.

Settings import this module, so it imports no models.
"""

from collections.abc import Collection

from .fields import list_fields

# Names of the fields that the setting may require, by category.
REQUIRABLE = {
    category: tuple(field.name for field in list_fields(category))
    for category in ("individual", "company")
}
_NONE = "none"

# Groups of field names. One field of each group is enough.
Required = tuple[tuple[str, ...], ...]


def read_required_fields(text: str) -> Required:
    """Return the required groups in a text such as `surname/companyName,phoneNumber`.

    The text `none` has no groups. Raises ValueError with a sentence for the author of the text.
    """
    if text.strip() == _NONE:
        return ()
    known = {name for names in REQUIRABLE.values() for name in names}
    required = tuple(
        tuple(name.strip() for name in part.split("/")) for part in text.split(",") if part.strip()
    )
    for name in (name for names in required for name in names):
        if name not in known:
            raise ValueError(f"“{name}” is none of: {', '.join(sorted(known))}")
    return required


def list_required(required: Required, category: str) -> list[tuple[str, ...]]:
    """Return the required fields of a category. One name of each group is enough.

    A group contains only the names that the category has. A company needs no surname, and a person
    needs no company name.
    """
    own = REQUIRABLE.get(category, ())
    found = [tuple(name for name in names if name in own) for names in required]
    return [names for names in found if names]


def list_missing(required: Required, category: str, given: Collection[str]) -> list[str]:
    """Return the first name of each required group that has no given field."""
    asked = list_required(required, category)
    return [names[0] for names in asked if not any(name in given for name in names)]
