"""What a sweep ended, and not its own sender, was not sent “as far as this journal knows”.

A restored backup holds as `pending` what was sent after it was taken.
"""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import reconciliation, sending, services
from lendingadmin.money.repayments.messages import get_message
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.web.display.text import write_outcome
from tests.faults.behaviours import refusal
from tests.proof.desk import InProcess, fill_in, form_url, open_confirm, press
from tests.repayments.service import LoanService

pytestmark = pytest.mark.django_db(transaction=True)
Asked = Callable[..., Request]


@pytest.fixture
def restored(service: LoanService, support: User, asked: Asked) -> Repayment:
    """At the service, and `pending` in the backup that was restored; swept since."""
    repayment = sending.record(asked(external_id="TX"), support, "form-1")
    assert repayment.state == RepaymentState.RECORDED
    repayment.readings.all().delete()
    Repayment.objects.update(
        state=RepaymentState.PENDING,
        sent_at=None,
        send_before=timezone.now() - timedelta(minutes=5),
    )
    assert reconciliation.conclude_overdue() == 1
    repayment.refresh_from_db()
    return repayment


def test_its_receipt_claims_no_more_than_the_journal_knows(
    restored: Repayment, desk: Client
) -> None:
    page = " ".join(desk.get(restored.get_absolute_url()).content.decode().split())
    assert (restored.state, restored.ended_by_sweep) == (RepaymentState.NOT_SENT, True)
    swept = get_message(RepaymentState.NOT_SENT, ended_by_sweep=True)
    assert f"<h2>{swept.title}</h2>" in page
    assert f"<strong>{write_outcome(swept.saved, 'recorded')}</strong>" in page
    assert f"<strong>{write_outcome(swept.answer, 'recorded')}</strong>" not in page
    assert 'data-finding="may-be-sent"' in page and 'data-finding="nothing-there"' not in page


def test_sending_it_again_shows_what_is_paid_now_and_asks_for_the_tick(
    service: LoanService, restored: Repayment, desk: Client
) -> None:
    browser = InProcess(desk)
    url = fill_in(browser, form_url("kenya", "L-1", restored.pk), "TX", "500.00")
    confirm = open_confirm(browser, url or "")
    assert confirm is not None and confirm.warns
    shown = " ".join(browser.get(confirm.url).text.split())
    paid_now = shown.partition('<p data-field="paid-now">')[2].partition("</p>")[0]
    assert "KES 1,500.00" in paid_now
    assert press(browser, confirm).status == 200
    assert service.asked == 1
    assert press(browser, confirm, agree=True).receipt
    assert service.asked == 2


def test_it_is_a_look_alike(restored: Repayment, desk: Client) -> None:
    browser = InProcess(desk)
    url = fill_in(browser, form_url("kenya", "L-1"), "another id", "500.00")
    assert 'data-finding="look-alikes"' in browser.get(url or "").text


def test_what_its_own_sender_did_not_send_is_plainly_not_sent(
    service: LoanService, support: User, asked: Asked, desk: Client
) -> None:
    service.server.on("GET /v1/projects/demo/apps/kenya/loans/", refusal(500))
    repayment = sending.record(asked(external_id="TX"), support, "form-1")
    assert repayment.state == RepaymentState.NOT_SENT
    page = " ".join(desk.get(repayment.get_absolute_url()).content.decode().split())
    plain = get_message(RepaymentState.NOT_SENT)
    assert f"<strong>{write_outcome(plain.saved, 'recorded')}</strong>" in page
    assert 'data-finding="nothing-there"' in page
    assert not services.find_abandoned("kenya", "L-1", "TX").exists()
