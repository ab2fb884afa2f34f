"""Client with every operation of the service, by resource."""

from collections.abc import Callable, Mapping
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import Any

from lendingadmin.lending.errors import Unconfirmed, WrongRecord
from lendingadmin.lending.identity import offer_is_named, offer_names_another
from lendingadmin.lending.ids import check_id
from lendingadmin.lending.operations import CustomMethods
from lendingadmin.lending.pages import ListResource
from lendingadmin.lending.resource import (
    make_error,
    read_array,
    read_object,
    refuse_description,
)
from lendingadmin.lending.tokens import TokenSource
from lendingadmin.lending.transport import Transport

from .values import (
    Assessment,
    AssessmentType,
    Borrower,
    Event,
    LendingContract,
    Loan,
    Malformed,
    OfferOperation,
    Product,
)
from .wire import Answer

# Fields that together identify an event (Spec: Events).
_KEY_OF_AN_EVENT = ("accountId", "eventType", "timestamp")


class Borrowers(ListResource[Borrower]):
    """Borrowers of an app. Every method may raise LendingError, and InvalidId for a bad id."""

    list_operation = "borrowers.list"
    item = Borrower

    def create(self, body: Mapping[str, object]) -> Borrower:
        """Register a borrower.

        Raise Conflict if another borrower has the id (Spec: Borrowers, 1).
        """
        expected_id = body.get("borrowerId")
        return self.write_one(
            "borrowers.create", Borrower, body=body, expected_id=expected_id, sent=body
        )

    def get(self, borrower_id: str) -> Borrower:
        """Read one borrower. May raise NotFound (Spec: Borrowers, 2)."""
        return self.read_one("borrowers.get", Borrower, "borrowerId", borrower_id)

    def patch(self, borrower_id: str, body: Mapping[str, object]) -> Borrower:
        """Change fields of a borrower; a sent list replaces the complete list (Spec: Borrowers, 3).

        May raise NotFound. Raise ValueError for a body without a field.
        """
        if not body:
            raise ValueError("A change needs at least one field.")
        ids = {"borrowerId": borrower_id}
        return self.write_one(
            "borrowers.patch", Borrower, ids, body=body, expected_id=borrower_id, sent=body
        )

    def delete(self, borrower_id: str) -> None:
        """Delete a borrower (Spec: Borrowers, Delete).

        The spec does not show the answer to this request.
        """
        self.remove("borrowers.delete", {"borrowerId": borrower_id})

    def get_offers(
        self,
        borrower_id: str,
        *,
        assessment_type: str | None = None,
        timestamp: datetime | str | None = None,
        request_id: str | None = None,
    ) -> OfferOperation:
        """Start an offer; with only `request_id`, read its progress (Spec: Borrowers, 4).

        `assessment_type` is the full name of the type. A call that should only read may also start
        an offer. Raise WrongRecord if the operation is about another borrower, request or app.
        Raise Unconfirmed if a new operation does not name its borrower. Raise ValueError if no
        value is given, or if a time has no zone.
        """
        name = "borrowers.getOffers"
        given = {
            "assessmentType": assessment_type,
            "timestamp": timestamp,
            "requestId": request_id,
        }
        body = {key: value for key, value in given.items() if value is not None}
        if not body:
            raise ValueError("An offer needs an assessment type, a time or a request id.")

        def parse(answer: Answer) -> OfferOperation:
            found = read_object(name, OfferOperation, answer)
            if offer_names_another(found, borrower_id, request_id, self._ids["appId"]):
                raise make_error(WrongRecord, name, answer)
            if body.keys() != {"requestId"}:
                refuse_description(name, answer)
                if not offer_is_named(found, borrower_id, request_id):
                    raise make_error(Unconfirmed, name, answer)
            return found

        return self.call(name, parse, {"borrowerId": borrower_id}, body=body)

    def get_offer_contracts(
        self,
        borrower_id: str,
        *,
        offer_summary: Mapping[str, object],
        amount: Decimal | int | None = None,
        start_date: datetime | str | None = None,
    ) -> tuple[LendingContract | Malformed, ...]:
        """Preview a contract for each product of the offer (Spec: Borrowers, 5).

        Nothing is saved. `offer_summary` is OffersResponse.summary; `amount` is money in the app's
        currency. If the amount or the day is left out, the service chooses it. Raise ValueError if
        both are left out.
        """
        name = "borrowers.getOfferContracts"
        given = {"amount": amount, "startDate": start_date}
        body: dict[str, object] = {k: value for k, value in given.items() if value is not None}
        if not body:
            raise ValueError("A preview needs an amount, a start date, or both.")
        body["offerSummary"] = offer_summary
        parse = partial(read_array, name, LendingContract)
        return self.call(name, parse, {"borrowerId": borrower_id}, body=body)


def select_fixed(body: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a loan that do not change, unlike its balances (Spec: Loan)."""
    return {key: body[key] for key in ("borrowerId", "contract") if key in body}


class Loans(ListResource[Loan]):
    """Loan accounts of an app. Every method may raise LendingError, and InvalidId for a bad id.

    The id of an account is its `accountId` or its `uid`.
    """

    list_operation = "loans.list"
    item = Loan

    def create(self, body: Mapping[str, object]) -> Loan:
        """Create a loan account. Its contract is a complete contract of a preview (Spec: Loans)."""
        sent, expected_id = select_fixed(body), body.get("accountId")
        return self.write_one("loans.create", Loan, body=body, expected_id=expected_id, sent=sent)

    def get(self, account_id: str) -> Loan:
        """Read one loan account (Spec: Loans, Get). May raise NotFound."""
        return self.read_one("loans.get", Loan, "accountId", account_id)

    def delete(self, account_id: str) -> None:
        """Delete a loan account (Spec: Loans, Delete).

        The service refuses to delete an open or closed loan.
        """
        self.remove("loans.delete", {"accountId": account_id})

    def make_repayment(
        self,
        account_id: str,
        body: Mapping[str, object],
        *,
        before_send: Callable[[], None] | None = None,
    ) -> Loan:
        """Record a repayment. The request is sent at most once (Spec: Loans, MakeRepayment).

        `before_send` runs when the connection is open, before the first byte is written. If it
        raises NotSent, nothing is sent. If the `saved` of an error is UNKNOWN, the repayment may be
        recorded. Examples are an answer that can't be read, an answer about another loan, and an
        answer with an error description.
        """
        return self.write_one(
            "loans.makeRepayment",
            Loan,
            {"accountId": account_id},
            body=body,
            expected_id=account_id,
            before_send=before_send,
        )


class Assessments(ListResource[Assessment]):
    """Assessments of an app. Every method may raise LendingError, and InvalidId for a bad id."""

    list_operation = "assessments.list"
    item = Assessment

    def create(self, body: Mapping[str, object]) -> Assessment:
        """Request an assessment. Read the result later with `get` (Spec: Assessments, Create)."""
        return self.write_one("assessments.create", Assessment, body=body, sent=body)

    def get(self, assessment_id: str) -> Assessment:
        """Read one assessment by its `assessmentId` or `uid` (Spec: Assessments, Get)."""
        return self.read_one("assessments.get", Assessment, "assessmentId", assessment_id)


class Events(ListResource[Event]):
    """Events of an app. Every method may raise LendingError."""

    list_operation = "events.list"
    item = Event
    # An event may have almost 5 MB (Spec: Events, 4), so eight events may be too much for one
    # answer.
    may_be_large = True

    def create(self, body: Mapping[str, object]) -> Event:
        """Report an event with less than 5 MB of data (Spec: Events, Create).

        Raise Conflict if the account has an event of the same type and time.
        """
        sent = {key: body[key] for key in _KEY_OF_AN_EVENT if key in body}
        return self.write_one("events.create", Event, body=body, sent=sent)


class Products(ListResource[Product]):
    """Products of the project, which all its apps share (Spec: Products)."""

    list_operation = "products.list"
    item = Product


class AssessmentTypes(ListResource[AssessmentType]):
    """Assessment types of the service, which all projects share (Spec: Assessment types)."""

    list_operation = "assessmentTypes.list"
    item = AssessmentType


class AppClient:
    """Resources of a lending app: borrowers, loans, assessments, events."""

    def __init__(
        self, transport: Transport, project_id: str, app_id: str, custom_methods: CustomMethods
    ) -> None:
        ids = {"projectId": project_id, "appId": check_id(app_id)}
        self.app_id = app_id
        self.borrowers = Borrowers(transport, ids, custom_methods)
        self.loans = Loans(transport, ids, custom_methods)
        self.assessments = Assessments(transport, ids, custom_methods)
        self.events = Events(transport, ids, custom_methods)

    def __repr__(self) -> str:
        return f"<AppClient {self.app_id!r}>"


class LendingClient:
    """Client of one service account for one project (Spec: What the service does).

    `tokens` returns the access token. `options` are for the transport, unless a `transport` is
    given. `custom_methods` is the form of custom operations in addresses, `:name` or `/name`. The
    first call opens the first connection.
    """

    def __init__(
        self,
        base_url: str,
        project_id: str,
        tokens: TokenSource,
        *,
        custom_methods: CustomMethods = "colon",
        transport: Transport | None = None,
        **options: Any,
    ) -> None:
        self.project_id = check_id(project_id)
        self.tokens = tokens
        self.custom_methods = custom_methods
        self.transport = transport or Transport(base_url, tokens, **options)
        self._apps: dict[str, AppClient] = {}
        ids = {"projectId": project_id}
        self.products = Products(self.transport, ids, custom_methods)
        self.assessment_types = AssessmentTypes(self.transport, ids, custom_methods)

    def app(self, app_id: str) -> AppClient:
        """Return the resources of one lending app. Raise InvalidId for a bad id."""
        if app_id not in self._apps:
            self._apps[app_id] = AppClient(
                self.transport, self.project_id, app_id, self.custom_methods
            )
        return self._apps[app_id]

    def __repr__(self) -> str:
        return f"<LendingClient {self.project_id!r}>"
