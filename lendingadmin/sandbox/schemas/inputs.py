"""Bodies of requests. Unknown fields are accepted and ignored. Wrong types are refused.

`contracts.py` has the bodies of loans, because these contain a contract.
"""

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    WithJsonSchema,
)
from pydantic.alias_generators import to_camel

from lendingadmin.sandbox.rules import amounts, ids, instants
from lendingadmin.sandbox.rules.invalid import Invalid


def _by(read: Callable[[Any, str], object]) -> BeforeValidator:
    """Return a validator that calls a reader of the rules.

    The error has only the reason, because pydantic knows the path of the field.
    """

    def validate(value: object) -> object:
        try:
            return read(value, "")
        except Invalid as error:
            raise ValueError(error.reason) from None

    return BeforeValidator(validate)


def _read_id(value: object, field: str) -> str:
    if not isinstance(value, str):
        raise Invalid(field, "must be a string")
    return ids.read_id(value, field)


_NUMBER = {"type": "number", "exclusiveMinimum": -(10**15), "exclusiveMaximum": 10**15}
_AMOUNT = {"type": "number", "minimum": 0.01, "exclusiveMaximum": 10**15}
_ID = {"type": "string", "minLength": 1, "maxLength": ids.LONGEST}

_NEVER_NULL = WithJsonSchema({"type": "string", "enum": ["individual", "company"]})

Timestamp = Annotated[datetime, _by(instants.read_timestamp)]
Date = Annotated[date, _by(instants.read_date)]
Number = Annotated[Decimal, _by(amounts.read_number), WithJsonSchema(_NUMBER)]
PositiveAmount = Annotated[Decimal, _by(amounts.read_positive_amount), WithJsonSchema(_AMOUNT)]
Id = Annotated[str, _by(_read_id), WithJsonSchema(_ID)]
Word = Annotated[StrictStr, Field(max_length=200)]
Category = Literal["individual", "company"]
Free = dict[str, Any]
Rate = Annotated[Number, Field(ge=0, le=100)]

MOST_PRODUCTS = 50  # of an offer summary


class Sent(BaseModel):
    """A request body, or a part of one, with the field names of the API."""

    model_config = ConfigDict(alias_generator=to_camel, extra="ignore")

    def document(self, *, only_sent: bool = False) -> dict[str, Any]:
        """Return the values to store and to answer: names of the API, Decimals and datetimes."""
        return self.model_dump(by_alias=True, exclude_unset=only_sent)


class Individual(Sent):
    """Personal fields of an individual borrower (Spec: Individual)."""

    surname: StrictStr | None = None
    othernames: StrictStr | None = None
    date_of_birth: Date | None = None
    sex: StrictStr | None = None
    government_id_no: StrictStr | None = None
    country_of_residence: StrictStr | None = None
    email_address: StrictStr | None = None
    phone_number: StrictStr | None = None
    employment_status: StrictStr | None = None
    marital_status: StrictStr | None = None
    education_level: StrictStr | None = None
    no_of_dependants: StrictInt | None = None
    fingerprints: list[Any] = []
    photos: list[Any] = []


class Device(Sent):
    """Fields of a device (Spec: Device)."""

    device_id: Word
    device_type: StrictStr | None = None
    model_number: StrictStr | None = None
    os_name: StrictStr | None = None
    os_version: StrictStr | None = None
    created_at: Timestamp | None = None
    active: StrictBool = True
    serial_number: StrictStr | None = None
    equipment_id: StrictStr | None = None
    other_equipment_id: StrictStr | None = None


class LoanSummary(Sent):
    """Fields of a loan that the borrower has elsewhere (Spec: LoanSummary)."""

    loan_id: Word
    principal_amount: Number | None = None
    payable_amount: Number | None = None
    paid_amount: Number | None = None
    start_date: Timestamp | None = None
    end_date: Timestamp | None = None
    next_payment_date: Timestamp | None = None
    completion_date: Timestamp | None = None
    assessment_id: Word | None = None


class BorrowerPatch(Sent):
    """The body of a patch (Spec: Borrowers, Patch). Each sent field replaces the stored one."""

    category: Annotated[Category | None, _NEVER_NULL] = None
    start_date: Timestamp | None = None
    individual: Individual | None = None
    company: Free | None = None
    devices: list[Device] | None = None
    loans: list[LoanSummary] | None = None
    settings: dict[str, StrictStr] | None = None
    profiles: Free | None = None
    identity: Free | None = None
    demographic: Free | None = None


class NewBorrower(BorrowerPatch):
    """Body that creates a borrower (Spec: Borrowers, Create).

    `borrowerId` and `category` are required.
    """

    borrower_id: Id
    category: Category


class NewEvent(Sent):
    """Body that creates an event (Spec: Events, Create). `entity_values.py` reads its data."""

    account_id: StrictStr
    event_type: StrictStr = Field(description="personal_data.captured")
    timestamp: Timestamp
    data: list[Any]
    category: Literal["sms", "contact"] | None = None


class NewAssessment(Sent):
    """Body that starts an assessment (Spec: Assessments, Create)."""

    account_id: StrictStr
    assessment_type: StrictStr = Field(description="full name of an assessment type")
    timestamp: Timestamp


class OffersAsked(Sent):
    """Body that requests an offer; at least one field is required (Spec: GetOffers)."""

    assessment_type: StrictStr | None = None
    timestamp: Timestamp | None = None
    request_id: Annotated[StrictStr, Field(min_length=1, max_length=200)] | None = None

    @property
    def can_start(self) -> bool:
        """True if the body has more than the id of the request."""
        return self.assessment_type is not None or self.timestamp is not None


class OfferedInterest(Sent):
    """The interest on a product in an offer."""

    risk_premium_rate: Rate | None = None


class OfferedTerms(Sent):
    """The terms of a product in an offer."""

    interest: OfferedInterest | None = None


class OfferedProduct(Sent):
    """A product of an offer, by productId or uid."""

    product_id: StrictStr
    terms: OfferedTerms | None = None

    @property
    def risk_premium_rate(self) -> Decimal | None:
        """The premium of the offer; None if the offer sets none."""
        interest = self.terms.interest if self.terms else None
        return interest.risk_premium_rate if interest else None


class OfferSummary(Sent):
    """The three fields of an offer that a preview takes."""

    credit_limit: PositiveAmount
    products: Annotated[list[OfferedProduct], Field(max_length=MOST_PRODUCTS)]
    interest_rate_waiver: Rate | None = None


class PreviewAsked(Sent):
    """Body that requests previews of contracts (Spec: GetOfferContracts)."""

    offer_summary: OfferSummary
    amount: PositiveAmount | None = None
    start_date: Timestamp | None = None
