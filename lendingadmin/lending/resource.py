"""What the resources share: one way to call, and one way to read each shape of answer."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from lendingadmin.lending.answers import Decoder
from lendingadmin.lending.codec import decode
from lendingadmin.lending.errors import Saved, Unreadable
from lendingadmin.lending.operations import OPERATIONS, CustomMethods
from lendingadmin.lending.pages import Page, page_token
from lendingadmin.lending.transport import Answer, Transport
from lendingadmin.lending.values import Odd, Value, wire

Read = TypeVar("Read", bound=Value)


class Resource:
    """A resource at its place in the service: `ids` name the project and, inside one, the app."""

    def __init__(
        self,
        transport: Transport,
        ids: Mapping[str, str],
        custom_methods: CustomMethods = "colon",
    ) -> None:
        self._transport = transport
        self._ids = dict(ids)
        self._custom_methods = custom_methods

    def call(
        self,
        name: str,
        ids: Mapping[str, str] | None = None,
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, object] | None = None,
        before_send: Callable[[], None] | None = None,
        read: Decoder = decode,
    ) -> Answer:
        """Send one operation of the spec's table. Raises LendingError and InvalidId."""
        operation = OPERATIONS[name]
        path = operation.url(custom_methods=self._custom_methods, **self._ids, **(ids or {}))
        return self._transport.call(
            operation,
            path,
            query=query,
            body=None if body is None else wire(body),
            before_send=before_send,
            read=read,
        )

    def remove(self, name: str, ids: Mapping[str, str]) -> None:
        """Send a delete. Any 2xx says that it is done: what the body holds is not shown."""
        try:
            self.call(name, ids)
        except Unreadable as error:
            if error.status is None or not 200 <= error.status < 300:
                raise


def unreadable(name: str, answer: Answer) -> Unreadable:
    """The error for a 2xx whose JSON has another shape than the spec's."""
    return Unreadable(
        operation=name,
        status=answer.status,
        request_id=answer.request_id,
        saved=Saved.NO if OPERATIONS[name].saves_nothing else Saved.UNKNOWN,
    )


def read_object(name: str, answer: Answer, kind: type[Read]) -> Read:
    """The value of an answer that must be one JSON object. Raises Unreadable."""
    if not isinstance(answer.json, Mapping):
        raise unreadable(name, answer)
    return kind(answer.json)


def read_array(name: str, answer: Answer, kind: type[Read]) -> tuple[Read | Odd, ...]:
    """The values of an answer that must be a JSON array. Raises Unreadable."""
    if not isinstance(answer.json, list):
        raise unreadable(name, answer)
    return _items(answer.json, kind)


def read_page(name: str, answer: Answer, kind: type[Read]) -> Page[Read]:
    """The page of a list answer; items that are no objects are kept as Odd.

    Raises Unreadable when the collection is absent or no array, or the next page's token is odd.
    """
    if not isinstance(answer.json, Mapping):
        raise unreadable(name, answer)
    items = answer.json.get(OPERATIONS[name].collection)
    if not isinstance(items, list):
        raise unreadable(name, answer)
    try:
        token = page_token(answer.json.get("nextPageToken"))
    except ValueError:
        raise unreadable(name, answer) from None
    return Page(_items(items, kind), token, answer.read_at)


def _items(items: list[object], kind: type[Read]) -> tuple[Read | Odd, ...]:
    return tuple(kind(item) if isinstance(item, Mapping) else Odd(item) for item in items)
