"""Known assessments: ids, account, type, time and status, without results and names."""

from django.db import models
from django.db.models import F
from django.db.models.functions import Lower

from lendingadmin.core.worker.models import IndexRow

LONGEST_ID = 255
LONGEST_STATUS = 64


class AssessmentIndex(IndexRow):
    """Index of the assessments of one app, and the state of the walk that updates it."""

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["app_id"], name="assessments_one_index_per_app")
        ]

    def __str__(self) -> str:
        return f"assessments-{self.pk}"


class KnownAssessment(models.Model):
    """One assessment, as it was last read. A field is empty if the service gave no valid text.

    `made_at` is the time of creation. If the service does not give this time, `made_at` is the end
    of the assessed data, or else the time of the first reading.
    """

    # Both indexes below begin with this column.
    index = models.ForeignKey(
        AssessmentIndex, on_delete=models.CASCADE, related_name="known_assessments", db_index=False
    )
    # The id for requests: the assessment's id, or else its uid.
    assessment_id = models.CharField(max_length=LONGEST_ID)
    account_id = models.CharField(max_length=LONGEST_ID, blank=True)
    assessment_type = models.CharField(max_length=LONGEST_ID, blank=True)
    made_at = models.DateTimeField()
    status = models.CharField(max_length=LONGEST_STATUS, blank=True)
    read_at = models.DateTimeField()
    # The number of the last walk that saw the assessment; 0 if only a page has read it.
    walk = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["index", "assessment_id"], name="assessment_known_once")
        ]
        indexes = [
            models.Index(
                fields=["index", "account_id", "-made_at", "-id"], name="assessments_of_account"
            ),
            models.Index(F("index"), Lower("assessment_id"), name="assessments_any_case"),
        ]

    def __str__(self) -> str:
        return f"known-assessment-{self.pk}"
