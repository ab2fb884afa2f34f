"""The catalogue: lists and pages of the project's products and the service's assessment types."""

from collections.abc import Iterator
from typing import TypeVar

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone

from lendingadmin.core import gateway
from lendingadmin.lending.errors import UnfinishedList
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.pages import Page, search
from lendingadmin.lending.values import AssessmentType, Product
from lendingadmin.web.access import access
from lendingadmin.web.display.technical import list_places, list_technical
from lendingadmin.web.lists import read_page
from lendingadmin.web.middleware import fault
from lendingadmin.web.requests import PersonRequest

from . import words

Entry = TypeVar("Entry", Product, AssessmentType)

# The service can't read a product or type by id (Spec: Products, Assessment types). So it is
# searched among at most this number of items.
_AT_MOST = 5000
# The places that templates/catalogue/product.html shows. The page shows all content of terms and
# charges in words.
_OF_PRODUCT = list_places("", "productId productType status displayName displayPriority skuId") | (
    list_places("", "description createdAt terms labels charges")
)
# The places that templates/catalogue/assessment_type.html shows.
_OF_TYPE = (
    list_places("", "assessmentTypeId category period status displayName description createdAt")
    | list_places("settings.apps", "channels platforms")
    | list_places("settings.accounts", "categories accountTypes")
)


@access("lending.products.list")
def products(request: PersonRequest) -> HttpResponse:
    """Show the products of the project; the spec shows no filter for this list."""
    listing = read_page(request, OPERATIONS["products.list"], gateway.client().products.list)
    return render(request, "catalogue/products.html", {"list": listing})


@access("lending.products.list")
def product(request: PersonRequest, product_id: str) -> HttpResponse:
    """Show one product, by its `productId` or `uid`, with every term and charge in words.

    Return 404 if the service lists no such product. Return an error page if the list was not read
    to its end. Raise LendingError for a failed read.
    """
    try:
        found = _of(gateway.client().products.pages(), product_id)
    except UnfinishedList as error:
        return fault(request, error, further=reverse("products"))
    context = {
        "product": found,
        "product_id": product_id,
        "terms": words.terms(found) if found else [],
        "charges": words.charges(found) if found else [],
        "labels": words.list_labels(found) if found else [],
        "technical": list_technical(found, _OF_PRODUCT) if found else [],
        "read_at": timezone.now(),
        "zone": settings.LENDING_APPS[0].zone,
    }
    return render(request, "catalogue/product.html", context, status=200 if found else 404)


def _of(pages: Iterator[Page[Entry]], key: str) -> Entry | None:
    """Return the entry with this id, or None if the complete list has no such entry.

    If the id of one entry is also the uid of another, return the entry with this id.

    Raise UnfinishedList if no entry on the read pages has the id and the list may be longer.
    """
    by_uid: list[Entry] = []

    def is_wanted(one: Entry) -> bool:
        if one.uid == key:
            by_uid.append(one)
        return bool(getattr(one, str(one.id_field)) == key)

    result = search(pages, is_wanted, _AT_MOST)
    found = result.found or next(iter(by_uid), None)
    if found is None and not result.whole:
        raise UnfinishedList(f"“{key}” is not in the part of the list that was read.")
    return found


@access("lending.assessmentTypes.list")
def assessment_types(request: PersonRequest) -> HttpResponse:
    """Show the assessment types of the service, with their limits in words."""
    listing = read_page(
        request, OPERATIONS["assessmentTypes.list"], gateway.client().assessment_types.list
    )
    return render(request, "catalogue/assessment_types.html", {"list": listing})


@access("lending.assessmentTypes.list")
def assessment_type(request: PersonRequest, type_id: str) -> HttpResponse:
    """Show one assessment type, by its `assessmentTypeId` or `uid`.

    The page shows the apps and accounts of the type, and its status. Return 404 if the service
    lists no such type. Return an error page if the list was not read to its end. Raise LendingError
    for a failed read.
    """
    try:
        found = _of(gateway.client().assessment_types.pages(), type_id)
    except UnfinishedList as error:
        return fault(request, error, further=reverse("assessment-types"))
    context = {
        "kind": found,
        "type_id": type_id,
        "technical": list_technical(found, _OF_TYPE) if found else [],
        "apps": request.user.list_apps_with("lending.assessments.create"),
        "read_at": timezone.now(),
        "zone": settings.LENDING_APPS[0].zone,
    }
    status = 200 if found else 404
    return render(request, "catalogue/assessment_type.html", context, status=status)
