"""Routes of assessments under /apps/<app>/."""

from django.urls import path

from . import views

urlpatterns = [
    path("assessments/", views.assessments, name="assessments"),
    path("assessments/new", views.new, name="assessment-new"),
    path("assessments/<key:assessment_id>/", views.assessment, name="assessment"),
    path("assessments/<key:assessment_id>/status", views.status, name="assessment-status"),
]
