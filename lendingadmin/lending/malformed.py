"""Where a value of the service is not what the spec says, for a person who has to mend it."""

from collections.abc import Iterator

from .values import Malformed, Value


def find_malformed(value: Value, within: str = "") -> Iterator[str]:
    """The fields whose value is of another type than the spec's, as paths of the wire's names.

    `amounts.principal`, `installments[0].dueDate`. Keys that the spec does not name are none.
    """
    for name, key in value.api_names.items():
        yield from _odd(getattr(value, name), f"{within}.{key}" if within else key)


def _odd(found: object, place: str) -> Iterator[str]:
    if isinstance(found, Malformed):
        yield place
    elif isinstance(found, Value):
        yield from find_malformed(found, place)
    elif isinstance(found, tuple):
        for index, item in enumerate(found):
            yield from _odd(item, f"{place}[{index}]")
