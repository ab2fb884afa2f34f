"""Assessments (Spec: Assessments)."""

from django.http import HttpRequest
from ninja import Query, Router

from lendingadmin.sandbox import clock
from lendingadmin.sandbox.api import lists
from lendingadmin.sandbox.api.guard import Bearer, check_app
from lendingadmin.sandbox.api.lists import PageParameters
from lendingadmin.sandbox.models import Assessment
from lendingadmin.sandbox.schemas.answers import AnsweredAssessment, AssessmentPage, Error
from lendingadmin.sandbox.schemas.inputs import NewAssessment
from lendingadmin.sandbox.store import assessments

router = Router(tags=["assessments"], by_alias=True)
MANY = "/v1/projects/{project_id}/apps/{app_id}/assessments"
ONE = MANY + "/{assessment_id}"


@router.get(MANY, auth=Bearer("assessments.list"), response=AssessmentPage)
def list_assessments(
    request: HttpRequest, project_id: str, app_id: str, asked: Query[PageParameters]
) -> AssessmentPage:
    """Assessments of the app, oldest first."""
    now = clock.now()
    rows = Assessment.objects.filter(app_id=check_app(project_id, app_id))
    found, token = lists.read_page(rows, lists.read_listing(request, asked, {}))
    answered = [assessments.answer_assessment(one, now) for one in found]
    return AssessmentPage(assessments=answered, next_page_token=token)


@router.post(
    MANY,
    auth=Bearer("assessments.create"),
    response={200: AnsweredAssessment, (409, 422): Error},
)
def create_assessment(
    request: HttpRequest, project_id: str, app_id: str, sent: NewAssessment
) -> AnsweredAssessment:
    """Start an assessment of an account; the result can be read after its processing time."""
    now = clock.now()
    check_app(project_id, app_id)
    made = assessments.create(app_id, sent.account_id, sent.assessment_type, sent.timestamp, now)
    return assessments.answer_assessment(made, now)


@router.get(ONE, auth=Bearer("assessments.get"), response=AnsweredAssessment)
def get_assessment(
    request: HttpRequest, project_id: str, app_id: str, assessment_id: str
) -> AnsweredAssessment:
    """Return one assessment, by assessmentId or uid."""
    found = assessments.get_assessment(check_app(project_id, app_id), assessment_id)
    return assessments.answer_assessment(found, clock.now())
