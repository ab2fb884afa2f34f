"""Counts made while the figures had another meaning: not shown, counted again at once."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from lendingadmin.desk.portfolio import snapshot_job, tasks
from lendingadmin.desk.portfolio.models import Snapshot
from tests.portfolio.conftest import HOME, LISTS, counted, mark, read_page, read_summary, words
from tests.portfolio.service import BookService


def make_older(row: Snapshot) -> Snapshot:
    """As a count of before: figures of another meaning, and of no loan is known if it was open."""
    figures = {"day": "2026-11-20", "untold": {}, "months": {}, "performance": {}, "sums": {}}
    row.loans.update(is_open=False)
    Snapshot.objects.filter(pk=row.pk).update(figures=figures, figures_version=1)
    row.refresh_from_db()
    return row


@pytest.mark.django_db
def test_figures_of_an_older_version_are_not_shown(desk: Client, service: BookService) -> None:
    old = make_older(counted())
    html = read_page(desk)
    assert mark("older") in html and f'action="{HOME}book/count"' in html
    assert 'id="par-title"' not in html
    answer = desk.get(LISTS, {"show": "figure-overdue", "count": old.pk})
    assert answer.status_code == 404
    assert "portfolio/gone.html" in [one.name for one in answer.templates]


@pytest.mark.django_db
def test_trends_draw_no_figures_of_an_older_version(desk: Client, service: BookService) -> None:
    olds = [make_older(counted()) for _ in range(2)]
    row = counted()
    html = read_page(desk)
    assert "2 older updates are not shown" in words(html)
    assert html.count(mark("first")) == 3
    assert not [old.pk for old in olds if f"count={old.pk}" in html]
    # What was paid since is known all the same: it is of every loan in both versions.
    assert row.previous == olds[-1]
    paid = read_summary(desk).tiles[2]
    assert (paid.amount, paid.untold) == (0, 0) and "KES 0.00 on 0 loans" in words(html)


@pytest.mark.django_db
def test_the_portfolio_is_counted_at_once_when_its_figures_have_a_new_meaning(
    service: BookService, settings: Any
) -> None:
    settings.SNAPSHOT_EVERY = timedelta(hours=6)
    settings.LENDING_APPS = settings.LENDING_APPS[:1]
    row = counted()
    tasks.beat()
    assert Snapshot.objects.count() == 1
    make_older(row)
    tasks.beat()
    assert Snapshot.objects.count() == 2


@pytest.mark.django_db
def test_a_count_that_began_before_the_figures_changed_is_not_continued(
    service: BookService,
) -> None:
    row = tasks.start("kenya", None)
    assert row is not None
    Snapshot.objects.update(figures_version=1)
    assert snapshot_job.CountWalk.run_slice(row.pk) is None
    row.refresh_from_db()
    assert (row.state, row.loans_read, service.pages) == (Snapshot.State.FAILED, 0, 0)
    assert row.why and row.why == snapshot_job.CountWalk(row).find_obstacle()


@pytest.mark.django_db
def test_a_count_that_began_before_borrowers_were_kept_never_knows_all_of_them(
    service: BookService,
) -> None:
    row = tasks.start("kenya", None)
    assert row is not None
    Snapshot.objects.update(without_borrower=None)
    while snapshot_job.CountWalk.run_slice(row.pk) is not None:
        pass
    row.refresh_from_db()
    assert (row.state, row.loans_read, row.without_borrower) == (Snapshot.State.DONE, 5, None)
