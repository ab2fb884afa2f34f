"""Routes of the timelines, below /apps/<app>/."""

from django.urls import path

from . import views

urlpatterns = [
    path("borrowers/<key:borrower_id>/timeline/", views.of_borrower, name="borrower-timeline"),
    path("loans/<key:account_id>/timeline/", views.of_loan, name="loan-timeline"),
]
