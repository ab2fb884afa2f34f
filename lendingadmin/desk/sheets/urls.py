"""Routes of collection sheets under /apps/<app>/."""

from django.urls import path

from . import views

urlpatterns = [
    path("sheets/", views.sheets, name="sheets"),
    path("sheets/new", views.new, name="sheet-new"),
    path("sheets/<slug:code>/", views.sheet, name="sheet"),
    path("sheets/<slug:code>/print", views.print_sheet, name="sheet-print"),
    path("sheets/<slug:code>/return", views.give_back, name="sheet-return"),
    path("sheets/<slug:code>/cancel", views.cancel, name="sheet-cancel"),
]
