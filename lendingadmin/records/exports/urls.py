"""Routes of the exports: `<list>-export` beside each list of the service."""

from django.urls import path

from . import views

urlpatterns = [
    path("apps/<slug:app_id>/borrowers/export.csv", views.borrowers, name="borrowers-export"),
    path("apps/<slug:app_id>/loans/export.csv", views.loans, name="loans-export"),
    path("apps/<slug:app_id>/assessments/export.csv", views.assessments, name="assessments-export"),
    path("products/export.csv", views.products, name="products-export"),
    path("assessment-types/export.csv", views.assessment_types, name="assessment-types-export"),
]
