"""Address of the styleguide. lendingadmin/urls.py has this address only in the demo."""

from django.urls import path

from . import views

urlpatterns = [path("", views.guide, name="styleguide")]
