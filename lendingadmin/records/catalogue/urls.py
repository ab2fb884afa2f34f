"""Routes of the catalogue: products of the project, assessment types of the service."""

from django.urls import path

from . import views

urlpatterns = [
    path("products/", views.products, name="products"),
    path("products/<key:product_id>/", views.product, name="product"),
    path("assessment-types/", views.assessment_types, name="assessment-types"),
    path("assessment-types/<key:type_id>/", views.assessment_type, name="assessment-type"),
]
