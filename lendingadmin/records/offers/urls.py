"""Routes of offers under /apps/<app>/."""

from django.urls import path

from .views import contracts, offers, opening

_OFFER = "borrowers/<key:borrower_id>/offers/<key:request_id>/"

urlpatterns = [
    path("borrowers/<key:borrower_id>/offers/", offers.of_borrower, name="borrower-offers"),
    path("borrowers/<key:borrower_id>/offers/new", offers.new, name="offer-new"),
    path(_OFFER, offers.offer, name="offer"),
    path(_OFFER + "status", offers.status, name="offer-status"),
    path(_OFFER + "ask", offers.ask_again, name="offer-ask"),
    path(_OFFER + "contracts", contracts.contracts, name="contracts"),
    path(
        _OFFER + "contracts/<key:product_id>/loan",
        opening.loan,
        name="loan-from-offer",
    ),
]
