"""What the bodies of events and assessments may hold (Spec: Event, Assessment)."""

from typing import Any, Literal

from pydantic import Field, StrictStr

from lendingadmin.sandbox.api.inputs import Sent, Timestamp


class NewEvent(Sent):
    """Spec: Events, Create. The data is read by the rules, kind by kind."""

    account_id: StrictStr
    event_type: StrictStr = Field(description="personal_data.captured")
    timestamp: Timestamp
    data: list[Any]
    category: Literal["sms", "contact"] | None = None


class NewAssessment(Sent):
    """Spec: Assessments, Create."""

    account_id: StrictStr
    assessment_type: StrictStr = Field(description="full name of an assessment type")
    timestamp: Timestamp
