"""Names over the ids of loans: on the home page and in the lists behind a figure."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.states import RepaymentState
from tests.conftest import ClientOf
from tests.people_index.conftest import Put, index, put  # noqa: F401
from tests.portfolio.conftest import HOME, LISTS, counted, read_page, words
from tests.portfolio.service import BookService, loan
from tests.repayments.rows import row as entry

pytestmark = pytest.mark.django_db
FIGURES = ("outstanding", "overdue", "par1", "performance:1", "month:2026-06", "untold:paid")


def addresses(service: BookService, loans: int = 3) -> list[str]:
    """Count so many loans, each of another borrower: the home page and lists of that count."""
    service.size = 1000
    service.loans = [loan(number, borrowerId=f"B-{number}") for number in range(loans)]
    row = counted()
    return [HOME, *(f"{LISTS}?show=figure-{by}&count={row.pk}" for by in FIGURES)]


def test_the_name_stands_over_the_id_of_the_loan(
    desk: Client,
    service: BookService,
    put: Put,  # noqa: F811
) -> None:
    put("B-1", surname="Kamau", othernames="Ann")
    put("B-2", surname="<b>Ouma")
    for address in addresses(service):
        html = read_page(desk, address)
        assert "Kamau Ann L-001" in words(html), address
        assert re.search(r'<bdi class="person" title="Updated just now">Kamau Ann</bdi><a ', html)
        assert "&lt;b&gt;Ouma" in html and "<b>Ouma" not in html
        # Who is not in the index is known by the loan's id alone.
        assert html.count('class="person"') == 2 and "L-000" in html


def test_who_may_not_see_names_sees_initials(
    client_of: ClientOf,
    viewer: User,
    service: BookService,
    put: Put,  # noqa: F811
) -> None:
    put("B-1", surname="Kamau", othernames="Ann")
    for address in addresses(service):
        html = read_page(client_of(viewer), address)
        assert "K. A. L-001" in words(html) and "Kamau" not in html, address


def test_without_an_index_or_without_borrowers_nothing_is_shown(
    desk: Client, service: BookService
) -> None:
    for address in addresses(service):
        html = read_page(desk, address)
        assert 'class="person"' not in html and "L-001" in html, address


def test_a_count_from_before_borrowers_were_kept_shows_ids_alone(
    desk: Client,
    service: BookService,
    put: Put,  # noqa: F811
) -> None:
    put("B-1", surname="Kamau")
    places = addresses(service)
    counted().loans.update(borrower_id="")
    row = counted()
    row.loans.update(borrower_id="")
    for address in (HOME, f"{LISTS}?count={row.pk}", places[0]):
        assert "Kamau" not in read_page(desk, address)


def test_names_are_read_once_for_all_rows(
    desk: Client,
    service: BookService,
    put: Put,  # noqa: F811
) -> None:
    asked = []
    for loans in (2, 30):
        for number in range(loans):
            put(f"B-{number}", surname=f"Kamau{number}")
        for address in addresses(service, loans)[:2]:
            read_page(desk, address)
            with CaptureQueriesContext(connection) as made:
                html = read_page(desk, address)
            assert html.count('class="person"') >= 2
            asked.append(len([one for one in made if "people_index_" in one["sql"]]))
    assert asked == [2] * 4


def test_a_page_of_several_lists_asks_once_which_index_answers(
    client_of: ClientOf,
    manager: User,
    support: User,
    service: BookService,
    put: Put,  # noqa: F811
) -> None:
    put("B-0", surname="Kamau")
    addresses(service)
    unknown = {"state": RepaymentState.UNKNOWN, "borrower_id": "B-0"}
    entry(manager, **unknown, alarm="seen", alarm_at=timezone.now())
    # Nobody decides about what they entered.
    entry(support, **unknown)
    with CaptureQueriesContext(connection) as made:
        html = read_page(client_of(manager), HOME)
    assert html.count("Kamau") >= 3
    asked = [one["sql"].split(" FROM ")[1] for one in made if "people_index_" in one["sql"]]
    assert sum(one.startswith('"people_index_borrowerindex"') for one in asked) == 1 < len(asked)
