"""Routes of the borrowers area, below /apps/<app>/."""

from django.urls import path

from . import views

urlpatterns = [
    path("borrowers/", views.borrowers, name="borrowers"),
    path("borrowers/<key:borrower_id>/", views.borrower, name="borrower"),
    path("borrowers/<key:borrower_id>/name", views.name, name="borrower-name"),
]
