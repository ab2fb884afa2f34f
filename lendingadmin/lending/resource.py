"""What the resources share: one way to call, and one way to read each shape of answer."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from lendingadmin.lending.answers import Check, Decoder, accept, words_in
from lendingadmin.lending.codec import decode
from lendingadmin.lending.diff import find_differences
from lendingadmin.lending.errors import (
    LendingError,
    Saved,
    Unconfirmed,
    Unreadable,
    WrongRecord,
)
from lendingadmin.lending.identity import Named, is_named, names_another, own_ids
from lendingadmin.lending.operations import OPERATIONS, CustomMethods
from lendingadmin.lending.transport import Answer, Transport

from .values import Malformed, Value, wire

Read = TypeVar("Read", bound=Value)
Refusal = TypeVar("Refusal", bound=LendingError)


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
        check: Check = accept,
    ) -> Answer:
        """Send one operation of the spec's table. Raises LendingError and InvalidId.

        `check` raises a LendingError for an answer that is not what was asked for.
        """
        operation = OPERATIONS[name]
        path = operation.url(custom_methods=self._custom_methods, **self._ids, **(ids or {}))
        return self._transport.call(
            operation,
            path,
            query=query,
            body=None if body is None else wire(body),
            before_send=before_send,
            read=read,
            check=check,
        )

    def read_one(self, name: str, kind: type[Named], key: str, asked: str) -> Named:
        """Read the record that is addressed by this id. Raises WrongRecord for another one.

        One that does not say which it is comes back all the same: `identity.check_named` stands
        before everything that is entered from a record. It must come on a connection of its own,
        because on a kept one it may be the answer to an earlier request.
        """

        def check(answer: Answer) -> None:
            refuse_another(name, answer, kind, asked)
            if answer.is_kept and not is_named(read_object(name, answer, kind), asked):
                raise make_error(WrongRecord, name, answer)

        return read_object(name, self.call(name, {key: asked}, check=check), kind)

    def write_one(
        self,
        name: str,
        kind: type[Named],
        ids: Mapping[str, str] | None = None,
        *,
        body: Mapping[str, object],
        meant: object = None,
        before_send: Callable[[], None] | None = None,
        sent: Mapping[str, object] | None = None,
    ) -> Named:
        """Send a write, and believe it only if the answer is the record that was `meant`.

        `meant` is its id, None where the service gives it one. `sent` is what the record must hold.
        Raises WrongRecord for another record. Raises Unconfirmed for one without an id, one that
        does not hold what was sent, and one that comes with an `error_description`. Whether it was
        saved is unknown then.
        """

        def check(answer: Answer) -> None:
            found = read_object(name, answer, kind)
            if isinstance(meant, str):
                refuse_another(name, answer, kind, meant)
            refuse_words(name, answer)
            if not (is_named(found, meant) if isinstance(meant, str) else own_ids(found)):
                raise make_error(Unconfirmed, name, answer)
            if places := find_differences(wire(sent or {}), answer.json):
                words = f"{Unconfirmed.default_message} It differs in: {', '.join(places)}."
                raise make_error(Unconfirmed, name, answer, words)

        answer = self.call(name, ids, body=body, before_send=before_send, check=check)
        return read_object(name, answer, kind)

    def remove(self, name: str, ids: Mapping[str, str]) -> None:
        """Send a delete. Any 2xx says that it is done: what the body holds is not shown.

        Raises Unconfirmed for one that comes with an `error_description`.
        """
        try:
            self.call(name, ids, check=partial(refuse_words, name))
        except Unreadable as error:
            if error.status is None or not 200 <= error.status < 300:
                raise


def make_error(
    kind: type[Refusal], name: str, answer: Answer, message: str = "", words: str | None = None
) -> Refusal:
    """The error that a 2xx comes to which is not what was asked for."""
    return kind(
        message,
        operation=name,
        status=answer.status,
        error_description=words,
        request_id=answer.request_id,
        saved=Saved.NO if OPERATIONS[name].saves_nothing else Saved.UNKNOWN,
    )


def refuse_another(name: str, answer: Answer, kind: type[Named], asked: str) -> None:
    """Raise WrongRecord where the answer names another record, Unreadable where it is none."""
    if names_another(read_object(name, answer, kind), asked):
        raise make_error(WrongRecord, name, answer)


def refuse_words(name: str, answer: Answer) -> None:
    """Raise Unconfirmed where a write's answer says what is wrong, though it is a 2xx."""
    if words := words_in(answer.json):
        raise make_error(Unconfirmed, name, answer, words=words)


def unreadable(name: str, answer: Answer) -> Unreadable:
    """The error for a 2xx whose JSON has another shape than the spec's."""
    return make_error(Unreadable, name, answer)


def read_object(name: str, answer: Answer, kind: type[Read]) -> Read:
    """The value of an answer that must be one JSON object. Raises Unreadable."""
    if not isinstance(answer.json, Mapping):
        raise unreadable(name, answer)
    return kind(answer.json)


def read_array(name: str, answer: Answer, kind: type[Read]) -> tuple[Read | Malformed, ...]:
    """The values of an answer that must be a JSON array. Raises Unreadable."""
    if not isinstance(answer.json, list):
        raise unreadable(name, answer)
    return read_items(answer.json, kind)


def read_items(items: list[object], kind: type[Read]) -> tuple[Read | Malformed, ...]:
    """The values of a JSON array; an item that is no object is a Malformed."""
    return tuple(kind(item) if isinstance(item, Mapping) else Malformed(item) for item in items)
