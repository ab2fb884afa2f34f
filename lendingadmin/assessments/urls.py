"""Routes of the assessments area, below /apps/<app>/."""

from django.urls import path

from lendingadmin import gateway
from lendingadmin.lending.values import text
from lendingadmin.web import beside

from . import comparing, creating, outcomes, views

urlpatterns = [
    path("assessments/", views.assessments, name="assessments"),
    path("assessments/new", creating.new, name="assessment-new"),
    path("assessments/compare", comparing.compare, name="assessments-compare"),
    path("assessments/<key:assessment_id>/", views.assessment, name="assessment"),
    path("assessments/<key:assessment_id>/status", views.status, name="assessment-status"),
]

outcomes.lend_ways()
beside.lend(
    "assessments",
    beside.of_list(
        "assessments.list",
        lambda app_id: gateway.app(app_id).assessments,
        ["assessmentId", "uid"],
        lambda assessment: text(assessment.assessment_id) or text(assessment.uid),
    ),
)
