"""Routes of the borrowers area, below /apps/<app>/."""

from django.urls import path, reverse

from lendingadmin import gateway
from lendingadmin.lending.values import text
from lendingadmin.web import beside

from . import adding, editing, outcomes, panels, views

_ONE = "borrowers/<key:borrower_id>/"

urlpatterns = [
    path("borrowers/", views.borrowers, name="borrowers"),
    path("borrowers/new", adding.new, name="borrower-new"),
    path(_ONE, views.borrower, name="borrower"),
    path(f"{_ONE}name", views.name, name="borrower-name"),
    path(f"{_ONE}edit", editing.edit, name="borrower-edit"),
    path(f"{_ONE}edit/<str:form>", editing.confirm, name="borrower-edit-confirm"),
    path(f"{_ONE}delete", adding.delete, name="borrower-delete"),
    # The panels of the page, each by itself.
    path(f"{_ONE}panels/record", views.record_panel, name="borrower-record"),
    path(f"{_ONE}panels/loans", views.loans_panel, name="borrower-loans"),
    path(f"{_ONE}panels/assessments", views.assessments_panel, name="borrower-assessments"),
    path(f"{_ONE}panels/events", views.events_panel, name="borrower-events"),
    path(f"{_ONE}panels/history", views.history_panel, name="borrower-history"),
]

outcomes.lend_ways()
beside.lend(
    "borrowers",
    beside.of_list(
        "borrowers.list",
        lambda app_id: gateway.app(app_id).borrowers,
        ["borrowerId"],
        lambda borrower: text(borrower.borrower_id),
    ),
)
beside.lend(
    "borrower-loans",
    panels.beside_loan,
    back=lambda kwargs: f"{reverse('borrower', kwargs=kwargs)}#panel-loans",
)
