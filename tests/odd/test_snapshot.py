"""Whatever stands in a loan of the service's list, the book is counted and its pages are whole."""

from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from lendingadmin.desk.portfolio import snapshot_job, tasks
from lendingadmin.desk.portfolio.figures import Figures
from lendingadmin.desk.portfolio.loan_list_form import list_figures
from lendingadmin.desk.portfolio.models import Snapshot
from lendingadmin.desk.portfolio.reading import KEYS
from tests.odd.pages import check
from tests.odd.service import OddService
from tests.odd.variants import Place, good, odd, places, variants

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("offer")]

READ = [place for place in places("Loan") if not place.path or place.path[0] in KEYS]


@pytest.mark.parametrize("place", READ, ids=lambda place: place.name)
def test_no_odd_value_breaks_the_counting(desk: Client, service: OddService, place: Place) -> None:
    items = [odd(place, name) for name in variants(place)]
    for number, item in enumerate(items):
        if isinstance(item, dict) and item.get("accountId") == "L-1":
            item["accountId"] = f"L-{number}"
    service.list("Loan", [*items, good("Loan")])
    row = tasks.start("kenya", None)
    assert row is not None
    assert snapshot_job.CountWalk.run_slice(row.pk) is None
    row.refresh_from_db()
    assert row.state == Snapshot.State.DONE, row.why
    assert row.loans_read >= 1
    check(desk, "/apps/kenya/", {200}, place.name)
    figures = Figures.from_json(row.figures)
    for show in list_figures(figures):
        address = reverse("loan-list", args=["kenya"])
        answer = desk.get(address, {"show": show, "count": row.pk})
        assert (answer.status_code, answer.context["found"].wanted["show"]) == (200, show)
        assert "<script>x" not in answer.content.decode()
    told = [x.outstanding for x in row.loans.filter(is_open=True) if x.outstanding is not None]
    assert sum(told, Decimal(0)) == figures.sums["outstanding"].amount
