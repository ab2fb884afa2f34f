"""Addresses of the audit trail."""

from django.urls import path

from lendingadmin.office.audit import views

urlpatterns = [
    path("", views.entries, name="audit"),
]
