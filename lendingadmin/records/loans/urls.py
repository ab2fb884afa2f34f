"""Routes of loans under /apps/<app>/."""

from django.urls import path

from . import views

urlpatterns = [
    path("loans/", views.loans, name="loans"),
    path("loans/new", views.new, name="loan-new"),
    path("loans/<key:account_id>/", views.loan, name="loan"),
    path("loans/<key:account_id>/delete", views.delete, name="loan-delete"),
]
