"""Addresses of a lender's settings, below /apps/<app>/settings/."""

from django.urls import path

from lendingadmin.office.policies import presets, views

urlpatterns = [
    path("", views.policies, name="policies"),
    path("countries/", presets.presets, name="policy-presets"),
    path("<slug:key>/", views.policy, name="policy"),
    path("<slug:key>/<int:number>/decide", views.decide, name="policy-decide"),
]
