"""Routes of borrowers under /apps/<app>/."""

from django.urls import path

from .views import adding, editing, kept, records

_ONE = "borrowers/<key:borrower_id>/"

urlpatterns = [
    path("borrowers/", records.borrowers, name="borrowers"),
    path("borrowers/new", adding.new, name="borrower-new"),
    path("borrowers/used-values", adding.used_values, name="borrower-used-values"),
    path(_ONE, records.borrower, name="borrower"),
    path(f"{_ONE}name", records.name, name="borrower-name"),
    path(f"{_ONE}revealed", records.reveal, name="borrower-reveal"),
    path(f"{_ONE}edit", editing.edit, name="borrower-edit"),
    path(f"{_ONE}edit/<str:form>", editing.confirm, name="borrower-edit-confirm"),
    path(f"{_ONE}delete", adding.delete, name="borrower-delete"),
    path(f"{_ONE}kept.json", kept.export_kept, name="borrower-kept"),
    # The separate panels of the page.
    path(f"{_ONE}panels/record", records.record_panel, name="borrower-record"),
    path(f"{_ONE}panels/loans", records.loans_panel, name="borrower-loans"),
    path(f"{_ONE}panels/assessments", records.assessments_panel, name="borrower-assessments"),
    path(f"{_ONE}panels/events", records.events_panel, name="borrower-events"),
]
