"""Products and assessment types (Spec: Products, Assessment types)."""

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router

from lendingadmin.sandbox.api import lists
from lendingadmin.sandbox.api.guard import Bearer, project
from lendingadmin.sandbox.api.lists import PageParameters
from lendingadmin.sandbox.catalogue.assessment_types import (
    ASSESSMENT_TYPES,
    assessment_type_document,
)
from lendingadmin.sandbox.catalogue.products import PRODUCTS, product_document

router = Router(tags=["catalogue"])


@router.get("/v1/projects/{project_id}/products", auth=Bearer("products.list"))
def list_products(
    request: HttpRequest, project_id: str, asked: Query[PageParameters]
) -> HttpResponse:
    """The project's products, by display priority."""
    project(project_id)
    documents = [
        product_document(project_id, priority, product)
        for priority, product in enumerate(PRODUCTS, start=1)
    ]
    return lists.answer("products", *lists.slice_of(documents, lists.listing(request, asked, {})))


@router.get("/v1/assessmentTypes", auth=Bearer("assessmentTypes.list"))
def list_assessment_types(request: HttpRequest, asked: Query[PageParameters]) -> HttpResponse:
    """The service's assessment types."""
    documents = [assessment_type_document(kind) for kind in ASSESSMENT_TYPES]
    return lists.answer(
        "assessmentTypes", *lists.slice_of(documents, lists.listing(request, asked, {}))
    )
