"""Base of the resources: one way to call, and one way to read each form of answer."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from lendingadmin.lending.codec import build_json, decode
from lendingadmin.lending.diff import find_differences
from lendingadmin.lending.errors import (
    LendingError,
    Saved,
    Unconfirmed,
    Unreadable,
    WrongRecord,
)
from lendingadmin.lending.identity import Named, is_named, list_ids, names_another
from lendingadmin.lending.operations import OPERATIONS, CustomMethods
from lendingadmin.lending.transport import Transport

from .values import Malformed, Value
from .wire import Answer

Read = TypeVar("Read", bound=Value)
Parsed = TypeVar("Parsed")


class Resource:
    """A resource of the service; `ids` are the ids of its project and, if it has one, its app."""

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
        parse: Callable[[Answer], Parsed],
        ids: Mapping[str, str] | None = None,
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, object] | None = None,
        before_send: Callable[[], None] | None = None,
        read: Callable[[bytes], object] = decode,
    ) -> Parsed:
        """Send one operation and return its parsed answer. May raise LendingError and InvalidId.

        `parse` raises a LendingError for an answer that does not match the request.
        """
        operation = OPERATIONS[name]
        path = operation.url(custom_methods=self._custom_methods, **self._ids, **(ids or {}))
        parsed: Parsed = self._transport.call(
            operation,
            path,
            query=query,
            body=body,
            before_send=before_send,
            read=read,
            parse=parse,
        )
        return parsed

    def read_one(self, name: str, kind: type[Named], key: str, asked: str) -> Named:
        """Read the record that is addressed by this id. Raises WrongRecord for another record.

        A record without an id is returned if the connection is new. On a reused connection such a
        record may be the answer to an earlier request, so WrongRecord is raised.
        `identity.check_named` refuses a record without an id before its data are used in a form.
        """

        def parse(answer: Answer) -> Named:
            found = read_object(name, kind, answer)
            if not is_named(found, asked) and (answer.is_kept or names_another(found, asked)):
                raise make_error(WrongRecord, name, answer)
            return found

        return self.call(name, parse, {key: asked})

    def write_one(
        self,
        name: str,
        kind: type[Named],
        ids: Mapping[str, str] | None = None,
        *,
        body: Mapping[str, object],
        expected_id: object = None,
        before_send: Callable[[], None] | None = None,
        sent: Mapping[str, object] | None = None,
    ) -> Named:
        """Send a write, and accept it only if the answer is the record that was written.

        `expected_id` is the record's id, None if the service assigns the id. `sent` is the data
        that the record must have. Raise WrongRecord for another record. Raise Unconfirmed for a
        record without an id, without the sent data, or with an `error_description`. It is then
        unknown whether the record was saved.
        """

        expected = expected_id if isinstance(expected_id, str) else None

        def parse(answer: Answer) -> Named:
            found = read_object(name, kind, answer)
            own_ids = list_ids(found)
            if expected is not None and names_another(found, expected):
                raise make_error(WrongRecord, name, answer)
            refuse_description(name, answer)
            if not own_ids or (expected is not None and expected not in own_ids):
                raise make_error(Unconfirmed, name, answer)
            if sent and (places := find_differences(build_json(sent), answer.json)):
                words = f"{Unconfirmed.default_message} It differs in: {', '.join(places)}."
                raise make_error(Unconfirmed, name, answer, words)
            return found

        return self.call(name, parse, ids, body=body, before_send=before_send)

    def remove(self, name: str, ids: Mapping[str, str]) -> None:
        """Send a delete. Raise LendingError if the status of the answer is not 2xx.

        The spec does not show the body, so an unreadable body is no error. Raise Unconfirmed for an
        answer with an `error_description`.
        """
        try:
            self.call(name, partial(refuse_description, name), ids)
        except Unreadable as error:
            if error.status is None or not 200 <= error.status < 300:
                raise


def make_error(
    kind: type[LendingError],
    name: str,
    answer: Answer,
    message: str = "",
    description: str | None = None,
) -> LendingError:
    """Return the error for a 2xx answer that does not match the request."""
    return kind(
        message,
        operation=name,
        status=answer.status,
        error_description=description,
        request_id=answer.request_id,
        saved=Saved.NO if OPERATIONS[name].saves_nothing else Saved.UNKNOWN,
    )


def refuse_description(name: str, answer: Answer) -> None:
    """Raise Unconfirmed if a write's 2xx answer contains an error description."""
    if description := answer.error_description:
        raise make_error(Unconfirmed, name, answer, description=description)


def read_object(name: str, kind: type[Read], answer: Answer) -> Read:
    """Return the value of an answer that must be one JSON object. May raise Unreadable."""
    if not isinstance(answer.json, Mapping):
        raise make_error(Unreadable, name, answer)
    return kind(answer.json)


def read_array(name: str, kind: type[Read], answer: Answer) -> tuple[Read | Malformed, ...]:
    """Return the values of an answer that must be a JSON array. May raise Unreadable."""
    if not isinstance(answer.json, list):
        raise make_error(Unreadable, name, answer)
    return read_items(answer.json, kind)


def read_items(items: list[object], kind: type[Read]) -> tuple[Read | Malformed, ...]:
    """Return the values of a JSON array; an item that is not an object is a Malformed."""
    return tuple(kind(item) if isinstance(item, Mapping) else Malformed(item) for item in items)
