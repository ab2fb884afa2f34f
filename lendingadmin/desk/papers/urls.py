"""Routes of papers, below /apps/<app>/."""

from django.urls import path

from . import offer_views, views

_OFFER = "borrowers/<key:borrower_id>/offers/<key:request_id>/"

urlpatterns = [
    path("borrowers/<key:borrower_id>/papers/", views.of_borrower, name="borrower-papers"),
    path("loans/<key:account_id>/papers/", views.of_loan, name="loan-papers"),
    path("papers/", views.without_letter, name="papers"),
    path("papers/<int:year>/<int:number>/", views.paper, name="paper"),
    path(_OFFER + "key-facts", offer_views.of_contract, name="key-facts"),
    path(_OFFER + "refusal", offer_views.of_refused_offer, name="offer-refusal"),
    path(
        "assessments/<key:assessment_id>/refusal",
        offer_views.of_assessment,
        name="assessment-refusal",
    ),
]
