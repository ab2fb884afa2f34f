"""Every address of the dashboard. Each view must declare its access (see web/access.py)."""

from django.conf import settings
from django.urls import include, path

from lendingadmin.office.staff.urls import people_patterns
from lendingadmin.web import views

handler403 = "lendingadmin.web.access.permission_denied"
handler500 = "lendingadmin.web.unavailable.server_error"

urlpatterns = [
    # For monitors.
    path("healthz", views.alive, name="healthz"),
    path("readyz", views.ready, name="readyz"),
    path("metrics", views.metrics, name="metrics"),
    # People, the glossary, the audit trail and settings.
    path("accounts/", include("lendingadmin.office.staff.urls")),
    path("people/", include(people_patterns)),
    path("glossary/", views.glossary, name="glossary"),
    path("audit/", include("lendingadmin.office.audit.urls")),
    path("apps/<slug:app_id>/settings/", include("lendingadmin.office.policies.urls")),
    # The areas, in the order of the sidebar.
    path("", include("lendingadmin.desk.portfolio.urls")),
    path("", include("lendingadmin.records.catalogue.urls")),
    path("", include("lendingadmin.records.exports.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.money.writes.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.people.search.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.records.borrowers.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.records.offers.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.records.loans.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.records.assessments.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.money.repayments.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.records.events.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.desk.statements.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.records.notes.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.records.timeline.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.desk.assignments.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.desk.collections.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.desk.sheets.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.desk.papers.urls")),
]

if settings.DEMO:
    urlpatterns.append(path("", include("lendingadmin.demo.urls")))
    # For developers.
    urlpatterns.append(path("styleguide/", include("lendingadmin.styleguide.urls")))
