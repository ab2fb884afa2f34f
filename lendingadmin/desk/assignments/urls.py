"""Routes of assignments under /apps/<app>/."""

from django.urls import path

from . import views

_AREA = "collections/assignments/"
_RULES = f"{_AREA}rules/"

urlpatterns = [
    path(_AREA, views.overview, name="assignments"),
    path(f"{_AREA}officers/<int:number>/", views.borrowers, name="officer-borrowers"),
    path(f"{_AREA}borrowers/<key:borrower_id>/", views.change, name="officer-change"),
    path(f"{_AREA}hand-overs/", views.hand_overs, name="hand-overs"),
    path(f"{_AREA}hand-overs/<int:number>/end", views.end_hand_over, name="hand-over-end"),
    path(f"{_AREA}lists/new", views.assign_list, name="bulk-assignment-new"),
    path(f"{_AREA}lists/<int:number>/", views.show_assigned, name="bulk-assignment"),
    path(_RULES, views.edit_rules, name="assignment-rules"),
    path(f"{_RULES}<int:number>/", views.show_rules, name="assignment-rule-set"),
]
