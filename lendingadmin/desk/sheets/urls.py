"""Routes of collection sheets under /apps/<app>/."""

from django.urls import path

from .views import making, records, returning

urlpatterns = [
    path("sheets/", records.sheets, name="sheets"),
    path("sheets/new", making.new, name="sheet-new"),
    path("sheets/<slug:code>/", records.sheet, name="sheet"),
    path("sheets/<slug:code>/print", making.print_sheet, name="sheet-print"),
    path("sheets/<slug:code>/return", returning.give_back, name="sheet-return"),
    path("sheets/<slug:code>/cancel", records.cancel, name="sheet-cancel"),
]
