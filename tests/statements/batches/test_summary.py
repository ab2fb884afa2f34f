"""The sentence and the button that a batch, its statement and its day begin with."""

import re
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements.models import Allocation, Batch, StatementFile
from lendingadmin.desk.statements.progress import read_parts
from tests.portfolio.conftest import counted
from tests.repayments.rows import row
from tests.statements.desk import DeskService

from .steps import BASE, check, decide, pay, record, record_now, submit

pytestmark = pytest.mark.django_db(transaction=True)
DAY = f"{BASE}covered/2026-10-02/"


def read_counts(html: str) -> dict[str, str]:
    """The counts of the sentence, by their marks."""
    found = re.search(r'<p data-finding="summary">(.*?)</p>', html, re.S)
    assert found
    return dict(re.findall(r"data-(ready|open|recorded|known)=\"(\d+)\"", found[1]))


def read(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def find_main_button(html: str) -> str:
    head = html.partition('id="batch"')[2].partition("</section>")[0]
    found = re.search(r'<a class="button main" href="([^"]+)"', head)
    return found[1] if found else ""


@pytest.fixture
def batch(clerk: Client, service: DeskService) -> Batch:
    """Of three payments one is ready, one has no loan, and one was recorded before."""
    service.add("L-1")
    counted()
    record(clerk, check(clerk, pay("L-1")))
    service.add("K-5544", borrower_id="B-2")
    batch = check(clerk, pay("L-1", "K-5544", "nobody"))
    StatementFile.objects.update(begins=date(2026, 10, 1), ends=date(2026, 10, 3))
    batch.refresh_from_db()
    return batch


def test_the_results_have_as_many_rows_to_decide_as_the_sentence(batch: Batch) -> None:
    undecided = {part["finding"]: part["undecided"] for part in read_parts(batch)}
    assert undecided == {"fine": 0, "no-loan": 1, "recorded": 0}


@pytest.mark.parametrize("of", ["statement", "batch"])
def test_it_counts_what_is_ready_what_needs_a_person_and_what_is_recorded(
    clerk: Client, batch: Batch, of: str
) -> None:
    own = batch.get_absolute_url()
    page = own if of == "batch" else f"{BASE}{batch.file_id}/"
    html = read(clerk, page)
    assert read_counts(html) == {"ready": "1", "open": "1", "known": "1"}
    assert find_main_button(html) == f"{own}record"
    listed = clerk.get(f"{own}?decision=open").context["rows"]
    assert [one.row.position for one in listed] == [3]
    decide(clerk, batch, 3, action="leave", reason="not for us")
    html = read(clerk, page)
    assert read_counts(html) == {"ready": "1", "known": "1"}
    record(clerk, batch)
    html = read(clerk, page)
    assert read_counts(html) == {"recorded": "1", "known": "1"}
    assert find_main_button(html) == ""


def test_with_nothing_ready_the_button_leads_to_the_first_open_row(
    clerk: Client, service: DeskService
) -> None:
    service.add("L-1")
    counted()
    batch = check(clerk, pay("nobody", "no one"))
    first = Allocation.objects.get(batch=batch, position=1)
    assert find_main_button(read(clerk, batch.get_absolute_url())) == first.get_absolute_url()


def test_the_head_follows_the_worker_and_then_draws_the_page_again(
    clerk: Client, batch: Batch
) -> None:
    progress = f"{batch.get_absolute_url()}progress"
    submit(clerk, batch)
    for page in (batch.get_absolute_url(), f"{BASE}{batch.file_id}/", progress, DAY):
        html = read(clerk, page)
        assert "data-poll hx-get=" in html and 'hx-select="#main" hx-target="#main"' not in (
            "" if page == DAY else html
        )
    record_now(batch)
    html = read(clerk, progress)
    assert "data-poll" not in html and 'data-state="done"' in html
    assert 'hx-get="" hx-trigger="load" hx-select="#main"' in html
    # The page itself neither asks nor draws itself again.
    html = read(clerk, batch.get_absolute_url())
    assert "data-poll hx-get=" not in html and 'hx-trigger="load"' not in html


def test_a_possible_duplicate_shows_the_other_payment(
    clerk: Client, service: DeskService, support: User
) -> None:
    service.add("L-1")
    typed = row(
        support,
        account_id="L-1",
        external_id="CASH-1",
        external_id_minted=True,
        transaction_date=datetime(2026, 10, 1, 3, tzinfo=UTC),
    )
    row(support, account_id="L-2", transaction_date=typed.transaction_date)
    found = check(clerk, pay("L-1")).allocations.get()
    assert found.finding == "alike"
    html = read(clerk, found.get_absolute_url())
    assert 'data-alike="1"' in html and typed.get_absolute_url() in html


def test_possible_loans_show_what_is_owed_and_why(clerk: Client, service: DeskService) -> None:
    for loan_id in ("L-1", "L-2"):
        service.add(loan_id)
    counted()
    found = check(clerk, pay("B-1")).allocations.get()
    assert found.finding == "several"
    html = read(clerk, found.get_absolute_url())
    listed = re.findall(r'data-candidate="([^"]+)".*?class="number">(.*?)</span>', html, re.S)
    assert [one for one, _owed in listed] == ["L-1", "L-2"]
    assert all("100,000.00" in owed for _one, owed in listed)


def test_a_day_says_what_arrived_what_is_recorded_and_what_is_missing(
    clerk: Client, batch: Batch
) -> None:
    html = read(clerk, f"{BASE}covered/2026-10-01/")
    # The first row of both files is one payment of 100, recorded; the others are of later days.
    assert re.findall(r'data-missing="([^"]+)"', html) == ["0.000"]
    html = read(clerk, f"{BASE}covered/2026-10-03/")
    assert re.findall(r'data-missing="([^"]+)"', html) == ["102.000"]
    assert 'href="/apps/kenya/statements/unallocated/"' in html


def test_a_day_that_goes_on_says_so(clerk: Client) -> None:
    today = timezone.localdate(timezone=ZoneInfo("Africa/Nairobi"))
    assert 'data-state="running"' in read(clerk, f"{BASE}covered/{today}/")
    assert 'data-state="none"' in read(clerk, f"{BASE}covered/2026-01-01/")
