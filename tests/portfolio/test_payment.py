"""The payment box: from a person or a loan to the review of a repayment, and nothing sent."""

import re
from typing import Any

import pytest
import simplejson
from django.test import Client

from lendingadmin.core.staff.models import User
from lendingadmin.desk.portfolio.views.payment import NOTHING_FITS
from lendingadmin.desk.statements.models import Allocation, Batch, StatementFile, StatementLine
from lendingadmin.money.repayments.models import Repayment
from tests.conftest import ClientOf
from tests.faults.behaviours import refusal, reply
from tests.faults.server import Wire
from tests.people_index.conftest import Put, index, put  # noqa: F401
from tests.portfolio.conftest import HOME, counted, words
from tests.portfolio.service import BookService, loan
from tests.repayments.rows import row
from tests.roles import group_of

pytestmark = pytest.mark.django_db
ROLE = "support"
BOX = f"{HOME}payment"
IN_CASH = ("physical", "Cash")
ONE = "GET /v1/projects/demo/apps/kenya/loans/"


@pytest.fixture
def loans(service: BookService) -> BookService:
    """Loans of people, each read by its id or uid too."""
    service.size = 1000
    service.loans = [
        loan(1, borrowerId="B-1", uid="u-1"),
        loan(2, borrowerId="B-2"),
        loan(3, borrowerId="B-2"),
        loan(4, borrowerId="B-3"),
    ]

    def answer(wire: Wire) -> bool:
        key = wire.request.path.rpartition("/")[2]
        found = [one for one in service.loans if key in (one["accountId"], one.get("uid"))]
        if not found:
            return refusal(404, "not found")(wire)
        return reply(simplejson.dumps(found[0], use_decimal=True).encode())(wire)

    service.server.on(ONE, answer)
    return service


@pytest.fixture
def people(loans: BookService, put: Put) -> BookService:  # noqa: F811
    """Ann holds one open loan, Beth two, two Otienos one between them."""
    put("B-1", surname="Kamau", othernames="Ann", phoneNumber="+254700012345", borrower_no=71)
    put("B-2", surname="Njeri", othernames="Beth", phoneNumber="+254700000002")
    put("B-3", surname="Otieno", othernames="Carol", phoneNumber="+254711000003")
    put("B-4", surname="Otieno", othernames="David", phoneNumber="+254711000004")
    counted()
    return loans


def enter(desk: Client, who: str, amount: str = "3500", **fields: str) -> Any:
    """Fill in the box of the home page and press Enter."""
    token = re.search(r'name="token" value="([^"]+)"', desk.get(HOME).content.decode())
    assert token
    given = {"who": who, "amount": amount, "externalId": "TX-1", "token": token[1]}
    return desk.post(BOX, given | fields)


def loan_of(answer: Any) -> str:
    """The loan whose review an answer leads to."""
    found = re.fullmatch(
        r"/apps/kenya/loans/(.+)/repayments/[^/]+/confirm", answer.headers.get("Location", "")
    )
    assert found, words(answer.content.decode())
    return found[1]


def error_of(answer: Any, name: str) -> str:
    """What is said beside a field."""
    assert answer.status_code == 200
    html = answer.content.decode()
    found = re.search(rf'name="{name}".*?<ul class="errorlist"[^>]*>(.*?)</ul>', html, re.S)
    assert found, words(html)
    return words(found[1])


@pytest.mark.parametrize("who", ["L-001", "u-1", " L-001 "])
def test_a_loan_by_its_id_leads_to_its_review(who: str, desk: Client, loans: BookService) -> None:
    answer = enter(desk, who, "3500.50")
    assert loan_of(answer) == "L-001"
    review = desk.get(answer.headers["Location"])
    text = words(review.content.decode())
    assert "3,500.50" in text and "TX-1" in text and "L-001" in text
    assert Repayment.objects.count() == 0
    assert loans.server.hits("POST /v1/projects") == 0


@pytest.mark.parametrize(
    "who", ["Ann Kamau", "kamau ann", "+254700012345", "0700 012 345", "700012345", "B-1", "71"]
)
def test_a_person_with_one_open_loan_leads_to_its_review(
    who: str, desk: Client, people: BookService
) -> None:
    answer = enter(desk, who)
    assert loan_of(answer) == "L-001"
    assert "kamau" not in answer.headers["Location"].lower()
    assert Repayment.objects.count() == 0


@pytest.mark.parametrize(
    ("who", "shown"),
    [
        ("Beth Njeri", {"L-002", "L-003"}),  # who has two
        ("Otieno", {"L-004"}),  # two of that name
        ("Kama", {"L-001"}),  # the beginning of a name may be another's
        ("Kamua", {"L-001"}),  # and so may a mistyped one
        ("2345", {"L-001"}),  # and the ending of a phone
    ],
)
def test_what_may_mean_others_is_chosen_and_what_was_typed_stays(
    who: str, shown: set[str], desk: Client, people: BookService
) -> None:
    answer = enter(desk, who, "3500")
    html = answer.content.decode()
    assert answer.status_code == 200
    assert set(re.findall(r'name="loan" value="([^"]+)"', html)) == shown
    assert f'value="{who}"' in html and 'value="3500"' in html and 'value="TX-1"' in html
    token = re.search(r'name="token" value="([^"]+)"', html)
    assert token
    chosen = sorted(shown)[0]
    given = {"who": who, "amount": "3500", "externalId": "TX-1", "token": token[1], "loan": chosen}
    assert loan_of(desk.post(BOX, given)) == chosen


def paid_through(desk: Client, answer: Any) -> tuple[str, str]:
    """The channel and the network that a review would record."""
    asked = desk.get(answer.headers["Location"]).context["asked"]
    return asked.channel, asked.network


def test_channel_and_network_are_those_last_used_here(
    desk: Client, support: User, loans: BookService
) -> None:
    row(support, channel="mobile", network="M-PESA")
    assert paid_through(desk, enter(desk, "L-001")) == ("mobile", "M-PESA")


def test_without_a_transaction_id_it_is_cash(
    desk: Client, support: User, loans: BookService
) -> None:
    row(support, channel="mobile", network="M-PESA")
    assert paid_through(desk, enter(desk, "L-001", externalId="")) == IN_CASH
    row(support, channel="physical", network="Cash", external_id_minted=True)
    assert paid_through(desk, enter(desk, "L-001")) == ("mobile", "M-PESA")


def edit(desk: Client, answer: Any, **changed: str) -> Any:
    """Go from a review back to its form, change fields and go to the review again."""
    form = desk.get(answer.headers["Location"]).context["edit_url"]
    page = desk.get(form)
    given = page.context["form"]
    sent = {name: given[name].value() or "" for name in ("amount", "currencyCode", "externalId")}
    sent |= {name: given[name].value() or "" for name in ("channel", "network")}
    for name in ("transactionDate", "token"):
        found = re.search(rf'name="{name}" value="([^"]+)"', page.content.decode())
        assert found
        sent[name] = found[1]
    return desk.post(form, sent | changed)


@pytest.mark.parametrize("last", [("", ""), ("mobile", "M-PESA")])
def test_a_person_may_say_that_it_is_no_cash(
    last: tuple[str, str], desk: Client, support: User, loans: BookService
) -> None:
    row(support, channel=last[0], network=last[1])
    answer = enter(desk, "L-001", externalId="")
    answer = edit(desk, answer, channel="mobile", network="M-PESA")
    assert paid_through(desk, answer) == ("mobile", "M-PESA")
    assert paid_through(desk, edit(desk, answer)) == ("mobile", "M-PESA")


def test_a_code_that_is_added_or_removed_in_the_form_decides_again(
    desk: Client, support: User, loans: BookService
) -> None:
    row(support, channel="mobile", network="M-PESA")
    answer = enter(desk, "L-001", externalId="")
    assert paid_through(desk, answer) == IN_CASH
    answer = edit(desk, answer, externalId="TX-9")
    assert paid_through(desk, answer) == ("mobile", "M-PESA")
    answer = edit(desk, answer, externalId="")
    assert paid_through(desk, answer) == IN_CASH
    # A code of a receipt book.
    answer = edit(desk, edit(desk, answer, externalId="BOOK-1"), network="Cash")
    assert paid_through(desk, edit(desk, answer)) == ("mobile", "Cash")


@pytest.mark.parametrize(
    ("chosen", "recorded"),
    [
        ({"channel": "physical"}, ("physical", "Cash")),
        ({"channel": ""}, ("physical", "Cash")),
        ({"network": "cash"}, ("physical", "Cash")),
        ({"channel": "web"}, ("web", "")),
        ({"network": "Equity"}, ("mobile", "Equity")),
    ],
)
def test_the_network_of_the_last_entry_is_not_taken_for_an_entry_without_a_code(
    chosen: dict[str, str],
    recorded: tuple[str, str],
    desk: Client,
    support: User,
    loans: BookService,
) -> None:
    row(support, channel="mobile", network="M-PESA")
    page = desk.get(f"{HOME}loans/L-001/repayments/new")
    sent = {"amount": "5", "channel": "mobile", "network": "M-PESA"}
    for name in ("transactionDate", "token"):
        found = re.search(rf'name="{name}" value="([^"]+)"', page.content.decode())
        assert found
        sent[name] = found[1]
    answer = desk.post(page.request["PATH_INFO"], sent | chosen)
    assert paid_through(desk, answer) == recorded


def test_a_batch_says_nothing_of_how_a_person_is_paid(
    desk: Client, support: User, loans: BookService
) -> None:
    row(support, channel="web", network="A bank")
    entered = row(support, channel="mobile", network="M-PESA")
    file = StatementFile.objects.create(app_id="kenya", digest="1", token="1", created_by=support)
    line = StatementLine.objects.create(file=file, position=1, number=1, kind="payment")
    batch = Batch.objects.create(file=file, created_by=support)
    Allocation.objects.create(
        batch=batch, line=line, position=1, amount=1, finding="fine", repayment=entered
    )
    assert paid_through(desk, enter(desk, "L-001")) == ("web", "A bank")


def test_a_person_without_an_open_loan_is_shown_as_such(desk: Client, people: BookService) -> None:
    html = enter(desk, "David Otieno").content.decode()
    assert 'data-state="no-loan"' in html and f"{HOME}borrowers/B-4/" in html
    assert 'name="loan"' not in html


def test_nobody_is_said_beside_the_field(desk: Client, people: BookService) -> None:
    answer = enter(desk, "Zawadi")
    assert error_of(answer, "who") == str(NOTHING_FITS)
    html = answer.content.decode()
    assert 'value="Zawadi"' in html and 'value="3500"' in html and "autofocus" in html


@pytest.mark.parametrize(
    ("fields", "name"),
    [({"amount": "-3"}, "amount"), ({"amount": ""}, "amount"), ({"who": ""}, "who")],
)
def test_bad_input_is_said_beside_its_field_and_asks_nobody(
    fields: dict[str, str], name: str, desk: Client, people: BookService
) -> None:
    before = people.server.hits()
    given = {"who": "Ann Kamau"} | fields
    answer = enter(desk, **given)
    assert error_of(answer, name)
    assert 'value="TX-1"' in answer.content.decode()
    assert people.server.hits() == before


def test_a_service_that_is_down_keeps_what_was_typed(
    desk: Client, people: BookService, refused_address: str, settings: Any
) -> None:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = refused_address
    answer = enter(desk, "Ann Kamau")
    html = answer.content.decode()
    assert answer.status_code == 200 and 'value="Ann Kamau"' in html and 'value="3500"' in html
    assert Repayment.objects.count() == 0


def test_who_may_not_record_has_no_box_and_is_refused(
    client_of: ClientOf, officer: User, loans: BookService
) -> None:
    other = client_of(officer)
    assert "data-payment-box" not in other.get(HOME).content.decode()
    assert other.post(BOX, {"who": "L-001", "amount": "1"}).status_code == 403
    assert other.get(BOX).status_code == 403


def test_who_may_not_search_people_still_finds_a_loan(
    desk: Client, support: User, people: BookService
) -> None:
    group = group_of(support)
    group.permissions.remove(group.permissions.get(codename="borrowers.search"))
    assert loan_of(enter(desk, "L-002")) == "L-002"
    assert error_of(enter(desk, "Ann Kamau"), "who")


def test_what_was_typed_of_a_person_stands_in_no_address(desk: Client, people: BookService) -> None:
    html = enter(desk, "Njeri").content.decode()
    assert not re.search(r'(href|action)="[^"]*Njeri', html)
    assert desk.post(BOX, {"who": "x"}).headers["Cache-Control"].count("no-store") == 1
