"""Assessment types, which all projects share (Spec: Assessment types)."""

from lendingadmin.lending.lists import PlainList
from lendingadmin.lending.values import AssessmentType


class AssessmentTypes(PlainList[AssessmentType]):
    """The assessment types of the service. Every method raises LendingError."""

    list_operation = "assessmentTypes.list"
    item = AssessmentType
