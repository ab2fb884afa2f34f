"""Recording a repayment as a person does it, against the running sandbox."""

import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.readers import LendingApp
from lendingadmin.repayments.models import Repayment
from lendingadmin.repayments.states import State
from lendingadmin.staff.models import User
from lendingadmin.web.models import Draft
from tests.faults.behaviours import handled_then, refusal, reset
from tests.faults.server import FaultServer
from tests.repayments.test_sending import at_once
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db(transaction=True)
ClientOf = Callable[[User | None], Client]


@pytest.fixture
def desk(client_of: ClientOf, support: User) -> Client:
    """The support person's browser."""
    return client_of(support)


def new_url(app: LendingApp, loan: str = "l") -> str:
    return f"/apps/{app.app_id}/loans/{loan}/repayments/new"


def filled(page: object, **fields: str) -> dict[str, str]:
    """The form as the page offers it, with these fields filled in."""
    text = page.content.decode()  # type: ignore[attr-defined]
    token = re.search(r'name="token" value="([^"]+)"', text)
    when = re.search(r'name="transactionDate" value="([^"]+)"', text)
    assert token and when
    usual = {"amount": "100.00", "externalId": "TX", "currencyCode": "KES"}
    return usual | {"token": token[1], "transactionDate": when[1], "channel": ""} | fields


def enter(desk: Client, app: LendingApp, **fields: str) -> str:
    """Fill in the form and send it; the address of the confirm step."""
    answer = desk.post(new_url(app), filled(desk.get(new_url(app)), **fields))
    assert answer.status_code == 302, answer.content.decode()
    return str(answer.headers["Location"])


def test_from_the_form_to_the_receipt(desk: Client, app: LendingApp, book: Caller) -> None:
    confirm = enter(desk, app, channel="mobile", network="M-PESA", notes="thanks")
    page = desk.get(confirm).content.decode()
    assert "KES 100.00" in page
    assert "an estimate: the service decides" in page
    assert Repayment.objects.count() == 0
    receipt = desk.post(confirm, {"seen": "0"}, follow=True).content.decode()
    assert "The service acknowledged this repayment." in receipt
    assert "seen: paid rose by exactly this amount" in receipt
    assert book.get("/loans/l").body["balances"]["repayment"]["paid"] == Decimal("100")
    assert Draft.objects.count() == 0


def test_nothing_that_is_prefilled_is_refused(desk: Client, app: LendingApp, book: Caller) -> None:
    offered = filled(desk.get(new_url(app)))
    assert desk.post(new_url(app), offered).status_code == 302


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("amount", "", "This field is required."),
        ("amount", "0", "greater than or equal to"),
        ("amount", "-5", "Write digits only"),
        ("amount", "1,000.00", "Write digits only"),
        ("amount", "1e3", "Write digits only"),
        ("amount", "NaN", "Write digits only"),
        ("amount", "٥٠٠", "Write digits only"),
        ("amount", "10.001", "KES has at most 2 decimals."),
        ("amount", "12345678901234567", "no more than"),
        ("amount", "1234567890123", "no more than 12 digits before the decimal point"),
        ("currencyCode", "XYZZ", "at most 3 characters"),
        ("currencyCode", "QQQ", "three letters"),
        ("externalId", "a\x07b", "control characters"),
        ("externalId", "TX\u200b", "characters that can&#x27;t be seen"),
        ("channel", "pigeon", "Select a valid choice"),
        ("transactionDate", "", "This field is required."),
        ("transactionDate", "yesterday", "Enter a valid date/time."),
        ("valueDate", "31.12.2026", "Enter a valid date/time."),
        ("transactionDate", "0001-01-01T00:00", "Give a year between 1900 and 9998."),
        ("valueDate", "9999-12-31T23:59", "Give a year between 1900 and 9998."),
    ],
)
def test_bad_input_is_answered_beside_its_field(
    desk: Client, app: LendingApp, book: Caller, field: str, value: str, message: str
) -> None:
    answer = desk.post(new_url(app), filled(desk.get(new_url(app)), notes="kept", **{field: value}))
    page = answer.content.decode()
    assert answer.status_code == 200
    errors = re.search(rf'<ul class="errorlist" id="id_{field}_error".*?</ul>', page, re.DOTALL)
    assert errors and message in errors[0]
    assert "kept" in page
    assert Draft.objects.count() == 0


def test_a_transaction_in_the_future_is_refused_and_a_value_date_only_warned_of(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    soon = timezone.localtime(timezone.now() + timedelta(hours=2), app.zone)
    text = soon.strftime("%Y-%m-%dT%H:%M")
    answer = desk.post(new_url(app), filled(desk.get(new_url(app)), transactionDate=text))
    assert "A transaction can&#x27;t be in the future." in answer.content.decode()
    confirm = desk.get(enter(desk, app, valueDate=text)).content.decode()
    assert "The value date lies in the future" in confirm


def test_dates_are_the_lender_s(desk: Client, app: LendingApp, book: Caller) -> None:
    enter(desk, app, transactionDate="2026-01-31T23:30")
    confirm = desk.get(enter(desk, app, transactionDate="2026-01-31T23:30"))
    assert "31 Jan 2026, 23:30" in confirm.content.decode()
    desk.post(confirm.request["PATH_INFO"], {"seen": "0"})
    repayment = Repayment.objects.get()
    assert repayment.transaction_date.isoformat() == "2026-01-31T20:30:00+00:00"
    assert repayment.value_date == repayment.transaction_date


def test_more_than_is_owed_is_warned_of_and_allowed(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    page = desk.get(enter(desk, app, amount="99999")).content.decode()
    assert "more than what is owed" in page
    assert "Record it" in page


def test_the_address_may_carry_the_uid(desk: Client, app: LendingApp, book: Caller) -> None:
    uid = book.get("/loans/l").body["uid"]
    answer = desk.post(new_url(app, uid), filled(desk.get(new_url(app, uid))))
    assert "/loans/l/repayments/" in answer.headers["Location"]


def test_a_form_that_is_sent_again_lands_on_the_receipt(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    confirm = enter(desk, app)
    first = desk.post(confirm, {"seen": "0"})
    again = desk.post(confirm, {"seen": "0"})
    assert first.headers["Location"] == again.headers["Location"]
    assert desk.get(confirm).headers["Location"] == first.headers["Location"]
    assert book.get("/loans/l").body["balances"]["repayment"]["paid"] == Decimal("100")


def test_one_repayment_submitted_twenty_times_at_once_reaches_the_sandbox_once(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer, client_of: ClientOf
) -> None:
    confirm = enter(desk, app)
    cookies = desk.cookies

    def submit(_: int) -> str:
        browser = Client()
        browser.cookies = cookies
        return str(browser.post(confirm, {"seen": "0"}).headers["Location"])

    receipts = at_once(20, submit)
    assert len(set(receipts)) == 1, receipts
    assert proxy.hits("makeRepayment") == 1
    assert book.get("/loans/l").body["balances"]["repayment"]["paid"] == Decimal("100")


def test_a_draft_is_its_person_s_alone(
    desk: Client, app: LendingApp, book: Caller, client_of: ClientOf, manager: User
) -> None:
    confirm = enter(desk, app)
    answer = client_of(manager).post(confirm, {"seen": "0"})
    assert answer.status_code == 302
    assert Repayment.objects.count() == 0


def test_a_token_of_another_person_keeps_nothing(
    desk: Client, app: LendingApp, book: Caller, client_of: ClientOf, manager: User
) -> None:
    offered = filled(desk.get(new_url(app)), notes="kept")
    answer = client_of(manager).post(new_url(app), offered).content.decode()
    assert "This form was open for too long" in answer
    assert "kept" in answer
    assert Draft.objects.count() == 0


def test_a_draft_can_be_changed(desk: Client, app: LendingApp, book: Caller) -> None:
    confirm = enter(desk, app, amount="100.00")
    token = confirm.split("/")[-2]
    form = desk.get(f"{new_url(app)}?form={token}")
    assert 'value="100"' in form.content.decode()
    answer = desk.post(new_url(app), filled(form, amount="90"))
    assert answer.headers["Location"] == confirm
    desk.post(confirm, {"seen": "0"})
    assert Repayment.objects.get().exact_amount == Decimal(90)


def hidden(page: object) -> dict[str, str]:
    """What the confirm page sends back by itself."""
    text = page.content.decode()  # type: ignore[attr-defined]
    return dict(re.findall(r'<input type="hidden" name="(seen|shown)" value="([^"]+)"', text))


def test_a_look_alike_that_came_meanwhile_is_shown_first(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    one, two = enter(desk, app, externalId=""), enter(desk, app, externalId="")
    desk.post(one, {"seen": "0"})
    stopped = desk.post(two, {"seen": "0"}).content.decode()
    assert "A similar repayment was recorded meanwhile" in stopped
    assert Repayment.objects.count() == 1
    seen = re.search(r'name="seen" value="(\d+)"', stopped)
    assert seen
    desk.post(two, {"seen": seen[1]})
    assert Repayment.objects.filter(state=State.RECORDED).count() == 2


def test_the_same_transaction_id_is_not_recorded_twice(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    desk.post(enter(desk, app), {"seen": "0"})
    second = enter(desk, app)
    seen = re.search(r'name="seen" value="(\d+)"', desk.get(second).content.decode())
    assert seen
    answer = desk.post(second, {"seen": seen[1]}).content.decode()
    assert "This transaction id is recorded for this loan already" in answer
    assert book.get("/loans/l").body["balances"]["repayment"]["paid"] == Decimal("100")


@pytest.fixture
def proxy(
    app: LendingApp, book: Caller, fault_proxy: Callable[[str], FaultServer], settings: object
) -> FaultServer:
    """Stands between the dashboard and the sandbox."""
    standing = fault_proxy(book.base_url)
    settings.LENDING_BASE_URL = standing.url  # type: ignore[attr-defined]
    return standing


def test_the_refusal_of_the_service_is_shown_in_its_words(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    confirm = enter(desk, app)
    proxy.on("makeRepayment", refusal(422, "Loan is not open."))
    receipt = desk.post(confirm, {"seen": "0"}, follow=True).content.decode()
    assert "The service refused this repayment" in receipt
    assert "Loan is not open." in receipt
    assert "<strong>no</strong>" in receipt
    assert "Send it again" in receipt


def test_unknown_says_so_blocks_the_loan_and_finds_out(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    confirm = enter(desk, app)
    proxy.on("makeRepayment", handled_then(reset()))
    answer = desk.post(confirm, {"seen": "0"})
    receipt = desk.get(answer.headers["Location"]).content.decode()
    assert "We don&#x27;t know yet whether this was recorded" in receipt
    assert "Do not enter it again. Checking…" in receipt
    assert "data-poll" in receipt
    blocked = desk.get(new_url(app)).content.decode()
    assert "Another repayment of this loan is not settled yet" in blocked
    assert re.search(r"<button[^>]*disabled[^>]*>Check it", blocked)
    Repayment.objects.update(next_look_at=timezone.now())
    status = desk.get(f"{answer.headers['Location']}status?seen=unknown&polls=0").content.decode()
    assert "Probably recorded" in status
    assert "data-poll" not in status
    assert "Show what can be done now" in status


def test_an_unreachable_loan_keeps_the_form(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    offered = filled(desk.get(new_url(app)), notes="kept")
    proxy.on("GET /v1/projects", refusal(500, "down"))
    answer = desk.post(new_url(app), offered)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "kept" in page
    assert "The service has a fault" in page


def test_sending_again_after_no_trace_takes_a_plain_yes(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    confirm = enter(desk, app)
    proxy.once("makeRepayment", reset())
    desk.post(confirm, {"seen": "0"})
    Repayment.objects.update(state=State.NO_TRACE)
    first = Repayment.objects.get()
    again = f"{new_url(app)}?retry_of={first.pk}"
    form = desk.get(again)
    assert "sending it again may record it twice" in form.content.decode()
    answer = desk.post(again, filled(form, externalId="another"))
    confirm = answer.headers["Location"]
    stopped = desk.post(confirm, {"seen": str(first.pk)}).content.decode()
    assert "Tick the box below" in stopped
    assert Repayment.objects.count() == 1
    desk.post(confirm, {"seen": str(first.pk), "may_double": "yes"})
    second = Repayment.objects.latest("pk")
    assert (second.retry_of, second.external_id, second.state) == (first, "TX", State.RECORDED)


def test_what_was_recorded_cannot_be_sent_again(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    desk.post(enter(desk, app), {"seen": "0"})
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
    receipt = desk.post(confirm, {"seen": "0"}).headers["Location"]
    assert (
        desk.post(f"{receipt}settle", {"verdict": "recorded", "reason": "I know"}).status_code
        == 403
    )
    boss = client_of(manager)
    without = boss.post(f"{receipt}settle", {"verdict": "recorded", "reason": ""})
    assert "This field is required." in without.content.decode()
    boss.post(f"{receipt}set-aside", {"aside-reason": "customer at the counter"})
    assert Repayment.objects.get().set_aside_reason == "customer at the counter"
    done = boss.post(
        f"{receipt}settle", {"verdict": "not_recorded", "reason": "operator says no"}, follow=True
    ).content.decode()
    assert "no, says a person" in done
    assert "operator says no" in done


def test_journal_filters_and_unknown_outcomes(
    desk: Client, app: LendingApp, proxy: FaultServer
) -> None:
    desk.post(enter(desk, app, externalId="TX-GOOD"), {"seen": "0"})
    proxy.on("makeRepayment", reset())
    open_form = enter(desk, app, externalId="TX-LOST", amount="55")
    desk.post(open_form, {"seen": "0"})
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
