"""What every value has in common: frozen, tolerant, whole, and silent about people in its repr."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    PrivateAttr,
    ValidationError,
    model_validator,
)
from pydantic.alias_generators import to_camel

_LONGEST_ID = 80


class Value(BaseModel):
    """A JSON object of the service, read tolerantly: no field of any type makes it fail.

    A field that is absent or null is None; one of the wrong type is an Odd. Keys that the spec does
    not name are kept, and `raw` is the whole object as it came.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="allow",
        alias_generator=to_camel,
        arbitrary_types_allowed=True,
        hide_input_in_errors=True,
        protected_namespaces=(),
    )

    # The field that tells one from another in a log; None where that would be personal data.
    id_field: ClassVar[str | None] = None

    _raw: Mapping[str, object] = PrivateAttr(default_factory=dict)

    @property
    def raw(self) -> Mapping[str, object]:
        """The JSON object as it came, to the last key and digit: what goes back to the service."""
        return self._raw

    @property
    def entries(self) -> tuple[tuple[str, object], ...]:
        """The keys and values as they came, in their order."""
        return tuple(self._raw.items())

    @property
    def others(self) -> tuple[tuple[str, object], ...]:
        """The keys that the spec does not name, with their values, in their order."""
        named = {field.alias for field in type(self).model_fields.values()}
        return tuple((key, value) for key, value in self._raw.items() if key not in named)

    @model_validator(mode="wrap")
    @classmethod
    def _keep_raw(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            value = handler(data)
        except ValidationError:
            # Only a key that is no proper text (a lone surrogate) gets here; raw still has it.
            value = handler({key: data[key] for key in data if _is_text(key)})
        if isinstance(data, (dict, Mapping)):
            value._raw = data
        return value

    def __repr__(self) -> str:
        shown = getattr(self, self.id_field, None) if self.id_field else None
        name = type(self).__name__
        return f"<{name} {shown[:_LONGEST_ID]!r}>" if isinstance(shown, str) else f"<{name}>"

    def __str__(self) -> str:
        return self.__repr__()

    def __repr_args__(self) -> list[tuple[str | None, Any]]:
        return []


class Record(Value):
    """An object whose fields the spec does not show: only what came (`entries`, `get`)."""

    def get(self, key: str, default: object = None) -> object:
        """The value of one key as it came, or the default."""
        return self._raw.get(key, default)


def _is_text(key: object) -> bool:
    if not isinstance(key, str):
        return False
    try:
        key.encode()
    except UnicodeEncodeError:
        return False
    return True
