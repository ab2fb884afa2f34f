"""Previewed contracts, which are saved in encrypted form until the loan is created.

The loan is created from exactly the contract that was shown. A second preview could differ, and a
contract in the form could be changed.
"""

import secrets
from collections.abc import Mapping
from typing import NamedTuple, cast

from lendingadmin.lending.codec import decode, encode
from lendingadmin.lending.values import (
    ContractAmounts,
    LendingContract,
    OfferMetadata,
    OfferOperation,
    number,
    text,
)
from lendingadmin.money.writes import idempotency
from lendingadmin.web.requests import PersonRequest

PURPOSE = "loans.create"


class Source(NamedTuple):
    """The preview of a contract. A draft is used only for its own preview."""

    app_id: str
    borrower_id: str
    request_id: str
    product_id: str


class Kept(NamedTuple):
    """A draft: the one-use token of its form, and the body of the loan to send."""

    token: str
    body: Mapping[str, object]

    @property
    def contract(self) -> LendingContract:
        """The contract in the body."""
        return LendingContract(cast("Mapping[str, object]", self.body["contract"]))


def keep(request: PersonRequest, source: Source, body: Mapping[str, object]) -> Kept:
    """Save a body as a draft; return the draft with a new token. May raise OverQuota."""
    idempotency_key = secrets.token_urlsafe(16)
    entered = source._asdict() | {"body": encode(body).decode()}
    idempotency.save_draft(request, PURPOSE, idempotency_key, entered)
    return Kept(idempotency.issue_key(request, PURPOSE, idempotency_key), body)


def find(request: PersonRequest, source: Source, token: str) -> Kept | None:
    """Return the draft under a token; None if there is no draft, or if it is of another preview.

    Raises idempotency.StaleKey.
    """
    entered = idempotency.load_draft(
        request, PURPOSE, idempotency.check_key(request, PURPOSE, token)
    )
    if entered is None or source != Source(*(entered.get(name, "") for name in Source._fields)):
        return None
    body = decode(entered["body"].encode())
    return Kept(token, body) if isinstance(body, Mapping) else None


def body_of(
    contract: LendingContract,
    source: Source,
    operation: OfferOperation | None,
    *,
    start_date: str | None,
    known: Mapping[str, object],
) -> dict[str, object]:
    """Return the body of Loans, Create, without the accountId: the contract and its values.

    The complete contract is sent. `known` has the type of the loan and the borrower's category, if
    they are known.
    """
    raw = contract.raw
    amounts = contract.amounts if isinstance(contract.amounts, ContractAmounts) else None
    metadata = operation.metadata if operation else None
    found = {
        "borrowerId": source.borrower_id,
        "productId": text(contract.product_id) or source.product_id,
        **known,
        "loanAmount": number(amounts.principal) if amounts else None,
        "startDate": raw.get("startDate") or start_date,
        "maturityDate": raw.get("maturityDate"),
        "requestId": source.request_id,
        "assessmentId": text(metadata.assessment_id)
        if isinstance(metadata, OfferMetadata)
        else None,
        "contract": raw,
    }
    return {key: value for key, value in found.items() if value is not None}
