"""What a person is told, and may do, when the service refuses, breaks off or is gone."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.messages import get_message
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState
from tests.conftest import ClientOf
from tests.faults.behaviours import handled_then, refusal, reset
from tests.faults.server import FaultServer
from tests.repayments.pages import enter, filled, hidden, new_url, press
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_refusal_of_the_service_is_shown_in_its_words(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    confirm = enter(desk, app)
    words = "Loan is not open."
    proxy.on("makeRepayment", refusal(422, words))
    receipt = press(desk, confirm, follow=True).text
    assert 'data-state="refused"' in receipt and 'data-saved="no"' in receipt
    assert words in receipt
    assert f"?retry_of={Repayment.objects.get().pk}" in receipt


def test_unknown_says_so_blocks_the_loan_and_finds_out(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    confirm = enter(desk, app)
    proxy.on("makeRepayment", handled_then(reset()))
    answer = press(desk, confirm)
    Repayment.objects.update(next_check_at=timezone.now() + timedelta(hours=1))
    receipt = desk.get(answer.headers["Location"]).content.decode()
    assert 'data-state="unknown"' in receipt and 'data-saved="unknown"' in receipt
    assert get_message(RepaymentState.UNKNOWN).sentence in receipt
    assert "data-poll" in receipt
    blocked = desk.get(new_url(app)).content.decode()
    assert 'data-finding="busy"' in blocked
    assert re.search(r"<button[^>]*disabled[^>]*>Review", blocked)
    Repayment.objects.update(next_check_at=timezone.now())
    status = desk.get(f"{answer.headers['Location']}status?seen=unknown&polls=0").content.decode()
    assert 'data-state="presumed"' in status
    assert "data-poll" not in status
    # It leads back to the page, which offers what can be done now.
    assert f'href="{answer.headers["Location"]}"' in status


def test_an_unreachable_loan_keeps_the_form(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    offered = filled(desk.get(new_url(app)), notes="kept")
    proxy.on("GET /v1/projects", refusal(500, "down"))
    answer = desk.post(new_url(app), offered)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "kept" in page
    card = answer.context["card"]
    assert card.status == 500 and f'data-announce="{card.title}"' in page


def test_sending_again_after_no_trace_takes_a_plain_yes(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    confirm = enter(desk, app)
    proxy.once("makeRepayment", reset())
    press(desk, confirm)
    Repayment.objects.update(state=RepaymentState.NOT_FOUND)
    first = Repayment.objects.get()
    again = f"{new_url(app)}?retry_of={first.pk}"
    form = desk.get(again)
    assert 'data-finding="may-double"' in form.content.decode()
    answer = desk.post(again, filled(form, externalId="another"))
    confirm = answer.headers["Location"]
    assert 'data-obstacle="may_double"' in press(desk, confirm).text
    assert Repayment.objects.count() == 1
    press(desk, confirm, may_double="yes")
    second = Repayment.objects.latest("pk")
    assert (second.retry_of, second.external_id, second.state) == (
        first,
        "TX",
        RepaymentState.RECORDED,
    )


def test_an_id_that_may_be_recorded_is_not_called_recorded(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    press(desk, enter(desk, app))
    Repayment.objects.update(state=RepaymentState.PRESUMED)
    page = press(desk, enter(desk, app)).content.decode()
    assert 'data-finding="id-may-be-recorded"' in page
    assert 'data-finding="id-recorded"' not in page
    assert Repayment.objects.count() == 1


def test_home_knows_no_outcome_from_evidence_alone(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    address = f"/apps/{app.app_id}/"
    press(desk, enter(desk, app))
    assert 'data-finding="all-confirmed"' in desk.get(address).text
    for state, words in [
        (RepaymentState.PRESUMED, "of these, probably recorded"),
        (RepaymentState.NOT_FOUND, "not found at the service"),
    ]:
        Repayment.objects.update(state=state)
        page = desk.get(address).content.decode()
        assert words in page
        assert 'data-finding="all-confirmed"' not in page


def test_what_was_recorded_cannot_be_sent_again(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    press(desk, enter(desk, app))
    number = Repayment.objects.get().pk
    assert desk.get(f"{new_url(app)}?retry_of={number}").status_code == 404


def test_people_s_decisions_need_a_reason_and_the_right(
    desk: Client,
    app: LendingApp,
    proxy: FaultServer,
    client_of: ClientOf,
    manager: User,
) -> None:
    confirm = enter(desk, app)
    proxy.once("makeRepayment", reset())
    receipt = press(desk, confirm).headers["Location"]
    assert (
        desk.post(
            f"{receipt}resolve", {"resolution": "recorded", "reason": "I checked"}
        ).status_code
        == 403
    )
    boss = client_of(manager)
    without = boss.post(f"{receipt}resolve", {"resolution": "recorded", "reason": ""})
    assert without.context["resolve_form"].has_error("reason", "required")
    assert 'id="id_reason_error"' in without.text
    boss.post(f"{receipt}set-aside", {"aside-reason": "customer at the counter"})
    assert Repayment.objects.get().set_aside_reason == "customer at the counter"
    done = boss.post(
        f"{receipt}resolve",
        {"resolution": "not_recorded", "reason": "operator says no"},
        follow=True,
    ).content.decode()
    assert 'data-resolution="not_recorded"' in done and 'data-saved="no"' in done
    assert "operator says no" in done


def test_journal_filters_and_unknown_outcomes(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    press(desk, enter(desk, app, externalId="TX-GOOD"))
    proxy.on("makeRepayment", reset())
    open_form = enter(desk, app, externalId="TX-LOST", amount="55")
    press(desk, open_form)
    journal = f"/apps/{app.app_id}/repayments/"

    def shows(query: str) -> set[str]:
        page = desk.get(journal + query).content.decode()
        return set(re.findall(r"TX-\w+", page.partition("<table")[2]))

    assert shows("") == {"TX-GOOD", "TX-LOST"}
    assert shows("?state=unknown") == {"TX-LOST"}
    assert shows("?record=TX-GOOD") == {"TX-GOOD"}
    assert shows("?record=l") == {"TX-GOOD", "TX-LOST"}
    assert shows("?person=nobody") == set()
    assert shows("?until=2020-01-01") == set()
    assert shows("unknown/") == {"TX-LOST"}


def test_another_under_way_is_not_told_as_a_taken_transaction_id(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    confirm = enter(desk, app, externalId="TX-2")
    first = enter(desk, app, externalId="TX-1")
    fields = hidden(desk.get(confirm))
    press(desk, first)
    Repayment.objects.update(state=RepaymentState.UNKNOWN)
    page = desk.post(confirm, fields | {"seen": str(Repayment.objects.get().pk)}).content.decode()
    assert 'data-finding="busy"' in page
    assert 'data-finding="id-' not in page
    assert Repayment.objects.count() == 1
