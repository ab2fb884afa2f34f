"""Notes, reasons and the service's words of a repayment stand readable nowhere."""

import logging
from collections.abc import Callable

import pytest
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.models import Mistake, Repayment
from lendingadmin.money.repayments.states import RepaymentState
from tests.faults.behaviours import refusal, reset
from tests.personal import find_kept
from tests.policies.setting import set_limits
from tests.repayments.pages import filled, hidden
from tests.repayments.rows import row
from tests.repayments.service import LoanService

from .test_mistakes import report, review

pytestmark = pytest.mark.django_db(transaction=True)
NEW = "/apps/kenya/loans/L-1/repayments/new"
# A word that nothing else holds, a name, a phone number's digits.
WORDS = ("Zebrafink", "Otieno", "712345678")
SAID = "Zebrafink: 0712345678 belongs to Otieno already"

Log = Callable[[], list[str]]


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Log:
    """Which of the words the log has."""
    caplog.set_level(logging.INFO)
    return lambda: [word for word in WORDS if word in caplog.text]


def enter(desk: Client) -> Repayment:
    """Record a repayment with a note."""
    answer = desk.post(NEW, filled(desk.get(NEW), amount="500", notes=SAID))
    confirm = str(answer.headers["Location"])
    desk.post(confirm, hidden(desk.get(confirm)))
    return Repayment.objects.latest("pk")


def test_a_note_and_the_words_that_it_was_refused_with(
    service: LoanService, desk: Client, log: Log
) -> None:
    service.answer = lambda _: refusal(400, SAID)
    repayment = enter(desk)
    assert repayment.state == RepaymentState.REFUSED
    assert repayment.error_description == repayment.notes == SAID
    page = desk.get(repayment.get_absolute_url()).content.decode()
    assert page.count("Zebrafink") > 1
    assert find_kept(WORDS) == [] == log()


def test_the_reasons_of_setting_aside_and_of_resolving(
    service: LoanService, desk: Client, boss: Client, log: Log
) -> None:
    service.answer = lambda _: reset()
    repayment = enter(desk)
    receipt = repayment.get_absolute_url()
    boss.post(f"{receipt}set-aside", {"aside-reason": SAID})
    boss.post(f"{receipt}resolve", {"resolution": "not_recorded", "reason": SAID})
    repayment.refresh_from_db()
    assert repayment.set_aside_reason == repayment.resolution_reason == SAID
    entries = Entry.objects.filter(username="manager", subject__endswith=f"{repayment}")
    assert entries.exclude(detail="").count() == 2
    assert find_kept(WORDS) == [] == log()


def test_the_reason_of_declining(
    service: LoanService, desk: Client, boss: Client, log: Log
) -> None:
    set_limits(amount="400")
    repayment = enter(desk)
    boss.post(f"{repayment.get_absolute_url()}decline", {"decline-reason": SAID})
    repayment.refresh_from_db()
    assert (repayment.state, repayment.resolution_reason) == (RepaymentState.DECLINED, SAID)
    assert find_kept(WORDS) == [] == log()


def test_a_report_of_a_mistake_and_its_review(
    service: LoanService, desk: Client, boss: Client, support: User, log: Log
) -> None:
    repayment = row(support)
    report(desk, repayment, note=SAID)
    mistake = Mistake.objects.get()
    review(boss, mistake, **{"review-reason": SAID})
    mistake.refresh_from_db()
    assert mistake.note == mistake.reason == SAID
    assert find_kept(WORDS) == [] == log()
