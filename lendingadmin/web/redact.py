"""Masking of JSON for the panel of API calls: personal data and secrets are masked."""

from collections.abc import Collection, Mapping

from django.utils.translation import gettext as _

REDACTED = "•••"

# Everything below these keys is masked, because fields that the spec does not name may be personal.
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

# Values of these keys are masked in devices and in any other object.
_PERSONAL_KEYS = frozenset(
    {"serialNumber", "equipmentId", "otherEquipmentId", "deviceId", "address", "phoneNumber"}
)

LONGEST_LIST = 5


def redact(value: object, also: Collection[str] = ()) -> object:
    """Return the JSON with masks for personal values, and with shortened lists.

    `also` has more keys of personal content.
    """
    if isinstance(value, Mapping):
        return {key: _redact_key(str(key), item, also) for key, item in value.items()}
    if isinstance(value, list | tuple):
        shown = [redact(item, also) for item in value[:LONGEST_LIST]]
        left = len(value) - len(shown)
        return [*shown, _("… and %(count)s more") % {"count": left}] if left else shown
    return value


def _redact_key(key: str, value: object, also: Collection[str]) -> object:
    if key in _PERSONAL_TREES or key in _PERSONAL_KEYS or key in also:
        return _redact_all(value)
    return redact(value, also)


def _redact_all(value: object) -> object:
    """Return the same keys with all texts and numbers masked; a list is replaced by one mask."""
    if isinstance(value, Mapping):
        return {key: _redact_all(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [REDACTED] if value else []
    return value if value is None or isinstance(value, bool) else REDACTED
