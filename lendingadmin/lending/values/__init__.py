"""The resources of the service as passive, frozen, tolerant values (Spec: Resources and fields)."""

from lendingadmin.lending.values.assessment import (
    AssessedAccounts,
    AssessedApps,
    Assessment,
    AssessmentOutcome,
    AssessmentSettings,
    AssessmentType,
)
from lendingadmin.lending.values.base import Record, Value
from lendingadmin.lending.values.borrower import Borrower, Device, Individual, LoanSummary
from lendingadmin.lending.values.contract import (
    Adjustment,
    ContractAmounts,
    Fee,
    Installment,
    InstallmentAmounts,
    Interest,
    InterestRates,
    LendingContract,
    Penalty,
    Terms,
    Tranche,
)
from lendingadmin.lending.values.event import EntityValueSet, Event
from lendingadmin.lending.values.loan import (
    Balance,
    Loan,
    LoanBalances,
    LoanOutcome,
    LoanSchedule,
)
from lendingadmin.lending.values.offer import (
    OfferInterest,
    OfferMetadata,
    OfferOperation,
    OfferProduct,
    OfferResult,
    OffersResponse,
    OfferTerms,
)
from lendingadmin.lending.values.plain import (
    each,
    moment,
    number,
    status_key,
    text,
    timestamp_text,
    wire,
)
from lendingadmin.lending.values.product import (
    Charge,
    LendingTerms,
    Product,
    ProductInterest,
    TermsAdjustment,
)

from .malformed import Malformed

__all__ = [
    "Adjustment",
    "AssessedAccounts",
    "AssessedApps",
    "Assessment",
    "AssessmentOutcome",
    "AssessmentSettings",
    "AssessmentType",
    "Balance",
    "Borrower",
    "Charge",
    "ContractAmounts",
    "Device",
    "EntityValueSet",
    "Event",
    "Fee",
    "Individual",
    "Installment",
    "InstallmentAmounts",
    "Interest",
    "InterestRates",
    "LendingContract",
    "LendingTerms",
    "Loan",
    "LoanBalances",
    "LoanOutcome",
    "LoanSchedule",
    "LoanSummary",
    "Malformed",
    "OfferInterest",
    "OfferMetadata",
    "OfferOperation",
    "OfferProduct",
    "OfferResult",
    "OfferTerms",
    "OffersResponse",
    "Penalty",
    "Product",
    "ProductInterest",
    "Record",
    "Terms",
    "TermsAdjustment",
    "Tranche",
    "Value",
    "each",
    "moment",
    "number",
    "status_key",
    "text",
    "timestamp_text",
    "wire",
]
