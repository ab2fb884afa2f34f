"""JSON as it may be shown to whoever looks at calls: personal data and secrets masked."""

from collections.abc import Collection, Mapping

MASK = "•••"

# Under these keys everything is masked, however deep: what the spec leaves open may be personal.
_PERSONAL_TREES = frozenset(
    {
        "individual",
        "company",
        "identity",
        "demographic",
        "profiles",
        "settings",
        "labels",
        "values",
        "notes",
        "access_token",
        "client_secret",
        "error_description",
        "message",
    }
)

# In devices and wherever else they stand.
_PERSONAL_KEYS = frozenset(
    {"serialNumber", "equipmentId", "otherEquipmentId", "deviceId", "address", "phoneNumber"}
)

_LONGEST_LIST = 5


def masked(value: object, also: Collection[str] = ()) -> object:
    """The same JSON, personal values replaced by a mask, long lists cut with their count.

    `also` names further keys of personal content.
    """
    if isinstance(value, Mapping):
        return {key: _under(str(key), item, also) for key, item in value.items()}
    if isinstance(value, list | tuple):
        shown = [masked(item, also) for item in value[:_LONGEST_LIST]]
        left = len(value) - len(shown)
        return [*shown, f"… and {left} more"] if left else shown
    return value


def _under(key: str, value: object, also: Collection[str]) -> object:
    if key in _PERSONAL_TREES or key in _PERSONAL_KEYS or key in also:
        return _blanked(value)
    return masked(value, also)


def _blanked(value: object) -> object:
    """The shape without the content."""
    if isinstance(value, Mapping):
        return {key: _blanked(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [MASK] if value else []
    return value if value is None or isinstance(value, bool) else MASK
