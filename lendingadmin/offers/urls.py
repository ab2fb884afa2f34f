"""Routes of offers, below /apps/<app>/."""

from django.urls import path

from . import opening, outcomes, previews, views

_OFFER = "borrowers/<key:borrower_id>/offers/<key:request_id>/"

urlpatterns = [
    path("borrowers/<key:borrower_id>/offers/", views.of_borrower, name="borrower-offers"),
    path("borrowers/<key:borrower_id>/offers/new", views.new, name="offer-new"),
    path(_OFFER, views.offer, name="offer"),
    path(_OFFER + "status", views.status, name="offer-status"),
    path(_OFFER + "ask", views.ask_again, name="offer-ask"),
    path(_OFFER + "contracts", previews.contracts, name="contracts"),
    path(
        _OFFER + "contracts/<key:product_id>/loan",
        opening.loan,
        name="loan-from-offer",
    ),
]

outcomes.lend_ways()
