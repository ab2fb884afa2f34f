"""The dashboard before a service whose assessments a test decides."""

from lendingadmin.core.caching import shared
from lendingadmin.records.assessments import tasks
from lendingadmin.records.assessments.models import AssessmentIndex
from lendingadmin.records.assessments.walk import AssessmentWalk
from tests.faults.server import FaultServer

from .service import AssessmentService, assessment

APP = "kenya"


def make_service(server: FaultServer) -> AssessmentService:
    """Five assessments of five borrowers, in pages of two; what was read of others is forgotten."""
    shared.clear()
    return AssessmentService(server, [assessment(number, f"B-{number}") for number in range(5)])


def walked() -> AssessmentIndex:
    """Walk through `kenya` here and now, without a worker."""
    index = tasks.start(APP)
    assert index is not None
    while AssessmentWalk.run_slice(index.pk) is not None:
        pass
    index.refresh_from_db()
    return index
