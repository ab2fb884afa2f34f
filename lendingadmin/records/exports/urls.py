"""Routes of the exports: `<list>-export` next to each list of the service."""

from django.urls import path

from .views import export

borrowers = export("borrowers.list", "borrowers")
loans = export("loans.list", "loans")
assessments = export("assessments.list", "assessments")
products = export("products.list", "products")
types = export("assessmentTypes.list", "assessment_types")

urlpatterns = [
    path("apps/<slug:app_id>/borrowers/export.csv", borrowers, name="borrowers-export"),
    path("apps/<slug:app_id>/loans/export.csv", loans, name="loans-export"),
    path("apps/<slug:app_id>/assessments/export.csv", assessments, name="assessments-export"),
    path("products/export.csv", products, name="products-export"),
    path("assessment-types/export.csv", types, name="assessment-types-export"),
]
