"""Base class of forms that make one write to the service."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.contrib import messages

from lendingadmin.web.requests import PersonRequest

from . import idempotency
from .models import Write
from .reconciliation import Submitted
from .services import Outcome, Result, write_once


class WriteForm(forms.Form):
    """A form that is sent once. Its page has `fresh_token` in a hidden field `token`.

    `operation` is the name of the write in the client's table.
    """

    operation = ""

    def __init__(self, *args: Any, request: PersonRequest, **options: Any) -> None:
        super().__init__(*args, **options)
        self.request = request

    @property
    def fresh_token(self) -> str:
        """A new token. The token of a submitted form can't be used again."""
        return idempotency.issue_key(self.request, self.operation)

    def send(
        self,
        do: Callable[[], Result],
        lands_on: Callable[[Result], str],
        *,
        sent: Mapping[str, object] | None = None,
        saved: str = "",
        **recorded: Any,
    ) -> Outcome:
        """Make the write (see `write_once`) and return its outcome.

        `saved` is the message on the next page after success. `recorded` are fields of the Write.
        If the form was open for too long, add an error to the form and return an empty Outcome.
        """
        submitted = Submitted(sent or {}).encode()
        write = Write(operation=self.operation, submitted=submitted, **recorded)
        try:
            outcome = write_once(self.request, write, do, lands_on)
        except idempotency.StaleKey:
            self.add_error(None, idempotency.TOO_LONG)
            return Outcome()
        if outcome.saved and saved:
            messages.success(self.request, saved)
        return outcome
