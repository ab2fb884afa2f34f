"""Events, assessments and offer operations as the OpenAPI document describes their answers."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, RootModel
from pydantic.alias_generators import to_camel

from lendingadmin.sandbox.api.answers import Free, Moment, Num, Stored, Token, Told
from lendingadmin.sandbox.api.contracts import LendingContract


class AnsweredValues(Told):
    """Spec: EntityValueSet; the shape of `values` depends on `kind`."""

    kind: str
    values: list[dict[str, Any]]


class AnsweredEvent(Stored):
    """Spec: Event."""

    account_id: str
    event_id: str
    event_type: str
    timestamp: Moment
    data: list[AnsweredValues]
    app_version_id: str | None
    category: Literal["sms", "contact"] | None
    result: Free | None


class EventPage(Told):
    """Spec: Events, List."""

    events: list[AnsweredEvent]
    next_page_token: Token


class AssessmentOutcome(BaseModel):
    """Spec: AssessmentOutcome; which of its fields there are depends on `type`."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid")

    type: str
    reason: str | None = None
    message: str | None = None
    rule: str | None = None
    risk_level: str | None = None
    risk_score: Num | None = None
    credit_score: Num | None = None
    credit_rating: str | None = None


class AnsweredAssessment(Stored):
    """Spec: Assessment."""

    account_id: str
    assessment_id: str
    assessment_type: str
    timestamp: Moment
    result: AssessmentOutcome | None
    app_version_id: str | None
    request_id: str | None


class AssessmentPage(Told):
    """Spec: Assessments, List."""

    assessments: list[AnsweredAssessment]
    next_page_token: Token


class PremiumOnOffer(Told):
    """Spec: GetOffersResponse, a product's terms.interest."""

    risk_premium_rate: Num


class TermsOnOffer(Told):
    """Spec: GetOffersResponse, a product's terms."""

    interest: PremiumOnOffer


class ProductOnOffer(Told):
    """Spec: GetOffersResponse, a product."""

    product_id: str
    terms: TermsOnOffer


class GetOffersResponse(Told):
    """Spec: GetOffersResponse."""

    credit_limit: Num
    products: list[ProductOnOffer]
    interest_rate_waiver: Num
    valid_from: Moment


class OfferResult(Told):
    """Spec: Offer operation, result; `error` says why nothing is offered."""

    error: str | None
    response: GetOffersResponse | None


class OfferMetadata(Told):
    """Spec: Offer operation, metadata."""

    status: Literal["queued", "completed"]
    start_time: Moment
    end_time: Moment | None
    expiry_time: Moment
    project_id: str
    app_id: str
    account_id: str
    request_id: str
    assessment_id: str


class OfferOperation(Told):
    """Spec: Offer operation."""

    name: str
    operation_id: str
    done: bool
    metadata: OfferMetadata
    result: OfferResult | None


class PreviewedContract(LendingContract):
    """Spec: LendingContract, with everything in it."""

    model_config = ConfigDict(json_schema_extra=lambda schema: _whole(schema))


class Contracts(RootModel[list[PreviewedContract]]):
    """Spec: Borrowers, GetOfferContracts."""


def _whole(schema: dict[str, Any]) -> None:
    """Every field that the spec names is there, and none is null."""
    schema["required"] = list(schema["properties"])
    for field in schema["properties"].values():
        field.update(field.pop("anyOf")[0])
        field.pop("default", None)
