"""Routes of loans under /apps/<app>/."""

from django.urls import path

from .views import records, writing

urlpatterns = [
    path("loans/", records.loans, name="loans"),
    path("loans/new", writing.new, name="loan-new"),
    path("loans/<key:account_id>/", records.loan, name="loan"),
    path("loans/<key:account_id>/delete", writing.delete, name="loan-delete"),
]
