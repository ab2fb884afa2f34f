"""Loan accounts and repayments (Spec: Loans)."""

from collections.abc import Callable, Mapping

from lendingadmin.lending.lists import OrderedList
from lendingadmin.lending.resource import read_object
from lendingadmin.lending.values import Loan


class Loans(OrderedList[Loan]):
    """The loan accounts of one app. Every method raises LendingError, and InvalidId for a bad id.

    An account is named by its `accountId` or its `uid`.
    """

    list_operation = "loans.list"
    item = Loan

    def create(self, body: Mapping[str, object]) -> Loan:
        """Make a loan account; its contract is a previewed one, sent back whole (Spec: Loans)."""
        return read_object("loans.create", self.call("loans.create", body=body), Loan)

    def get(self, account_id: str) -> Loan:
        """Read one loan account (Spec: Loans, Get). Raises NotFound."""
        return read_object("loans.get", self.call("loans.get", {"accountId": account_id}), Loan)

    def delete(self, account_id: str) -> None:
        """Delete a loan account; refused where it is open or closed (Spec: Loans, Delete)."""
        self.remove("loans.delete", {"accountId": account_id})

    def make_repayment(
        self,
        account_id: str,
        body: Mapping[str, object],
        *,
        before_send: Callable[[], None] | None = None,
    ) -> Loan:
        """Record a repayment, once: it is never sent again (Spec: Loans, MakeRepayment).

        `before_send` runs with the connection open and nothing written; if it raises Held, nothing
        is sent. An error whose `saved` is unknown may have recorded the repayment, an answer that
        cannot be read included.
        """
        answer = self.call(
            "loans.makeRepayment", {"accountId": account_id}, body=body, before_send=before_send
        )
        return read_object("loans.makeRepayment", answer, Loan)
