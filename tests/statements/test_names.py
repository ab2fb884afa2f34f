"""The borrower's name beside the id on pages of statements, and first in the CSV of a batch."""

import csv
import io
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import SEE_NAMES
from lendingadmin.desk.statements.models import Batch
from tests.conftest import ClientOf
from tests.people_index.conftest import Put, index, put
from tests.people_index.test_pages import names_over
from tests.repayments.rows import row
from tests.roles import group_of

from .batches.steps import BASE, check, decide, pay
from .desk import DeskService
from .test_alarms import PLAIN, bring_in, enter

pytestmark = pytest.mark.django_db
__all__ = ["index", "put"]
NAME, INITIALS = "Kamau Old", "K. O."
DIFFERENCES = f"{BASE}contradictions/"


@pytest.fixture
def boss(client_of: ClientOf, manager: User) -> Client:
    return client_of(manager)


@pytest.fixture
def batch(clerk: Client, service: DeskService, put: Put, support: User) -> Batch:
    """A payment in two parts for one borrower, whose code is recorded on another loan of theirs."""
    put("B-1", surname="Kamau", othernames="Old")
    service.add("L-1")
    made = check(clerk, pay("for my aunt", phones={0: "254700012345"}, names={0: "ANN KAMAU"}))
    decide(clerk, made, 1, action="choose", loan="L-1")
    decide(clerk, made, 1, action="split", amount="40")
    decide(clerk, made, 1, 2, action="choose", loan="L-1")
    row(support, account_id="L-0", borrower_id="B-1", external_id="SJAA000000")
    decide(clerk, made, 1, action="accept", reason="said on the phone", keep="on")
    return made


def mask(person: User) -> None:
    """Take the right to see names from a person's role."""
    group = group_of(person)
    codename = SEE_NAMES.removeprefix("dashboard.")
    group.permissions.remove(*group.permissions.filter(codename=codename))


def test_the_row_of_a_batch_names_each_loan_in_one_query(
    clerk: Client, batch: Batch, support: User
) -> None:
    page = f"{BASE}{batch.file_id}/batch/rows/1/1"
    with CaptureQueriesContext(connection) as made:
        html = clerk.get(page).content.decode()
    assert html.count(f">{NAME}</bdi>") == 3
    assert names_over(html, "L-0", NAME) and names_over(html, "L-1", NAME)
    assert sum('"people_index_borrowercard"' in one["sql"] for one in made) == 1
    mask(support)
    html = clerk.get(page).content.decode()
    assert names_over(html, "L-0", INITIALS) and NAME not in html


def test_saved_payers_name_the_borrower_of_the_loan(
    clerk: Client, batch: Batch, support: User
) -> None:
    assert names_over(clerk.get(f"{BASE}payers/").content.decode(), "L-1", NAME)
    mask(support)
    html = clerk.get(f"{BASE}payers/").content.decode()
    assert names_over(html, "L-1", INITIALS) and NAME not in html


def test_differences_name_the_borrower_in_one_query(
    boss: Client, put: Put, support: User, manager: User
) -> None:
    put("B-1", surname="Kamau", othernames="Old")
    put("B-2", surname="Ouma", othernames="Old")
    for number, one in enumerate(PLAIN[:2], 1):
        enter(support, one, amount=one.amount + 1, borrower_id=f"B-{number}")
    bring_in(support)
    with CaptureQueriesContext(connection) as made:
        html = boss.get(DIFFERENCES).content.decode()
    assert names_over(html, PLAIN[0].reference, NAME)
    assert names_over(html, PLAIN[1].reference, "Ouma Old")
    assert sum('"people_index_borrowercard"' in one["sql"] for one in made) == 1
    mask(manager)
    html = boss.get(DIFFERENCES).content.decode()
    assert names_over(html, PLAIN[0].reference, INITIALS) and NAME not in html


def test_the_csv_of_a_batch_begins_with_the_name(
    clerk: Client, batch: Batch, support: User
) -> None:
    assert {next(iter(one.items())) for one in read_csv(clerk, batch)} == {("borrowerName", NAME)}
    mask(support)
    assert {one["borrowerName"] for one in read_csv(clerk, batch)} == {INITIALS}


def read_csv(clerk: Client, batch: Batch) -> list[dict[str, str]]:
    answer: Any = clerk.get(f"{batch.get_absolute_url()}export.csv?technical=1")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))
