"""The catalogue: lending products and assessment types, which belong to no app."""

from itertools import islice

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone

from lendingadmin import gateway
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.values import Product, each
from lendingadmin.web.access import access
from lendingadmin.web.lists import read_page
from lendingadmin.web.requests import PersonRequest

from . import words

# Products are listed, never got by id (Spec: Products): one is looked for among this many.
_AT_MOST = 5000


@access("lending.products.list")
def products(request: PersonRequest) -> HttpResponse:
    """The products of the project; the spec shows no filter for them."""
    listing = read_page(request, OPERATIONS["products.list"], gateway.client().products.list)
    context = {"list": listing, "zone": settings.LENDING_APPS[0].zone}
    return render(request, "catalogue/products.html", context)


@access("lending.products.list")
def product(request: PersonRequest, product_id: str) -> HttpResponse:
    """One product, by its `productId` or `uid`: every term and charge in words."""
    listed = each(islice(gateway.client().products.iterate(), _AT_MOST))
    found = _of(listed, product_id)
    context = {
        "product": found,
        "product_id": product_id,
        "terms": words.terms(found) if found else [],
        "charges": words.charges(found) if found else [],
        "others": words.others(found) if found else [],
        "read_at": timezone.now(),
        "zone": settings.LENDING_APPS[0].zone,
    }
    return render(request, "catalogue/product.html", context, status=200 if found else 404)


def _of(listed: tuple[Product, ...], key: str) -> Product | None:
    """The product of that id: a productId wins over another product's uid."""
    by_id = (one for one in listed if str(one.product_id) == key)
    by_uid = (one for one in listed if one.uid == key)
    return next(by_id, None) or next(by_uid, None)


@access("lending.assessmentTypes.list")
def assessment_types(request: PersonRequest) -> HttpResponse:
    """The assessment types of the service, with what each is limited to in words."""
    listing = read_page(
        request, OPERATIONS["assessmentTypes.list"], gateway.client().assessment_types.list
    )
    context = {"list": listing, "zone": settings.LENDING_APPS[0].zone}
    return render(request, "catalogue/assessment_types.html", context)
