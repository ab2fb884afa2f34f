"""Walk through an app's assessments, which updates the index from the service."""

from collections.abc import Iterable
from datetime import datetime

from django.db.models import QuerySet

from lendingadmin.core import gateway
from lendingadmin.core.worker.walks import IndexWalk
from lendingadmin.lending.errors import WrongRecord
from lendingadmin.lending.identity import check_named
from lendingadmin.lending.pages import ListResource
from lendingadmin.lending.values import Assessment, Malformed

from . import known
from .models import AssessmentIndex, KnownAssessment
from .running import id_of


class AssessmentWalk(IndexWalk[AssessmentIndex]):
    """The walk through the assessments of one app."""

    model = AssessmentIndex

    def open_list(self) -> ListResource[Assessment]:
        """Return the list of assessments, with only the fields that are saved."""
        return gateway.app(self.row.app_id).assessments.only(known.KEYS)

    def put_items(
        self, items: Iterable[Assessment | Malformed], read_at: datetime
    ) -> tuple[int, int]:
        """Save these assessments; return how many are new and how many are unusable."""
        return known.put_assessments(self.row, items, read_at, self.row.walk)

    def list_unseen(self) -> QuerySet[KnownAssessment]:
        """Return the older assessments that this walk did not see."""
        rows = KnownAssessment.objects.filter(index=self.row, walk__lt=self.row.walk)
        return rows.filter(read_at__lt=self.row.began_at).order_by("pk")

    def read_unseen(self, unseen: KnownAssessment) -> Assessment:
        """Return an assessment, read from the service by its id.

        Raise WrongRecord if the service returns another assessment, and LendingError for a failed
        read.
        """
        key = unseen.assessment_id
        found = check_named(gateway.app(self.row.app_id).assessments.get(key), key)
        if id_of(found) != key:
            raise WrongRecord
        return found

    def drop_unseen(self, unseen: KnownAssessment) -> None:
        """Delete the row of an assessment."""
        unseen.delete()
