"""The dashboard's own database is busy or full while a repayment is sent: 503, and one of the three
truths.
"""

import html
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test import Client

from lendingadmin.lending.errors import BadRequest
from lendingadmin.money.repayments import sending
from lendingadmin.money.repayments.messages import get_message
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.web import unavailable
from lendingadmin.web.errors import card
from tests.faults.behaviours import refusal, reset
from tests.proof.desk import Confirm, InProcess, Page, fill_in, form_url, open_confirm, press
from tests.repayments.service import LoanService, commit_then, without_committing

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def busy(when: Callable[[], bool], times: int = 10**6) -> Iterator[list[str]]:
    """The database refuses to write, so many times, while `when` holds."""
    refused: list[str] = []

    def refuse(execute: Any, sql: str, *rest: Any) -> Any:
        writes = sql.startswith(("UPDATE", "INSERT")) and "repayments_" in sql
        if writes and when() and len(refused) < times:
            refused.append(sql)
            raise OperationalError("database is locked")
        return execute(sql, *rest)

    with connection.execute_wrapper(refuse):
        yield refused


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unavailable, "KEEP_WITHIN", 0.6)


@pytest.fixture
def confirm(service: LoanService, desk: Client) -> Confirm:
    browser = InProcess(desk)
    found = open_confirm(browser, fill_in(browser, form_url("kenya", "L-1"), "TX", "500") or "")
    assert found
    return found


@pytest.fixture(autouse=True)
def _as_in_production(desk: Client) -> None:
    desk.raise_request_exception = False


def words(page: Page) -> str:
    return " ".join(html.unescape(page.text).split())


def test_before_anything_is_sent_it_says_that_nothing_was(
    service: LoanService, desk: Client, confirm: Confirm
) -> None:
    with busy(lambda: True):
        page = press(InProcess(desk), confirm)
    assert page.status == 503
    assert unavailable.build_not_sent_card().cause in words(page)
    assert 'data-saved="no"' in page.text
    assert service.asked == 0
    assert press(InProcess(desk), confirm).receipt
    assert service.asked == 1


def test_where_the_sending_can_t_be_written_down_nothing_is_sent(
    service: LoanService, desk: Client, confirm: Confirm
) -> None:
    with busy(lambda: Repayment.objects.exists()):
        page = press(InProcess(desk), confirm)
    assert page.status == 503
    assert unavailable.build_not_sent_card().cause in words(page)
    assert service.asked == 0


def test_an_acknowledgement_is_kept_once_the_database_takes_it(
    service: LoanService, desk: Client, confirm: Confirm
) -> None:
    with busy(lambda: bool(service.posted), times=3) as refused:
        page = press(InProcess(desk), confirm)
    assert len(refused) == 3
    assert page.receipt and Repayment.objects.get().state == RepaymentState.RECORDED


def test_an_acknowledgement_that_can_t_be_kept_is_told_all_the_same(
    service: LoanService, desk: Client, confirm: Confirm
) -> None:
    with busy(lambda: bool(service.posted)):
        page = press(InProcess(desk), confirm)
    assert page.status == 503
    title = unavailable.build_saved_card("recorded").title
    assert title in words(page) and sending.PASS_ON in words(page)
    assert 'data-saved="yes"' in page.text and "req-1" in page.text
    assert press(InProcess(desk), confirm).receipt  # the same form lands on it
    assert service.asked == 1


def test_where_no_acknowledgement_is_kept_nothing_is_told_of_the_service(
    service: LoanService, desk: Client, confirm: Confirm
) -> None:
    with busy(lambda: bool(service.posted)):
        press(InProcess(desk), confirm)
    repayment = Repayment.objects.get()
    for state in (
        RepaymentState.SENT,
        RepaymentState.UNKNOWN,
        RepaymentState.PRESUMED,
        RepaymentState.NOT_FOUND,
    ):
        Repayment.objects.update(state=state)
        page = " ".join(desk.get(repayment.get_absolute_url()).content.decode().split())
        assert "The service never" not in page and "has not answered" not in page
    assert html.escape(get_message(RepaymentState.NOT_FOUND).sentence) in page


@pytest.mark.parametrize(
    ("behaviour", "saved", "said"),
    [
        (commit_then(reset()), "unknown", "We don't know yet whether your entry was"),
        (without_committing(refusal(422)), "no", card(BadRequest()).title),
    ],
    ids=["lost", "refused"],
)
def test_another_outcome_that_can_t_be_kept_is_told_as_it_is(
    service: LoanService, desk: Client, confirm: Confirm, behaviour: Any, saved: str, said: str
) -> None:
    service.answer = behaviour
    with busy(lambda: service.asked > 0):
        page = press(InProcess(desk), confirm)
    assert page.status == 503
    assert said in words(page)
    assert f'data-saved="{saved}"' in page.text


def test_a_reading_that_can_t_be_kept_takes_nothing_from_an_acknowledgement(
    service: LoanService, desk: Client, confirm: Confirm
) -> None:
    with busy(lambda: Repayment.objects.filter(receipt_sequence__isnull=False).exists()):
        page = press(InProcess(desk), confirm)
    repayment = Repayment.objects.get()
    assert page.receipt == repayment.pk
    assert repayment.state == RepaymentState.RECORDED and repayment.next_check_at is not None


def test_a_busy_database_before_the_socket_is_no_unknown(
    service: LoanService, desk: Client, confirm: Confirm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The access token's row can't be read, or any other fault of ours before the first byte."""

    def fail(*_: Any, **__: Any) -> None:
        raise OperationalError("database is locked")

    with monkeypatch.context() as patched:
        patched.setattr("lendingadmin.lending.transport.encode", fail)
        page = press(InProcess(desk), confirm)
    assert Repayment.objects.get(pk=page.receipt).state == RepaymentState.NOT_SENT
    assert service.asked == 0
