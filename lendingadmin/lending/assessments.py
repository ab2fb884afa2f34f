"""Credit assessments (Spec: Assessments)."""

from collections.abc import Mapping

from lendingadmin.lending.pages import ListResource
from lendingadmin.lending.values import Assessment


class Assessments(ListResource[Assessment]):
    """The assessments of one app. Every method raises LendingError, and InvalidId for a bad id."""

    list_operation = "assessments.list"
    item = Assessment

    def create(self, body: Mapping[str, object]) -> Assessment:
        """Ask for an assessment; its result comes later, by `get` (Spec: Assessments, Create)."""
        return self.write_one("assessments.create", Assessment, body=body, sent=body)

    def get(self, assessment_id: str) -> Assessment:
        """Read one assessment by its `assessmentId` or `uid` (Spec: Assessments, Get)."""
        return self.read_one("assessments.get", Assessment, "assessmentId", assessment_id)
