"""Credit assessments and their types (Spec: Assessment, AssessmentType)."""

from typing import ClassVar

from lendingadmin.lending.values.base import Value
from lendingadmin.lending.values.fields import Number, One, Status, Text, Texts, Timestamp


class AssessmentOutcome(Value):
    """What an assessment found; absent until it is processed (Spec: Assessment)."""

    type: Text
    reason: Text
    message: Text
    rule: Text
    risk_level: Text
    risk_score: Number
    credit_score: Number
    credit_rating: Text


class Assessment(Value):
    """An assessment of an app user (Spec: Assessment).

    Status 0 is not processed, 1 processed successfully, 2 processed with errors.
    """

    id_field: ClassVar[str | None] = "assessment_id"

    uid: Text
    name: Text
    created_at: Timestamp
    account_id: Text
    assessment_id: Text
    assessment_type: Text
    timestamp: Timestamp
    status: Status
    result: One[AssessmentOutcome]
    app_version_id: Text
    request_id: Text


class AssessedApps(Value):
    """The apps that an assessment type is limited to."""

    channels: Texts
    platforms: Texts


class AssessedAccounts(Value):
    """The accounts that an assessment type is limited to."""

    categories: Texts
    account_types: Texts


class AssessmentSettings(Value):
    """The limits of an assessment type."""

    apps: One[AssessedApps]
    accounts: One[AssessedAccounts]


class AssessmentType(Value):
    """A kind of assessment (Spec: AssessmentType).

    Status 0 is in beta testing, 1 general availability, 2 deprecated. `name` is what an
    assessment or an offer request names it by.
    """

    id_field: ClassVar[str | None] = "assessment_type_id"

    uid: Text
    name: Text
    created_at: Timestamp
    assessment_type_id: Text
    category: Text
    period: Text
    status: Status
    display_name: Text
    description: Text
    settings: One[AssessmentSettings]
