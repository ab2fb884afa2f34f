"""A page of all the terms that explain themselves on other pages."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from lendingadmin.display.glossary import TERMS

from .access import signed_in


@signed_in()
def glossary(request: HttpRequest) -> HttpResponse:
    """The glossary, by the alphabet."""
    terms = sorted(TERMS.items(), key=lambda term: term[0].casefold())
    return render(request, "glossary.html", {"terms": terms})
