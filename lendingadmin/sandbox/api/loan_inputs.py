"""What the bodies of loans and repayments may hold (Spec: Loans)."""

from typing import Annotated, Literal

from pydantic import Field, StrictStr

from lendingadmin.sandbox.api.contracts import PostedContract
from lendingadmin.sandbox.api.inputs import Free, Id, PositiveAmount, Sent, Timestamp, Word


class NewLoan(Sent):
    """Spec: Loans, Create. What the service itself works out is not read."""

    account_id: Id
    contract: PostedContract
    start_date: Timestamp
    borrower_id: StrictStr
    product_id: StrictStr | None = None
    loan_amount: PositiveAmount | None = None
    maturity_date: Timestamp | None = None
    lender_id: Word | None = None
    assessment_id: Word | None = None
    request_id: Word | None = None
    settings: Free | None = None
    labels: Free | None = None


class NewRepayment(Sent):
    """Spec: Loans, MakeRepayment body."""

    external_id: Annotated[StrictStr, Field(min_length=1, max_length=200)]
    amount: PositiveAmount
    transaction_date: Timestamp
    value_date: Timestamp | None = None
    channel: Literal["web", "mobile", "physical"] | None = None
    network: Word | None = None
    currency_code: Annotated[StrictStr, Field(pattern="^[A-Z]{3}$")] | None = None
    notes: Annotated[StrictStr, Field(max_length=2000)] | None = None
