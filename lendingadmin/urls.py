"""Every address of the dashboard. Each view must declare its access (see web/access.py)."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path, register_converter

from lendingadmin.web import health, typed
from lendingadmin.web.glossary import glossary
from lendingadmin.web.keys import KeyConverter

register_converter(KeyConverter, "key")

handler403 = "lendingadmin.web.access.permission_denied"
handler500 = "lendingadmin.web.unavailable.server_error"

urlpatterns = [
    # For whoever watches the process.
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    # People, and what they did.
    path("accounts/", include("lendingadmin.staff.urls")),
    path("admin/", admin.site.urls),
    path("glossary/", glossary, name="glossary"),
    path("audit/", include("lendingadmin.audit.urls")),
    path("typed", typed.typed, name="typed"),
    # The areas, in the order of the rail.
    path("", include("lendingadmin.portfolio.urls")),
    path("", include("lendingadmin.catalogue.urls")),
    path("", include("lendingadmin.exports.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.web.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.finding.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.borrowers.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.offers.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.loans.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.assessments.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.repayments.urls")),
    path("apps/<slug:app_id>/", include("lendingadmin.events.urls")),
]

# For whoever builds the pages. Elsewhere the address does not exist.
if settings.DEBUG:
    urlpatterns.append(path("styleguide/", include("lendingadmin.styleguide.urls")))
