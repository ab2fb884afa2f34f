"""A clock that is hours off: the service's `Date` tells, `/readyz` warns and the form says so."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from django.test import Client

from lendingadmin.core import gateway
from lendingadmin.core.staff.models import User
from lendingadmin.core.worker import duties
from lendingadmin.lending.errors import LendingError
from lendingadmin.money.repayments import forms
from tests.conftest import ClientOf
from tests.faults.behaviours import refusal, reply, reset, token
from tests.faults.server import Behaviour, FaultServer
from tests.repayments.pages import filled

pytestmark = pytest.mark.django_db

LOAN = {"accountId": "L-1", "borrowerId": "B-1", "status": 2}
FORM = "/apps/kenya/loans/L-1/repayments/new"
HOURS = timedelta(hours=3)


@pytest.fixture(autouse=True)
def right_clock(service: FaultServer) -> Iterator[None]:
    """The clock of the tests that follow is right."""
    service.on("POST /v1/oauth2/token", token())
    yield
    answer_loan(service, date_of(timedelta(0)))
    read_loan()


def date_of(offset: timedelta) -> str:
    """The `Date` of a service that our clock is so much ahead of."""
    return format_datetime(datetime.now(UTC) - offset, usegmt=True)


def answer_loan(service: FaultServer, date: str | None, *before: Behaviour) -> None:
    headers = {} if date is None else {"Date": date}
    service.on("GET /v1/", *before, reply(LOAN, headers=headers))


def read_loan() -> None:
    gateway.app("kenya").loans.get("L-1")


def count_warnings() -> int:
    duties.note_beat()
    answer = Client().get("/readyz")
    assert answer.status_code == 200
    return len(answer.content.splitlines()) - 1


@pytest.mark.parametrize("offset", [HOURS, -HOURS, timedelta(minutes=6)])
def test_a_clock_that_is_off_is_warned_of(service: FaultServer, offset: timedelta) -> None:
    answer_loan(service, date_of(offset))
    read_loan()
    assert gateway.find_clock_offset() == pytest.approx(offset.total_seconds(), abs=30)
    assert count_warnings() == 1
    # The newest answer counts.
    answer_loan(service, date_of(timedelta(seconds=1)))
    read_loan()
    assert (gateway.find_clock_offset(), count_warnings()) == (0, 0)


@pytest.mark.parametrize(
    "date",
    [
        *(None, "", "yesterday", "Mon, 99 Foo 2026 10:00:00 GMT", "0", "1790000000"),
        "Thu, 01 Jan 99999 00:00:00 GMT",
        *(timedelta(seconds=1), timedelta(seconds=-1), timedelta(minutes=3)),
    ],
)
def test_other_dates_tell_nothing(service: FaultServer, date: str | timedelta | None) -> None:
    # Of a moment in this test: the tests may run minutes after they were collected.
    answer_loan(service, date_of(date) if isinstance(date, timedelta) else date)
    read_loan()
    assert (gateway.find_clock_offset(), count_warnings()) == (0, 0)


def test_an_answer_without_a_date_leaves_what_is_known(service: FaultServer) -> None:
    answer_loan(service, date_of(HOURS))
    read_loan()
    answer_loan(service, None)
    read_loan()
    assert gateway.find_clock_offset() > 0


def test_a_refusal_and_a_write_tell_it_too(service: FaultServer) -> None:
    late, right = {"Date": date_of(HOURS)}, {"Date": date_of(timedelta(0))}
    service.on("GET /v1/", refusal(404, "no", late), refusal(404, "no", right))
    for is_off in (True, False):
        with pytest.raises(LendingError):
            read_loan()
        assert (gateway.find_clock_offset() != 0) is is_off
    service.on("makeRepayment", reply(LOAN, headers=late))
    gateway.app("kenya").loans.make_repayment("L-1", {"amount": 1})
    assert gateway.find_clock_offset() > 0


def test_a_read_that_was_tried_again_tells_what_its_last_answer_told(service: FaultServer) -> None:
    answer_loan(service, date_of(HOURS), refusal(503, "", {"Date": date_of(-HOURS)}), reset())
    read_loan()
    assert gateway.find_clock_offset() > 0


def test_the_form_says_it_beside_the_date(
    service: FaultServer, client_of: ClientOf, support: User
) -> None:
    desk = client_of(support)
    # What the form shows came with the answer to its own read of the loan.
    for offset, is_said in ((HOURS, True), (timedelta(0), False), (-HOURS, True)):
        answer_loan(service, date_of(offset))
        page = desk.get(FORM)
        assert ("data-clock-notice" in page.content.decode()) is is_said
    # The payment box leads to the review without a date to be typed.
    confirm = desk.post(FORM, filled(page))["Location"]
    (notice,) = desk.get(confirm).context["date_notices"]
    assert notice == ("clock", forms.clock_notice())
    answer_loan(service, date_of(timedelta(0)))
    assert desk.get(confirm).context["date_notices"] == []
