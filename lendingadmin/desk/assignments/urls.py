"""Routes of assignments under /apps/<app>/."""

from django.urls import path

from .views import bulk, hand_overs, officers, rules

_AREA = "collections/assignments/"
_RULES = f"{_AREA}rules/"

urlpatterns = [
    path(_AREA, officers.overview, name="assignments"),
    path(f"{_AREA}officers/<int:number>/", officers.borrowers, name="officer-borrowers"),
    path(f"{_AREA}borrowers/<key:borrower_id>/", officers.change, name="officer-change"),
    path(f"{_AREA}hand-overs/", hand_overs.hand_overs, name="hand-overs"),
    path(f"{_AREA}hand-overs/<int:number>/end", hand_overs.end, name="hand-over-end"),
    path(f"{_AREA}lists/new", bulk.new, name="bulk-assignment-new"),
    path(f"{_AREA}lists/<int:number>/", bulk.show, name="bulk-assignment"),
    path(_RULES, rules.edit, name="assignment-rules"),
    path(f"{_RULES}<int:number>/", rules.show, name="assignment-rule-set"),
]
