"""Routes of assessments under /apps/<app>/."""

from django.urls import path

from .views import creating, records

urlpatterns = [
    path("assessments/", records.assessments, name="assessments"),
    path("assessments/new", creating.new, name="assessment-new"),
    path("assessments/<key:assessment_id>/", records.assessment, name="assessment"),
    path("assessments/<key:assessment_id>/status", records.status, name="assessment-status"),
]
