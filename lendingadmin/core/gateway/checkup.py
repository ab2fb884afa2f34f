"""Test of the service account: the token, every read, and the writes that the scope allows."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from lendingadmin.lending.client import AppClient, LendingClient
from lendingadmin.lending.errors import BadRequest, LendingError, TimedOut, Unreachable
from lendingadmin.lending.operations import OPERATIONS, Operation
from lendingadmin.lending.pages import Page
from lendingadmin.lending.values import text

Result = Literal["ok", "failed", "not tried", "refused", "admitted"]


@dataclass(frozen=True)
class CheckResult:
    """One line of the table: place (an app id, or `-` for the project), subject and result."""

    where: str
    subject: str
    result: Result
    detail: str

    @property
    def is_bad(self) -> bool:
        """True if a person must correct something."""
        return self.result in ("failed", "refused")


class Checkup:
    """Test of the token, of the reads of each app, and of the table of writes.

    Nothing is written to the service, and no content of a record is saved. After one call without
    an answer, the remaining reads are skipped, because each of them would also wait for its time
    limit.
    """

    def __init__(self, client: LendingClient, app_ids: Iterable[str]) -> None:
        self._client = client
        self._app_ids = tuple(app_ids)
        self._unreached = ""

    def run(self) -> Iterator[CheckResult]:
        """Yield each result as soon as it is known."""
        scope = None
        try:
            token = self._client.tokens.get_token()
        except LendingError as error:
            self._unreached = "there is no token"
            yield CheckResult("-", "token", "failed", _explain(error))
        else:
            minutes = max(0, int((token.expires_at - datetime.now(UTC)).total_seconds() // 60))
            scope = token.scope
            words = f"scope {scope or 'not reported'}, good for {minutes} min"
            yield CheckResult("-", "token", "ok", words)
        yield self._try_list("-", "products.list", self._client.products.list)[0]
        yield self._try_list("-", "assessmentTypes.list", self._client.assessment_types.list)[0]
        for app_id in self._app_ids:
            yield from self._try_app(self._client.app(app_id), app_id)
        # A check must not call the writes. It also leaves out the preview, which needs an offer.
        yield from (_judge(one, scope) for one in OPERATIONS.values() if not one.is_read)

    def _try_app(self, app: AppClient, where: str) -> Iterator[CheckResult]:
        for name, resource, id_field in (
            ("borrowers", app.borrowers, "borrower_id"),
            ("loans", app.loans, "account_id"),
            ("assessments", app.assessments, "assessment_id"),
        ):
            finding, page = self._try_list(where, f"{name}.list", resource.list)
            yield finding
            yield self._try_get(where, f"{name}.get", resource.get, page, id_field)
        yield self._try_list(where, "events.list", app.events.list)[0]

    def _try_list(
        self, where: str, name: str, read: Callable[..., Page[Any]]
    ) -> tuple[CheckResult, Page[Any] | None]:
        def read_first() -> Page[Any]:
            try:
                return read(page_size=1)
            except BadRequest:
                # A service may refuse a parameter that the spec does not name.
                if OPERATIONS[name].list_parameters is not None:
                    raise
                return read()

        return self._try(where, name, read_first)

    def _try_get(
        self,
        where: str,
        name: str,
        read: Callable[[str], Any],
        page: Page[Any] | None,
        id_field: str,
    ) -> CheckResult:
        if page is None:
            return CheckResult(where, name, "not tried", "the list could not be read")
        ids = (text(getattr(item, id_field, None)) for item in page.items)
        record_id = next(filter(None, ids), None)
        if record_id is None:
            return CheckResult(where, name, "not tried", "the list has no record")
        return self._try(where, name, lambda: read(record_id))[0]

    def _try(self, where: str, name: str, read: Callable[[], Any]) -> tuple[CheckResult, Any]:
        if self._unreached:
            return CheckResult(where, name, "not tried", self._unreached), None
        started = time.monotonic()
        try:
            answer = read()
        except LendingError as error:
            if isinstance(error, Unreachable | TimedOut):
                self._unreached = "the service did not answer before"
            return CheckResult(where, name, "failed", _explain(error)), None
        return CheckResult(
            where, name, "ok", f"{(time.monotonic() - started) * 1000:.0f} ms"
        ), answer


def _judge(operation: Operation, scope: str | None) -> CheckResult:
    needs = f"needs {operation.permission} and one of {', '.join(operation.scopes)}"
    if not scope:
        return CheckResult("-", operation.name, "not tried", needs)
    if operation.admitted_by(scope):
        return CheckResult("-", operation.name, "admitted", needs)
    return CheckResult(
        "-", operation.name, "refused", f"the token's scope does not allow it: {needs}"
    )


def _explain(error: LendingError) -> str:
    """Return a text about the error for the person who set up the account.

    For a refused call the text has the permission and scopes in the spec's table.
    """
    parts = [f"{error.status}" if error.status else "", error.message]
    if error.error_description:
        parts.append(f"The service says: {error.error_description}")
    operation = OPERATIONS.get(error.operation)
    if error.status in (401, 403) and operation is not None:
        parts.append(f"Needs {operation.permission} and one of {', '.join(operation.scopes)}.")
    return " ".join(filter(None, parts))
