"""Borrowers, and the offers they qualify for (Spec: Borrowers)."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from lendingadmin.lending.answers import Answer
from lendingadmin.lending.errors import Unconfirmed, WrongRecord
from lendingadmin.lending.identity import offer_is_named, offer_names_another
from lendingadmin.lending.pages import ListResource
from lendingadmin.lending.resource import make_error, read_array, read_object, refuse_words

from .values import Borrower, LendingContract, Malformed, OfferOperation


class Borrowers(ListResource[Borrower]):
    """The borrowers of one app. Every method raises LendingError, and InvalidId for a bad id."""

    list_operation = "borrowers.list"
    item = Borrower

    def create(self, body: Mapping[str, object]) -> Borrower:
        """Register a borrower. Raises Conflict where one has the id (Spec: Borrowers, 1)."""
        return self.write_one(
            "borrowers.create", Borrower, body=body, meant=body.get("borrowerId"), sent=body
        )

    def get(self, borrower_id: str) -> Borrower:
        """Read one borrower. Raises NotFound (Spec: Borrowers, 2)."""
        return self.read_one("borrowers.get", Borrower, "borrowerId", borrower_id)

    def patch(self, borrower_id: str, body: Mapping[str, object]) -> Borrower:
        """Change fields of a borrower; lists are replaced whole (Spec: Borrowers, 3).

        Raises NotFound, and ValueError for a body without a field.
        """
        if not body:
            raise ValueError("A change names at least one field.")
        ids = {"borrowerId": borrower_id}
        return self.write_one(
            "borrowers.patch", Borrower, ids, body=body, meant=borrower_id, sent=body
        )

    def delete(self, borrower_id: str) -> None:
        """Delete a borrower (Spec: Borrowers, Delete; what is answered is not shown)."""
        self.remove("borrowers.delete", {"borrowerId": borrower_id})

    def get_offers(
        self,
        borrower_id: str,
        *,
        assessment_type: str | None = None,
        timestamp: datetime | str | None = None,
        request_id: str | None = None,
    ) -> OfferOperation:
        """Start an offer, or with `request_id` alone read how far it is (Spec: Borrowers, 4).

        Takes the full name of an assessment type. A call that reads may also start one. Raises
        WrongRecord where the operation is of another borrower, request or app, Unconfirmed where
        one that was to start does not say whose it is, and ValueError when nothing is given, or a
        time without a zone.
        """
        name = "borrowers.getOffers"
        given = {
            "assessmentType": assessment_type,
            "timestamp": timestamp,
            "requestId": request_id,
        }
        body = {key: value for key, value in given.items() if value is not None}
        if not body:
            raise ValueError("An offer is asked for by assessment type, time or request id.")

        def check(answer: Answer) -> None:
            found = read_object(name, answer, OfferOperation)
            if offer_names_another(found, borrower_id, request_id, self._ids["appId"]):
                raise make_error(WrongRecord, name, answer)
            if body.keys() != {"requestId"}:
                refuse_words(name, answer)
                if not offer_is_named(found, borrower_id, request_id):
                    raise make_error(Unconfirmed, name, answer)

        answer = self.call(name, {"borrowerId": borrower_id}, body=body, check=check)
        return read_object(name, answer, OfferOperation)

    def get_offer_contracts(
        self,
        borrower_id: str,
        *,
        offer_summary: Mapping[str, object],
        amount: Decimal | int | None = None,
        start_date: datetime | str | None = None,
    ) -> tuple[LendingContract | Malformed, ...]:
        """Preview a contract for each product of the offer; nothing is saved (Spec: Borrowers, 5).

        `offer_summary` is OffersResponse.summary; `amount` is money in the app's currency. The
        service chooses what is left out of amount and day. Raises ValueError when both are.
        """
        given = {"amount": amount, "startDate": start_date}
        body: dict[str, object] = {k: value for k, value in given.items() if value is not None}
        if not body:
            raise ValueError("Contracts are previewed for an amount, a start date, or both.")
        body["offerSummary"] = offer_summary
        answer = self.call("borrowers.getOfferContracts", {"borrowerId": borrower_id}, body=body)
        return read_array("borrowers.getOfferContracts", answer, LendingContract)
