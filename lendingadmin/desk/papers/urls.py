"""Routes of papers, below /apps/<app>/."""

from django.urls import path

from . import views

urlpatterns = [
    path("borrowers/<key:borrower_id>/papers/", views.of_borrower, name="borrower-papers"),
    path("loans/<key:account_id>/papers/", views.of_loan, name="loan-papers"),
    path("papers/", views.without_letter, name="papers"),
    path("papers/<int:year>/<int:number>/", views.paper, name="paper"),
]
