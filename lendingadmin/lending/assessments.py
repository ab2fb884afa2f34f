"""Credit assessments (Spec: Assessments)."""

from collections.abc import Mapping

from lendingadmin.lending.lists import FilteredList
from lendingadmin.lending.resource import read_object
from lendingadmin.lending.values import Assessment


class Assessments(FilteredList[Assessment]):
    """The assessments of one app. Every method raises LendingError, and InvalidId for a bad id."""

    list_operation = "assessments.list"
    item = Assessment

    def create(self, body: Mapping[str, object]) -> Assessment:
        """Ask for an assessment; its result comes later, by `get` (Spec: Assessments, Create)."""
        answer = self.call("assessments.create", body=body)
        return read_object("assessments.create", answer, Assessment)

    def get(self, assessment_id: str) -> Assessment:
        """Read one assessment by its `assessmentId` or `uid` (Spec: Assessments, Get)."""
        answer = self.call("assessments.get", {"assessmentId": assessment_id})
        return read_object("assessments.get", answer, Assessment)
