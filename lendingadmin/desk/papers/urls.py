"""Routes of papers under /apps/<app>/."""

from django.urls import path

from . import bulk_views, offer_views, views

_OFFER = "borrowers/<key:borrower_id>/offers/<key:request_id>/"

urlpatterns = [
    path("borrowers/<key:borrower_id>/papers/", views.of_borrower, name="borrower-papers"),
    path("loans/<key:account_id>/papers/", views.of_loan, name="loan-papers"),
    path("papers/", views.without_letter, name="papers"),
    path("papers/bulk/new", bulk_views.new, name="bulk-papers-new"),
    path("papers/bulk/begin", bulk_views.begin, name="bulk-papers-begin"),
    path("papers/bulk/<int:number>/", bulk_views.show, name="bulk-papers"),
    path("papers/bulk/<int:number>/progress", bulk_views.progress, name="bulk-papers-progress"),
    path("papers/bulk/<int:number>/resume", bulk_views.resume, name="bulk-papers-resume"),
    path("papers/bulk/<int:number>/print", bulk_views.print_all, name="bulk-papers-print"),
    path("papers/<int:year>/<int:number>/", views.paper, name="paper"),
    path(_OFFER + "key-facts", offer_views.of_contract, name="key-facts"),
    path(_OFFER + "refusal", offer_views.of_refused_offer, name="offer-refusal"),
    path(
        "assessments/<key:assessment_id>/refusal",
        offer_views.of_assessment,
        name="assessment-refusal",
    ),
]
