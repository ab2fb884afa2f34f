"""Products and assessment types (Spec: Products, Assessment types)."""

from django.http import HttpRequest
from ninja import Query, Router

from lendingadmin.sandbox.api import lists
from lendingadmin.sandbox.api.guard import Bearer, check_project
from lendingadmin.sandbox.api.lists import PageParameters
from lendingadmin.sandbox.catalogue.assessment_types import answer_assessment_types
from lendingadmin.sandbox.catalogue.products import answer_products
from lendingadmin.sandbox.schemas.answers import AssessmentTypePage, ProductPage

router = Router(tags=["catalogue"], by_alias=True)


@router.get(
    "/v1/projects/{project_id}/products", auth=Bearer("products.list"), response=ProductPage
)
def list_products(
    request: HttpRequest, project_id: str, asked: Query[PageParameters]
) -> ProductPage:
    """The project's products, by display priority."""
    check_project(project_id)
    found, token = lists.slice_page(answer_products(), lists.read_listing(request, asked, {}))
    return ProductPage(products=found, next_page_token=token)


@router.get("/v1/assessmentTypes", auth=Bearer("assessmentTypes.list"), response=AssessmentTypePage)
def list_assessment_types(request: HttpRequest, asked: Query[PageParameters]) -> AssessmentTypePage:
    """The service's assessment types."""
    listing = lists.read_listing(request, asked, {})
    found, token = lists.slice_page(answer_assessment_types(), listing)
    return AssessmentTypePage(assessment_types=found, next_page_token=token)
