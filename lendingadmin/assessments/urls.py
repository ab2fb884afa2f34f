"""Routes of the assessments area, below /apps/<app>/."""

from django.urls import path

from . import comparing, creating, views

urlpatterns = [
    path("assessments/", views.assessments, name="assessments"),
    path("assessments/new", creating.new, name="assessment-new"),
    path("assessments/compare", comparing.compare, name="assessments-compare"),
    path("assessments/<key:assessment_id>/", views.assessment, name="assessment"),
    path("assessments/<key:assessment_id>/status", views.status, name="assessment-status"),
]
