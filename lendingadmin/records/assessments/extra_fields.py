"""Keys that the spec does not name, as they came."""

from lendingadmin.lending.values import Malformed, Value
from lendingadmin.web.display.text import shown


def others(value: object) -> list[tuple[str, str]]:
    """The other keys of a value, in their order, as text: lists and objects as JSON."""
    if not isinstance(value, Value):
        return []
    return [(str(key), _text(one)) for key, one in value.others]


def _text(value: object) -> str:
    return str(Malformed(value)) if isinstance(value, list | dict) else shown(value)
