"""Every address of the dashboard. Each view must declare its access (see ui/access.py)."""

from django.conf import settings
from django.urls import include, path

from lendingadmin.staff.urls import people_patterns
from lendingadmin.ui import views

handler403 = "lendingadmin.ui.access.permission_denied"
handler500 = "lendingadmin.ui.unavailable.server_error"

urlpatterns = [
    # For monitors.
    path("healthz", views.alive, name="healthz"),
    path("readyz", views.ready, name="readyz"),
    path("metrics", views.metrics, name="metrics"),
    # People, and what they did.
    path("accounts/", include("lendingadmin.staff.urls")),
    path("people/", include(people_patterns)),
    path("glossary/", views.glossary, name="glossary"),
    path("audit/", include("lendingadmin.audit.urls")),
    # The areas, in the order of the sidebar.
    path("", include("lendingadmin.portfolio.urls")),
    path("", include("lendingadmin.catalogue.urls")),
    path("", include("lendingadmin.exports.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.writes.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.search.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.borrowers.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.offers.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.loans.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.assessments.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.repayments.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.events.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.statements.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.notes.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.timeline.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.assignments.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.collections.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.sheets.urls")),
]

# For developers. Without DEBUG the address does not exist.
if settings.DEBUG:
    urlpatterns.append(path("styleguide/", include("lendingadmin.styleguide.urls")))
