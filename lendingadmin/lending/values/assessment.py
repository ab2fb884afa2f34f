"""Credit assessments and their types (Spec: Assessment, AssessmentType)."""

from typing import ClassVar

from lendingadmin.lending.values.base import Value
from lendingadmin.lending.values.fields import Number, One, Status, Text, Texts, Timestamp


class AssessmentOutcome(Value):
    """What an assessment found; absent until it is processed (Spec: Assessment)."""

    type: Text = None
    reason: Text = None
    message: Text = None
    rule: Text = None
    risk_level: Text = None
    risk_score: Number = None
    credit_score: Number = None
    credit_rating: Text = None


class Assessment(Value):
    """An assessment of an app user (Spec: Assessment).

    Status 0 is not processed, 1 processed successfully, 2 processed with errors.
    """

    id_field: ClassVar[str | None] = "assessment_id"

    uid: Text = None
    name: Text = None
    created_at: Timestamp = None
    account_id: Text = None
    assessment_id: Text = None
    assessment_type: Text = None
    timestamp: Timestamp = None
    status: Status = None
    result: One[AssessmentOutcome] = None
    app_version_id: Text = None
    request_id: Text = None


class AssessedApps(Value):
    """The apps that an assessment type is limited to."""

    channels: Texts = None
    platforms: Texts = None


class AssessedAccounts(Value):
    """The accounts that an assessment type is limited to."""

    categories: Texts = None
    account_types: Texts = None


class AssessmentSettings(Value):
    """The limits of an assessment type."""

    apps: One[AssessedApps] = None
    accounts: One[AssessedAccounts] = None


class AssessmentType(Value):
    """A kind of assessment (Spec: AssessmentType).

    Status 0 is in beta testing, 1 general availability, 2 deprecated. `name` is what an
    assessment or an offer request names it by.
    """

    id_field: ClassVar[str | None] = "assessment_type_id"

    uid: Text = None
    name: Text = None
    created_at: Timestamp = None
    assessment_type_id: Text = None
    category: Text = None
    period: Text = None
    status: Status = None
    display_name: Text = None
    description: Text = None
    settings: One[AssessmentSettings] = None
