"""Assessments (Spec: Assessments)."""

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from lendingadmin.sandbox import clock
from lendingadmin.sandbox.api import lists
from lendingadmin.sandbox.api.errors import Refusal, not_found
from lendingadmin.sandbox.api.event_inputs import NewAssessment
from lendingadmin.sandbox.api.guard import Bearer, app_of
from lendingadmin.sandbox.api.lists import PageParameters
from lendingadmin.sandbox.models import Assessment
from lendingadmin.sandbox.store import assessments

router = Router(tags=["assessments"])
MANY = "/v1/projects/{project_id}/apps/{app_id}/assessments"
ONE = MANY + "/{assessment_id}"


@router.get(MANY, auth=Bearer("assessments.list"))
def list_assessments(
    request: HttpRequest, project_id: str, app_id: str, asked: Query[PageParameters]
) -> HttpResponse:
    """Assessments of the app, oldest first."""
    now = clock.now()
    rows = Assessment.objects.filter(app_id=app_of(project_id, app_id))
    found, token = lists.page(rows, lists.listing(request, asked, {}))
    documents = [assessments.document(project_id, one, now) for one in found]
    return lists.answer("assessments", documents, token)


@router.post(MANY, auth=Bearer("assessments.create"))
def create_assessment(
    request: HttpRequest, project_id: str, app_id: str, sent: NewAssessment
) -> HttpResponse:
    """Have an account assessed; the result can be read once its time has come."""
    now = clock.now()
    app_of(project_id, app_id)
    try:
        made = assessments.create(
            app_id, sent.account_id, sent.assessment_type, sent.timestamp, now
        )
    except assessments.AssessmentExists:
        raise Refusal(
            409, "An assessment of this accountId, assessmentType and timestamp already exists"
        ) from None
    return lists.json(assessments.document(project_id, made, now))


@router.get(ONE, auth=Bearer("assessments.get"))
def get_assessment(
    request: HttpRequest, project_id: str, app_id: str, assessment_id: str
) -> HttpResponse:
    """One assessment, by assessmentId or uid."""
    found = assessments.find(app_of(project_id, app_id), assessment_id)
    if found is None:
        raise not_found(f"Assessment {assessment_id}")
    return lists.json(assessments.document(project_id, found, clock.now()))
