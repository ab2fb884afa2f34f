"""Loan accounts and repayments (Spec: Loans)."""

from collections.abc import Callable, Mapping

from lendingadmin.lending.pages import ListResource
from lendingadmin.lending.values import Loan

_FIXED = ("borrowerId", "contract")


def keep_fixed(body: Mapping[str, object]) -> dict[str, object]:
    """What of a loan stays as it was sent (Spec: Loan); balances, for one, change by themselves."""
    return {key: body[key] for key in _FIXED if key in body}


class Loans(ListResource[Loan]):
    """The loan accounts of one app. Every method raises LendingError, and InvalidId for a bad id.

    An account is named by its `accountId` or its `uid`.
    """

    list_operation = "loans.list"
    item = Loan

    def create(self, body: Mapping[str, object]) -> Loan:
        """Make a loan account; its contract is a previewed one, sent back whole (Spec: Loans)."""
        return self.write_one(
            "loans.create", Loan, body=body, meant=body.get("accountId"), sent=keep_fixed(body)
        )

    def get(self, account_id: str) -> Loan:
        """Read one loan account (Spec: Loans, Get). Raises NotFound."""
        return self.read_one("loans.get", Loan, "accountId", account_id)

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

        `before_send` runs with the connection open and nothing written; if it raises NotSent,
        nothing is sent. An error whose `saved` is unknown may have recorded the repayment: an
        answer that cannot be read, is about another loan, or says what is wrong, is one.
        """
        return self.write_one(
            "loans.makeRepayment",
            Loan,
            {"accountId": account_id},
            body=body,
            meant=account_id,
            before_send=before_send,
        )
