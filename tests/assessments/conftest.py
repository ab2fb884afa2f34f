"""The dashboard before a service whose assessments a test decides."""

from typing import Any

import pytest

from lendingadmin.core.caching import shared
from lendingadmin.records.assessments import tasks
from lendingadmin.records.assessments.models import AssessmentIndex
from lendingadmin.records.assessments.walk import AssessmentWalk
from tests.faults.server import FaultServer

from .service import AssessmentService, assessment

APP = "kenya"


@pytest.fixture
def service(fault_server: FaultServer, settings: Any) -> AssessmentService:
    """Five assessments of five borrowers, in pages of two; what was read of others is forgotten."""
    shared.clear()
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    settings.LENDING_APPS = tuple(app for app in settings.LENDING_APPS if app.app_id == APP)
    found = [assessment(number, f"B-{number}") for number in range(5)]
    return AssessmentService(fault_server, found)


def walked() -> AssessmentIndex:
    """Walk through `kenya` here and now, without a worker."""
    index = tasks.start(APP)
    assert index is not None
    while AssessmentWalk.run_slice(index.pk) is not None:
        pass
    index.refresh_from_db()
    return index
