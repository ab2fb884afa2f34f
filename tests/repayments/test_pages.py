"""Recording a repayment as a person does it, against the running sandbox."""

import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.core.exceptions import NON_FIELD_ERRORS
from django.db import connection
from django.test import Client
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.evidence import Effect
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.web.models import Draft
from tests.conftest import ClientOf
from tests.faults.server import FaultServer
from tests.repayments.pages import enter, filled, hidden, new_url, press
from tests.repayments.rows import NOON, row
from tests.repayments.threads import at_once
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db(transaction=True)


def test_from_the_form_to_the_receipt(desk: Client, app: LendingApp, book: Caller) -> None:
    confirm = enter(desk, app, channel="mobile", network="M-PESA", notes="thanks")
    page = desk.get(confirm).content.decode()
    assert re.search(r"<h1>[^<]*KES\s100.00[^<]*</h1>", page)
    assert "M-PESA" in page and "thanks" in page and 'data-field="currency"' not in page
    assert 'aria-labelledby="estimate"' in page
    assert Repayment.objects.count() == 0
    receipt = press(desk, confirm, follow=True).content.decode()
    assert 'data-state="recorded"' in receipt and 'data-saved="yes"' in receipt
    assert str(Effect.SEEN.label) in receipt
    assert book.get("/loans/l").body["balances"]["repayment"]["paid"] == Decimal("100")
    assert Draft.objects.count() == 0


def test_a_confirmation_takes_few_queries(
    desk: Client, app: LendingApp, book: Caller, django_assert_max_num_queries: Any
) -> None:
    confirm = enter(desk, app)
    fields = hidden(desk.get(confirm))
    # Most of them are the four transactions and the three entries of the trail, which PostgreSQL
    # locks with a statement each.
    with django_assert_max_num_queries(38 if connection.vendor == "sqlite" else 41):
        assert desk.post(confirm, fields).status_code == 302
    assert Repayment.objects.get().state == RepaymentState.RECORDED


def test_nothing_that_is_prefilled_is_refused(desk: Client, app: LendingApp, book: Caller) -> None:
    offered = filled(desk.get(new_url(app)))
    assert desk.post(new_url(app), offered).status_code == 302


@pytest.mark.parametrize(
    ("field", "value", "code", "parts"),
    [
        ("amount", "", "required", []),
        ("amount", "0", "min_value", []),
        ("amount", "-5", "unreadable", []),
        ("amount", "1e3", "unreadable", []),
        ("amount", "NaN", "unreadable", []),
        ("amount", "٥٠٠", "unreadable", []),
        ("amount", "1.500", "ambiguous", ["1500", "1.50"]),
        ("amount", "USD 5", "currency", ["KES", "USD"]),
        ("amount", "010.001", "decimals", ["KES", "2"]),
        ("amount", "12345678901234567", "max_digits", []),
        ("amount", "1234567890123", "max_whole_digits", ["12"]),
        ("currencyCode", "XYZZ", "max_length", ["3"]),
        ("currencyCode", "QQQ", "currency", []),
        ("externalId", "a\x07b", "control", []),
        ("externalId", "TX\u200b", "invisible", []),
        ("channel", "pigeon", "invalid_choice", []),
        ("otherNetwork", "a\x07b", "control", []),
        ("transactionDate", "", "required", []),
        ("transactionDate", "yesterday", "invalid", []),
        ("valueDate", "31.12.2026", "invalid", []),
        ("transactionDate", "0001-01-01T00:00", "year", []),
        ("valueDate", "9999-12-31T23:59", "year", []),
    ],
)
def test_bad_input_is_answered_beside_its_field(
    desk: Client,
    app: LendingApp,
    book: Caller,
    field: str,
    value: str,
    code: str,
    parts: list[str],
) -> None:
    answer = desk.post(new_url(app), filled(desk.get(new_url(app)), notes="kept", **{field: value}))
    page = answer.content.decode()
    assert answer.status_code == 200
    errors = re.search(rf'<ul class="errorlist" id="id_{field}_error".*?</ul>', page, re.DOTALL)
    assert errors and all(part in errors[0] for part in parts)
    assert answer.context["form"].has_error(field, code)
    assert "kept" in page
    assert Draft.objects.count() == 0


def test_a_transaction_in_the_future_is_refused_and_a_value_date_only_warned_of(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    soon = timezone.localtime(timezone.now() + timedelta(hours=2), app.zone)
    text = soon.strftime("%Y-%m-%dT%H:%M")
    answer = desk.post(new_url(app), filled(desk.get(new_url(app)), transactionDate=text))
    assert answer.context["form"].has_error("transactionDate", "future")
    assert 'id="id_transactionDate_error"' in answer.text
    confirm = desk.get(enter(desk, app, valueDate=text)).content.decode()
    assert 'data-finding="value-date-ahead"' in confirm


def test_dates_are_the_lender_s(desk: Client, app: LendingApp, book: Caller) -> None:
    enter(desk, app, transactionDate="2026-01-31T23:30")
    confirm = desk.get(enter(desk, app, transactionDate="2026-01-31T23:30"))
    assert "31 Jan 2026, 23:30" in confirm.content.decode()
    press(desk, confirm.request["PATH_INFO"])
    repayment = Repayment.objects.get()
    assert repayment.transaction_date.isoformat() == "2026-01-31T20:30:00+00:00"
    assert repayment.value_date == repayment.transaction_date


@pytest.mark.parametrize(
    ("typed", "currency", "amount"),
    [
        ("1,000.50", "KES", "1000.50"),
        ("KES 1 000", "KES", "1000"),
        ("1000/=", "KES", "1000"),
        ("USD 70", "USD", "70"),
    ],
)
def test_an_amount_is_read_as_it_is_written(
    desk: Client, app: LendingApp, book: Caller, typed: str, currency: str, amount: str
) -> None:
    page = desk.get(enter(desk, app, amount=typed, currencyCode=currency))
    assert page.context["asked"].amount == Decimal(amount)


def test_more_than_is_owed_is_ticked(desk: Client, app: LendingApp, book: Caller) -> None:
    confirm = enter(desk, app, amount="99999")
    page = desk.get(confirm)
    owed = page.context["estimate"].owed
    tick = re.search(
        r"(?s)<label class=.pick.>(<input[^>]*>)\s*(.*?)</label>", page.content.decode()
    )
    assert tick and "required" in tick[1] and "autofocus" in tick[1]
    assert f"{99999 - owed:,.2f}" in tick[2]
    stopped = desk.post(confirm, hidden(page))
    assert 'data-obstacle="overpaid"' in stopped.text
    # The page's own word that there is nothing to tick is not taken for it.
    assert desk.post(confirm, hidden(page) | {"overpaid": ""}).status_code == 200
    assert Repayment.objects.count() == 0
    press(desk, confirm, may_overpay="yes")
    assert Repayment.objects.get().exact_amount == 99999


def test_what_is_owed_or_less_takes_no_tick(desk: Client, app: LendingApp, book: Caller) -> None:
    owed = desk.get(enter(desk, app)).context["estimate"].owed
    page = desk.get(enter(desk, app, amount=f"{owed:f}")).content.decode()
    assert 'type="checkbox"' not in page
    button = re.search(r'(?s)<button class="main".*?</button>', page)
    assert button and "autofocus" in button[0]
    assert re.search(rf"KES\s{owed:,.2f}</button>", page)


def test_another_currency_is_not_set_against_what_is_owed(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    page = desk.get(enter(desk, app, amount="99999", currencyCode="USD")).content.decode()
    assert 'type="checkbox"' not in page and 'data-finding="not-converted"' in page


def chosen(page: object, name: str) -> list[str]:
    """The values of the radio buttons of this name, the chosen one first."""
    text = page.content.decode()  # type: ignore[attr-defined]
    found = re.findall(rf'<input type="radio" name="{name}" value="([^"]*)"([^>]*)>', text)
    return [value for value, rest in sorted(found, key=lambda one: "checked" not in one[1])]


def test_the_channel_and_network_used_last_are_chosen(
    desk: Client, app: LendingApp, book: Caller, client_of: ClientOf, manager: User, support: User
) -> None:
    form = desk.get(new_url(app))
    assert chosen(form, "channel")[0] == "" and chosen(form, "network") == []
    own = {"app_id": app.app_id, "account_id": "l"}
    row(support, channel="web", network="A bank", created_at=NOON, **own)
    row(support, channel="mobile", network="M-PESA", **own)
    row(manager, channel="web", network="Airtel", **own)
    row(manager, channel="web", network="Airtel", account_id="l2", app_id=app.app_id)
    row(support, channel="web", network="Elsewhere", app_id="another")
    form = desk.get(new_url(app))
    assert chosen(form, "channel")[0] == "mobile"
    assert chosen(form, "network") == ["M-PESA", "", "Airtel", "A bank"]
    assert chosen(client_of(manager).get(new_url(app)), "network")[0] == "Airtel"
    # What a person edits keeps what was entered, also where that is none.
    confirm = enter(desk, app, network="")
    form = desk.get(desk.get(confirm).context["edit_url"])
    assert chosen(form, "network")[0] == "" and chosen(form, "channel")[0] == ""


def test_another_network_is_typed_and_wins(desk: Client, app: LendingApp, book: Caller) -> None:
    confirm = enter(desk, app, network="M-PESA", otherNetwork="Equity")
    assert desk.get(confirm).context["asked"].network == "Equity"
    form = desk.get(desk.get(confirm).context["edit_url"])
    assert chosen(form, "network")[0] == "Equity"


@pytest.mark.parametrize(
    ("fields", "is_open"),
    [
        ({}, False),
        ({"notes": "thanks"}, True),
        ({"currencyCode": "USD"}, True),
        ({"currencyCode": ""}, True),
        ({"currencyCode": "QQQ"}, True),
        ({"valueDate": "2026-01-31T23:30"}, True),
        ({"valueDate": "soon"}, True),
    ],
)
def test_more_is_open_where_something_is_wrong_or_unusual(
    desk: Client, app: LendingApp, book: Caller, fields: dict[str, str], is_open: bool
) -> None:
    page = desk.post(new_url(app), filled(desk.get(new_url(app)), amount="", **fields))
    more = re.search(r"<details ([a-z]*)>\s*<summary>More", page.content.decode())
    assert more and (more[1] == "open") == is_open


def test_the_form_opens_at_the_amount_and_then_at_what_is_wrong(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    def focused(page: object) -> list[str]:
        text = page.content.decode()  # type: ignore[attr-defined]
        return re.findall(r'name="([A-Za-z]+)"[^>]* autofocus', text)

    form = desk.get(new_url(app))
    assert focused(form) == ["amount"]
    assert focused(desk.post(new_url(app), filled(form, notes="x" * 2000))) == ["notes"]


def test_the_review_leads_to_the_form_the_loan_and_the_receipt(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    confirm = desk.post(new_url(app), filled(desk.get(new_url(app)))).headers["Location"]
    assert confirm.endswith("/confirm")
    page = desk.get(confirm)
    assert page.context["edit_url"].startswith(f"{new_url(app)}?form=")
    assert page.context["cancel_url"] == f"/apps/{app.app_id}/loans/l/"
    receipt = desk.post(confirm, hidden(page)).headers["Location"]
    assert receipt == Repayment.objects.get().get_absolute_url()
    assert desk.get(confirm).headers["Location"] == receipt


def test_the_address_may_carry_the_uid(desk: Client, app: LendingApp, book: Caller) -> None:
    uid = book.get("/loans/l").body["uid"]
    answer = desk.post(new_url(app, uid), filled(desk.get(new_url(app, uid))))
    assert "/loans/l/repayments/" in answer.headers["Location"]


def test_a_form_that_is_sent_again_lands_on_the_receipt(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    confirm = enter(desk, app)
    first = press(desk, confirm)
    again = press(desk, confirm)
    assert first.headers["Location"] == again.headers["Location"]
    assert desk.get(confirm).headers["Location"] == first.headers["Location"]
    assert book.get("/loans/l").body["balances"]["repayment"]["paid"] == Decimal("100")


def test_one_repayment_submitted_twenty_times_at_once_reaches_the_sandbox_once(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer, client_of: ClientOf
) -> None:
    confirm = enter(desk, app)
    cookies, shown = desk.cookies, hidden(desk.get(confirm))

    def submit(_: int) -> str:
        browser = Client()
        browser.cookies = cookies
        return str(browser.post(confirm, shown).headers["Location"])

    receipts = at_once(20, submit)
    assert len(set(receipts)) == 1, receipts
    assert proxy.hits("makeRepayment") == 1
    assert book.get("/loans/l").body["balances"]["repayment"]["paid"] == Decimal("100")


def test_a_confirmation_that_does_not_say_what_it_showed_records_nothing(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    confirm = enter(desk, app)
    assert desk.post(confirm, {"seen": "0"}).status_code == 200
    assert Repayment.objects.count() == 0


def test_a_draft_is_its_person_s_alone(
    desk: Client, app: LendingApp, book: Caller, client_of: ClientOf, manager: User
) -> None:
    confirm = enter(desk, app)
    answer = press(client_of(manager), confirm)
    assert answer.status_code == 302
    assert Repayment.objects.count() == 0


def test_a_token_of_another_person_keeps_nothing(
    desk: Client, app: LendingApp, book: Caller, client_of: ClientOf, manager: User
) -> None:
    offered = filled(desk.get(new_url(app)), notes="kept")
    answer = client_of(manager).post(new_url(app), offered)
    assert answer.context["form"].has_error(NON_FIELD_ERRORS, "stale")
    assert 'class="errorlist nonfield"' in answer.text and "kept" in answer.text
    assert Draft.objects.count() == 0


def test_a_draft_can_be_changed(desk: Client, app: LendingApp, book: Caller) -> None:
    confirm = enter(desk, app, amount="100.00")
    token = confirm.split("/")[-2]
    form = desk.get(f"{new_url(app)}?form={token}")
    assert 'value="100"' in form.content.decode()
    answer = desk.post(new_url(app), filled(form, amount="90"))
    assert answer.headers["Location"] == confirm
    press(desk, confirm)
    assert Repayment.objects.get().exact_amount == Decimal(90)


def test_a_look_alike_that_came_meanwhile_is_shown_first(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    one, two = enter(desk, app, externalId=""), enter(desk, app, externalId="")
    press(desk, one)
    stopped = press(desk, two, seen="0").content.decode()
    assert 'data-obstacle="look_alike"' in stopped
    assert Repayment.objects.count() == 1
    press(desk, two)
    assert Repayment.objects.filter(state=RepaymentState.RECORDED).count() == 2


def test_the_same_transaction_id_is_not_recorded_twice(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    press(desk, enter(desk, app))
    second = enter(desk, app)
    answer = press(desk, second).content.decode()
    assert 'data-finding="id-recorded"' in answer
    assert book.get("/loans/l").body["balances"]["repayment"]["paid"] == Decimal("100")
