"""Assessments. They are computed when they are created, and shown after a processing time.

Spec: Assessment.
"""

import hashlib
from datetime import datetime, timedelta
from uuid import uuid4

from django.conf import settings

from lendingadmin.sandbox.catalogue.assessment_types import (
    DEPRECATED,
    AssessmentType,
    find_assessment_type,
)
from lendingadmin.sandbox.models import Assessment
from lendingadmin.sandbox.rules import evidence, scoring
from lendingadmin.sandbox.rules.events import check_past
from lendingadmin.sandbox.rules.ids import write_name
from lendingadmin.sandbox.rules.instants import write_timestamp
from lendingadmin.sandbox.rules.invalid import AlreadyExists, Invalid, NotFound, RuleBroken
from lendingadmin.sandbox.rules.status import find_processing
from lendingadmin.sandbox.schemas.answers import AnsweredAssessment, AssessmentOutcome
from lendingadmin.sandbox.store import borrowers
from lendingadmin.sandbox.store.encryption import encrypt
from lendingadmin.sandbox.store.evidence import gather
from lendingadmin.sandbox.store.loans import APP_VERSION, find_by_uid
from lendingadmin.sandbox.store.writing import write


def create(
    app_id: str,
    account_id: str,
    assessment_type: str,
    timestamp: datetime,
    now: datetime,
    request_id: str | None = None,
) -> Assessment:
    """Create an assessment of an account from stored data of the time until `timestamp`.

    `assessment_type` is a full name. `request_id` is the requestId if getOffers needs the
    assessment. Raise Invalid for an unknown account or type and for a timestamp in the future,
    RuleBroken for an account or type that can't be used, and AlreadyExists.
    """
    kind = _find_type(assessment_type)
    check_past(timestamp, now, "timestamp")
    key = _build_id(app_id, account_id, assessment_type, timestamp, request_id)
    with write():
        borrower = borrowers.find_holder(app_id, account_id)
        if borrower.category not in kind.categories:
            raise RuleBroken(f"{assessment_type} does not assess a {borrower.category}")
        if Assessment.objects.filter(app_id=app_id, assessment_id=key).exists():
            raise AlreadyExists(
                "An assessment of this accountId, assessmentType and timestamp already exists"
            )
        facts = gather(borrower, evidence.build_window(timestamp, kind.period_days))
        outcome = scoring.assess(facts, kind.category)
        return Assessment.objects.create(
            app_id=app_id,
            assessment_id=key,
            uid=uuid4(),
            account_id=account_id,
            assessment_type=assessment_type,
            timestamp=timestamp,
            request_id=request_id,
            app_version_id=APP_VERSION,
            encrypted=encrypt(outcome._asdict()),
            ready_at=now + timedelta(seconds=settings.SANDBOX_PROCESSING_SECONDS),
            created_at=now,
        )


def get_assessment(app_id: str, key: str) -> Assessment:
    """Return the assessment with this assessmentId, or else with this uid. May raise NotFound."""
    rows = Assessment.objects.filter(app_id=app_id)
    assessment = rows.filter(assessment_id=key).first() or find_by_uid(rows, key)
    if assessment is None:
        raise NotFound(f"Assessment {key}")
    return assessment


def answer_assessment(assessment: Assessment, now: datetime) -> AnsweredAssessment:
    """Return the answer for an assessment, with its state at `now`."""
    outcome = assessment.outcome_at(now)
    failed = outcome is not None and outcome.type == scoring.INVALID
    return AnsweredAssessment.read(
        assessment,
        name=write_name(assessment.app_id, "assessments", assessment.assessment_id),
        status=find_processing(assessment.ready_at, failed, now),
        result=None if outcome is None else AssessmentOutcome.read(outcome),
    )


def _find_type(name: str) -> AssessmentType:
    kind = find_assessment_type(name)
    if kind is None:
        raise Invalid("assessmentType", f"{name} does not exist; give a full name of the list")
    if kind.status == DEPRECATED:
        raise RuleBroken(f"{name} is deprecated and takes no new assessments")
    return kind


def _build_id(
    app_id: str, account_id: str, kind: str, timestamp: datetime, request_id: str | None
) -> str:
    parts = "\n".join((app_id, account_id, kind, write_timestamp(timestamp), request_id or ""))
    return f"as-{hashlib.sha256(parts.encode()).hexdigest()[:24]}"
