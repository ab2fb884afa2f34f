"""Routes of the loans area, below /apps/<app>/."""

from django.urls import path

from lendingadmin import gateway
from lendingadmin.lending import figures
from lendingadmin.web import beside

from . import outcomes, views, writing

urlpatterns = [
    path("loans/", views.loans, name="loans"),
    path("loans/new", writing.new, name="loan-new"),
    path("loans/<key:account_id>/", views.loan, name="loan"),
    path("loans/<key:account_id>/delete", writing.delete, name="loan-delete"),
]

outcomes.lend_ways()
beside.lend(
    "loans",
    beside.of_list(
        "loans.list",
        lambda app_id: gateway.app(app_id).loans,
        ["accountId", "uid"],
        figures.key_of,
    ),
)
