"""Key facts of a contract: odd contracts, random contracts against an adder, the pages."""

import json
import re
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import simplejson
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.policies.lender import LENDER, Lender
from lendingadmin.core.staff.erasure import erase_borrower
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import MAKE_PAPERS, SEE_NAMES
from lendingadmin.desk.papers.contents import Content, Subject, Table
from lendingadmin.desk.papers.figures import REASONS, Unfit
from lendingadmin.desk.papers.key_facts import Lent, read_facts, write_key_facts
from lendingadmin.desk.papers.models import Paper, PaperKind
from lendingadmin.lending.codec import decode
from lendingadmin.lending.values import LendingContract
from lendingadmin.records.offers.models import OfferRequest
from tests.conftest import ClientOf
from tests.faults.behaviours import late, refusal, reply
from tests.offers.conftest import asked, make_service, offered
from tests.offers.service import (
    APP,
    ASKED,
    CONTRACT,
    OFFER,
    PRODUCTS,
    OfferService,
    contract,
    hidden,
)
from tests.policies.setting import set_policy
from tests.roles import hold_only

__all__ = ["asked", "make_service", "offered"]

NOW = datetime(2026, 12, 1, 8, tzinfo=UTC)
LENDER_OF_TEST = Lender("Umoja", "en", "DCP 17", "Moi Avenue", "0700", "0800 1")
ADDRESS = OFFER + "key-facts"


def read(**changes: Any) -> LendingContract:
    """The contract of the tests with changes: names are paths with dots, values are JSON."""
    found = simplejson.loads(CONTRACT, use_decimal=True)
    for path, value in changes.items():
        *way, last = path.split("__")
        at = found
        for step in way:
            at = at[int(step) if step.isdigit() else step]
        at[int(last) if last.isdigit() else last] = value
    raw = decode(simplejson.dumps(found, use_decimal=True).encode())
    assert isinstance(raw, dict)
    return LendingContract(raw)


def write(found: LendingContract, currency: str = "KES", language: str = "en") -> Content:
    app = LendingApp("kenya", currency, ZoneInfo("Africa/Nairobi"))
    subject = Subject(app, LENDER_OF_TEST, language, "Anne", "B-1", "officer", NOW)
    return write_key_facts(read_facts(found, currency), Lent("Short loan"), subject)


def table_of(content: Content, mark: str) -> Table:
    [found] = [one for one in content.tables if one.mark == mark]
    return found


def values_of(content: Content, mark: str) -> list[str]:
    return [" | ".join(row[1:]) for row in table_of(content, mark).rows]


def test_the_figures_are_those_of_the_contract() -> None:
    content = write(read())
    assert values_of(content, "figures")[:5] == [
        "KES 980.00",
        "KES 1,025.50",
        "KES 1,000.00",
        "KES 25.50",
        "KES 20.00",
    ]
    figures = " ".join(values_of(content, "figures"))
    for words in ("30.6 %", "35 %", "1 Dec 2026", "31 Dec 2026", "30 days"):
        assert words in figures
    assert table_of(content, "fees").rows[0][0] == "Handling fee"
    assert table_of(content, "fees").rows[0][-1] == "20.00"
    late = " ".join(values_of(content, "late"))
    assert "10 %" in late and "3 days" in late
    assert table_of(content, "schedule").rows == [
        ["1", "31 Dec 2026", "1,000.00", "25.50", "0.00", "1,025.50"]
    ]
    assert table_of(content, "schedule").sums[2:] == ["1,000.00", "25.50", "0.00", "1,025.50"]
    assert len(content.signatures) == 3 and content.sms == ""
    assert "KES 980.00" in content.declaration and "KES 1,025.50" in content.declaration


SHORT = "installments__0__amounts__"
ODD: list[tuple[str, dict[str, Any]]] = [
    ("contract-unreadable", {"amounts": None}),
    ("contract-unreadable", {"amounts": "much"}),
    ("contract-unreadable", {"amounts__disbursement": None}),
    ("contract-unreadable", {"amounts__repayment": None}),
    ("contract-unreadable", {"amounts__repayment": "1,025.50"}),
    ("contract-unreadable", {"amounts__fees": "20"}),
    ("contract-unreadable", {"installments": None}),
    ("contract-unreadable", {"installments": []}),
    ("contract-unreadable", {"installments": [None]}),
    ("contract-unreadable", {"installments__0__dueDate": None}),
    ("contract-unreadable", {"installments__0__dueDate": "31 December"}),
    ("contract-unreadable", {"installments__0__amounts": None}),
    ("contract-unreadable", {SHORT + "repayment": None}),
    ("contract-unreadable", {SHORT + "interest": "25"}),
    ("contract-unreadable", {"interestRates__APR": "30 %"}),
    ("contract-unreadable", {"interestRates": []}),
    ("contract-unreadable", {"terms": "none"}),
    ("contract-unreadable", {"terms__fees": {}}),
    ("contract-unreadable", {"terms__fees": ["fee"]}),
    ("contract-unreadable", {"terms__fees": [{"kind": "fee", "value": "2 %"}]}),
    ("contract-unreadable", {"terms__penalty": 1}),
    ("contract-unreadable", {"terms__penalty__rate": "10 %"}),
    ("contract-unreadable", {"adjustments": {}}),
    ("contract-changes", {"adjustments__0__action": "add"}),
    ("contract-changes", {"adjustments__0__target": "repayment"}),
    ("contract-changes", {"adjustments__0__valueType": "ratio"}),
    ("contract-changes", {"adjustments__0__value": None}),
    ("contract-currency", {"currencyCode": "USD"}),
    ("contract-unbalanced", {"amounts__repayment": Decimal("1025.51")}),
    ("contract-unbalanced", {"amounts__disbursement": Decimal("980.01")}),
    ("contract-unbalanced", {"amounts__principal": Decimal("1000.01")}),
    ("contract-unbalanced", {"amounts__interest": Decimal("25.51")}),
    ("contract-unbalanced", {"amounts__fees": Decimal("20.01")}),
    ("contract-unbalanced", {"amounts__penalty": Decimal("0.01")}),
    ("contract-unbalanced", {"adjustments": None}),
    ("contract-unbalanced", {SHORT + "interest": Decimal("25.51")}),
    ("contract-unbalanced", {SHORT + "penalty": Decimal("-0.01")}),
    ("contract-unbalanced", {"interestRates__AER": Decimal("-0.1")}),
    ("contract-unbalanced", {"terms__penalty__rate": Decimal("-0.1")}),
    # Without all parts of the instalments, the totals are compared.
    ("contract-unbalanced", {SHORT + "fees": None, "amounts__interest": Decimal("25.51")}),
]


@pytest.mark.parametrize(("code", "changes"), ODD)
def test_a_contract_that_can_t_be_read_or_does_not_add_up_has_no_key_facts(
    code: str, changes: dict[str, Any]
) -> None:
    with pytest.raises(Unfit) as error:
        read_facts(read(**changes), "KES")
    assert error.value.code == code in REASONS


def test_a_loan_without_a_contract_has_no_key_facts() -> None:
    with pytest.raises(Unfit) as error:
        read_facts(None, "KES")
    assert error.value.code == "contract-unreadable"


GIVEN: list[tuple[str, dict[str, Any], int]] = [
    ("figures", {"interestRates": None}, 2),
    ("figures", {"interestRates__APR": None}, 1),
    ("figures", {"amounts__principal": None, "amounts__interest": None}, 2),
    ("figures", {"amounts__fees": None}, 1),
    ("figures", {"terms": None}, 1),
    ("late", {"terms__penalty__rate": None}, 1),
    ("late", {"terms__penalty__gracePeriod": None}, 1),
]


@pytest.mark.parametrize(("mark", "changes", "times"), GIVEN)
def test_a_figure_that_is_not_given_is_said_to_be_missing(
    mark: str, changes: dict[str, Any], times: int
) -> None:
    values, whole = values_of(write(read(**changes)), mark), values_of(write(read()), mark)
    missing = [one for one, other in zip(values, whole, strict=True) if one != other]
    assert len(missing) == times and len(set(missing)) == 1
    assert not re.search(r"\d", missing[0])


def test_parts_of_instalments_are_shown_only_if_all_are_given() -> None:
    content = write(read(**{SHORT + "fees": None}))
    table = table_of(content, "schedule")
    assert table.rows == [["1", "31 Dec 2026", "1,025.50"]] and table.note
    assert table.sums[2:] == ["1,025.50"]


def test_penalties_have_a_column_only_if_there_are_any() -> None:
    changes = {SHORT + "penalty": 5, SHORT + "interest": Decimal("20.50")}
    changes |= {"amounts__penalty": 5, "amounts__interest": Decimal("20.50")}
    assert len(table_of(write(read(**changes)), "schedule").head) == 7


FEES: list[tuple[dict[str, Any], tuple[str, ...]]] = [
    (
        {"kind": "deducted_disbursement_fee", "displayName": "Handling fee", "value": "0.02"},
        ("Handling fee", "2 %", "deducted", "20.00"),
    ),
    (
        {"kind": "insurance", "displayName": "Cover", "value": "0.01", "required": False},
        ("Cover", "1 %", "optional", "first instalment", "—"),
    ),
]


@pytest.mark.parametrize(("fee", "words"), FEES)
def test_fees_are_named_with_what_is_known_of_them(
    fee: dict[str, Any], words: tuple[str, ...]
) -> None:
    usual = {
        "calculationMethod": "principal_amount_ratio",
        "installmentTarget": "first_in_sequence",
    }
    whole = usual | fee | {"value": Decimal(fee["value"])}
    found = values_of(write(read(terms__fees=[whole])), "fees")
    row = [" | ".join(one) for one in table_of(write(read(terms__fees=[whole])), "fees").rows]
    assert all(one in row[0] for one in words)
    # What is deducted is on the paper, under its own name if no fee has this name.
    assert len(found) == (1 if fee["kind"].startswith("deducted") else 2)


def test_a_late_fee_is_a_cost_of_lateness_and_no_other_fee() -> None:
    late = {"kind": "late_payment_fee", "displayName": "Reminder", "value": Decimal("0.015")}
    late |= {"calculationMethod": "principal_amount_ratio", "installmentTarget": "in_progress"}
    content = write(read(terms__fees=[late]))
    assert [row[0] for row in table_of(content, "fees").rows] == ["Handling fee"]
    assert table_of(content, "late").rows[-1][0] == "Reminder"
    assert "1.5 %" in table_of(content, "late").rows[-1][1]


def test_a_contract_without_fees_and_penalties_says_so() -> None:
    changes: dict[str, Any] = {"adjustments": [], "amounts__disbursement": 1000}
    none = write(read(**changes, amounts__fees=0, terms__penalty=None))
    unnamed = write(read(**changes, amounts__fees=None))
    notes = [table_of(one, "fees").note for one in (none, unnamed)]
    assert all(notes) and notes[0] != notes[1]
    assert table_of(none, "late").note and not table_of(none, "late").rows


@pytest.mark.parametrize(
    ("currency", "amount"), [("XOF", "KO 1,025.5"), ("TND", "1,025.500"), ("KES", "1,025.50")]
)
def test_amounts_have_the_decimals_of_their_currency_and_all_their_own(
    currency: str, amount: str
) -> None:
    values = values_of(write(read(), currency), "figures")
    assert values[1] == f"{currency} {amount.removeprefix('KO ')}"


@pytest.mark.parametrize("language", ["en", "fr", "sw"])
def test_reasons_and_papers_are_in_their_languages(language: str) -> None:
    content = write(read(), language=language)
    assert (content.title == PaperKind.KEY_FACTS.label) == (language == "en")


CENTS = st.integers(0, 10_000_000).map(lambda cents: Decimal(cents) / 100)
CENT = Decimal("0.01")
PARTS = st.tuples(CENTS, CENTS, CENTS, CENTS)


@st.composite
def contracts(draw: st.DrawFn) -> tuple[dict[str, Any], list[tuple[Decimal, ...]], list[Decimal]]:
    """A contract that adds up, its instalments' parts, and what is deducted."""
    parts = draw(st.lists(PARTS, min_size=1, max_size=12))
    principal = sum((one[0] for one in parts), Decimal(0))
    third = int(principal * 100) // 3
    shares = draw(st.lists(st.integers(0, third), max_size=3))
    deducted = [Decimal(share) / 100 for share in shares]
    rows = [
        {
            "sequenceNo": place,
            "dueDate": (NOW + timedelta(days=place)).isoformat().replace("+00:00", "Z"),
            "amounts": dict(
                zip(
                    ("repayment", "principal", "interest", "fees", "penalty"),
                    (sum(one, Decimal(0)), *one),
                    strict=True,
                )
            ),
        }
        for place, one in enumerate(parts, start=1)
    ]
    inner = draw(st.booleans())
    amounts = {
        "disbursement": principal - sum(deducted, Decimal(0)),
        "principal": principal,
        "interest": sum((one[1] for one in parts), Decimal(0)),
        "fees": sum((one[2] for one in parts), Decimal(0)) + (sum(deducted) if inner else 0),
        "penalty": sum((one[3] for one in parts), Decimal(0)),
        "repayment": sum((part for one in parts for part in one), Decimal(0)),
    }
    changes = [
        {"target": "disbursement", "action": "deduct", "valueType": "absolute", "value": one}
        for one in deducted
    ]
    raw = {"productId": "p", "amounts": amounts, "adjustments": changes, "installments": rows}
    return raw, parts, deducted


@given(contracts(), st.data())
def test_random_key_facts_add_up_by_an_adder_of_their_own(
    made: tuple[dict[str, Any], list[tuple[Decimal, ...]], list[Decimal]], data: st.DataObject
) -> None:
    """A contract that adds up has a paper that adds up; one cent elsewhere, and there is none."""
    raw, parts, deducted = made
    content = write(LendingContract(raw))
    table = table_of(content, "schedule")

    def cents(text: str) -> int:
        return int(text.replace(",", "").replace(".", ""))

    for row in table.rows:
        assert sum(map(cents, row[2:-1])) == cents(row[-1])
    for place in range(2, len(table.head)):
        assert sum(cents(row[place]) for row in table.rows) == cents(table.sums[place])
    received_words, repaid_words, lent_words = values_of(content, "figures")[:3]
    taken = sum(cents(row[-1]) for row in table_of(content, "fees").rows)
    assert cents(received_words[4:]) + taken == cents(lent_words[4:])
    assert cents(repaid_words[4:]) == cents(table.sums[-1])
    place = data.draw(st.integers(0, len(parts) - 1))
    for path in list_figures(raw, place):
        # A cent more of fees may be the deducted cent: a service may count it among the fees.
        if path == ["amounts", "fees"] and sum(deducted) == CENT:
            continue
        with pytest.raises(Unfit):
            read_facts(LendingContract(change(raw, (path, CENT))), "KES")
    # Nor may a cent move from one instalment to another.
    if len(parts) > 1 and parts[place][1]:
        way = ["installments", place, "amounts"]
        other = ["installments", (place + 1) % len(parts), "amounts"]
        moved = change(raw, ([*way, "interest"], -CENT), ([*other, "interest"], CENT))
        with pytest.raises(Unfit):
            read_facts(LendingContract(moved), "KES")


def list_figures(raw: dict[str, Any], place: int) -> list[list[Any]]:
    """The ways to the totals, and to the figures of one instalment."""
    row = ["installments", place, "amounts"]
    return [
        *(["amounts", name] for name in raw["amounts"]),
        *([*row, name] for name in raw["installments"][place]["amounts"]),
    ]


def change(raw: dict[str, Any], *changes: tuple[list[Any], Decimal]) -> dict[str, Any]:
    """The contract with other figures, each changed by an amount."""
    found = deepcopy(raw)
    for way, by in changes:
        at: Any = found
        for step in way[:-1]:
            at = at[step]
        at[way[-1]] += by
    return found


def make(desk: Client, address: str = ADDRESS + ASKED, **fields: str) -> Any:
    """Send the form as the page offers it; the answer."""
    page = desk.get(address)
    given = {"token": hidden(page, "token"), "product": "short", "language": "en"}
    given |= {"amount": "1000.00", "startDate": "2026-12-01"}
    return desk.post(address, given | fields)


def finding(answer: Any) -> str:
    assert not Paper.objects.exists()
    found = re.search(r'class="notice[^>]*data-finding="([^"]+)"', answer.content.decode())
    return found[1] if found else ""


@pytest.fixture
def named(service: OfferService, offered: OfferRequest) -> OfferRequest:
    """An offer of a borrower with a name."""
    person = {"surname": "WANJIRU", "othernames": "ANNE"}
    borrower = {"borrowerId": "B-1", "category": "individual", "individual": person}
    service.answers(f"GET {APP}/borrowers/B-1", lambda: borrower)
    return offered


pages = pytest.mark.django_db(transaction=True)


@pages
def test_the_previewed_contract_is_on_the_paper(
    desk: Client, service: OfferService, named: OfferRequest
) -> None:
    set_policy(LENDER, name="Umoja Credit", complaints="0800 1")
    answer = make(desk)
    assert answer.status_code == 302
    assert service.server.hits("/products?") == 2  # for the form, and with the preview
    asked_for = service.server.last(":getOfferContracts").json()
    assert [one["productId"] for one in asked_for["offerSummary"]["products"]] == ["short"]
    assert (asked_for["amount"], asked_for["startDate"][:10]) == (1000, "2026-12-01")
    page = desk.get(answer.headers["Location"]).content.decode()
    assert 'data-sheet="key-facts"' in page
    assert re.findall(r'data-table="(\w+)"', page) == ["figures", "fees", "late", "schedule"]
    for words in ("KES 980.00", "KES 1,025.50", "Short loan", "WANJIRU ANNE", "r-1", "0800 1"):
        assert words in page
    assert 'data-action="copy-sms"' not in page and "style=" not in page
    [paper] = Paper.objects.all()
    assert (paper.kind, paper.borrower_id, paper.account_id) == (PaperKind.KEY_FACTS, "B-1", "")
    again = desk.get(answer.headers["Location"]).content.decode()
    assert 'data-finding="reprint"' in again
    [made, *_] = Entry.objects.filter(action=MAKE_PAPERS).order_by("pk")
    assert made.outcome == "made" and made.subject == f"B-1 {paper}"


@pages
def test_pages_of_the_offer_lead_to_its_key_facts(
    desk: Client, service: OfferService, named: OfferRequest, client_of: ClientOf, viewer: User
) -> None:
    for address in (OFFER, f"{OFFER}contracts{ASKED}"):
        page = desk.get(address).content.decode()
        [link] = re.findall(r'<a[^>]*data-papers[^>]*href="([^"]+)"', page)
        assert link.startswith(ADDRESS), address
    assert ADDRESS not in client_of(viewer).get(f"{OFFER}contracts{ASKED}").content.decode()


def list_fields(page: Any, row: str) -> dict[str, str]:
    """Return the hidden fields of the form in a part of a page."""
    [part] = re.findall(row, page.content.decode(), re.DOTALL)
    fields = re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', part)
    assert fields
    return dict(fields)


@pages
def test_a_borrower_s_page_of_papers_makes_key_facts_for_the_limit_of_an_offer(
    desk: Client, service: OfferService, named: OfferRequest
) -> None:
    page = desk.get("/apps/kenya/borrowers/B-1/papers/")
    fields = list_fields(page, r'data-suggested="key-facts".*?</li>')
    buttons = re.findall(r'name="product" value="([^"]+)"', page.content.decode())
    assert buttons == ["short", "long"]
    assert desk.post(ADDRESS, {**fields, "product": "short"}).status_code == 302
    asked_for = service.server.last(":getOfferContracts").json()
    assert asked_for["amount"] == named.response.credit_limit
    assert Paper.objects.get().kind == PaperKind.KEY_FACTS


NEW_LOAN = f"{OFFER}contracts/short/loan{ASKED}"
DRAFT = r'<form[^>]*target="_blank".*?</form>'


def make_of_draft(desk: Client, page: Any, **fields: str) -> Any:
    """Press the button for key facts on the page of a new loan."""
    given = list_fields(page, DRAFT) | {"product": "short", "language": "en"}
    return desk.post(ADDRESS + ASKED, given | fields)


@pages
def test_key_facts_on_the_page_of_a_new_loan_have_the_contract_that_is_sent(
    desk: Client, service: OfferService, named: OfferRequest
) -> None:
    page = desk.get(NEW_LOAN)
    previews = service.server.hits(":getOfferContracts")
    service.contracts = [contract("short", "1060.00", "530.00", "530.00")]
    answer = make_of_draft(desk, page)
    assert answer.status_code == 302
    assert service.server.hits(":getOfferContracts") == previews
    paper = desk.get(answer.headers["Location"]).content.decode()
    assert "KES 1,025.50" in paper and "1,060.00" not in paper
    # The page of a new loan previews again, so the customer may have other key facts.
    assert 'data-finding="other-facts"' in desk.get(NEW_LOAN).content.decode()
    service.contracts = [CONTRACT]
    assert 'data-finding="other-facts"' not in desk.get(NEW_LOAN).content.decode()


@pages
@pytest.mark.parametrize("fields", [{"draft": "made up"}, {"product": "long"}])
def test_key_facts_of_a_draft_that_is_not_saved_are_not_made(
    desk: Client, service: OfferService, named: OfferRequest, fields: dict[str, str]
) -> None:
    answer = make_of_draft(desk, desk.get(NEW_LOAN), **fields)
    assert answer.status_code == 200 and list(answer.context["form"].errors) == ["__all__"]
    assert not Paper.objects.exists()


@pages
def test_who_may_make_no_papers_has_no_form_on_the_page_of_a_new_loan(
    service: OfferService, named: OfferRequest, client_of: ClientOf, viewer: User
) -> None:
    hold_only(
        viewer,
        "lending.loans.create",
        "lending.borrowers.getOfferContracts",
        "lending.borrowers.get",
    )
    page = client_of(viewer).get(NEW_LOAN)
    assert page.status_code == 200 and ADDRESS not in page.content.decode()


@pages
def test_the_form_begins_with_what_was_previewed(
    desk: Client, service: OfferService, named: OfferRequest
) -> None:
    form = desk.get(f"{ADDRESS}?amount=777&startDate=2026-12-05&product=long").context["form"]
    assert (form["amount"].value(), form["startDate"].value()) == ("777", "2026-12-05")
    assert [value for _name, value, _label in form.buttons] == ["long", "short"]


@pages
@pytest.mark.parametrize(
    ("contracts", "code"),
    [
        ([], "no-contract"),
        ([contract("long", "1060.00", "530.00", "530.00")], "no-contract"),
        (["17"], "contract-unreadable"),
        ([CONTRACT, CONTRACT], "several-contracts"),
        (
            [CONTRACT.replace('"disbursement": 980.00', '"disbursement": 981')],
            "contract-unbalanced",
        ),
        ([CONTRACT.replace('"disbursement": 980.00, ', "")], "contract-unreadable"),
    ],
)
def test_without_one_contract_that_adds_up_there_are_no_key_facts(
    desk: Client, service: OfferService, named: OfferRequest, contracts: list[str], code: str
) -> None:
    service.contracts = contracts
    assert finding(make(desk)) == code


@pages
@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"product": "other"}, "product"),
        ({"language": "xx"}, "language"),
        ({"amount": "much"}, "amount"),
        ({"amount": "", "startDate": ""}, "amount"),
        ({"token": "made up"}, "__all__"),
    ],
)
def test_a_form_that_makes_no_sense_makes_no_key_facts(
    desk: Client, service: OfferService, named: OfferRequest, fields: dict[str, str], field: str
) -> None:
    answer = make(desk, **fields)
    assert answer.status_code == 200 and list(answer.context["form"].errors) == [field]
    assert not Paper.objects.exists()


@pages
@pytest.mark.parametrize("fault", ["slow", "gone"])
def test_the_form_does_not_wait_for_names_of_products(
    desk: Client, service: OfferService, named: OfferRequest, fault: str
) -> None:
    def list_labels() -> list[str]:
        form = desk.get(ADDRESS + ASKED).context["form"]
        return [label for _name, _value, label in form.buttons]

    assert "Short loan" in list_labels()
    answer = json.dumps({"products": PRODUCTS})
    # The slow answer has the names too, so a page that waits for it shows them.
    late_names = late(reply(answer), 5)
    service.server.on("/products?", late_names if fault == "slow" else refusal(500, "gone"))
    assert list_labels() == ["short", "long"]


@pages
def test_a_service_that_is_gone_makes_no_key_facts(
    desk: Client, service: OfferService, named: OfferRequest
) -> None:
    page = desk.get(ADDRESS + ASKED)
    service.server.on(":getOfferContracts", refusal(500, "gone"))
    service.server.on("GET ", refusal(500, "gone"))
    given = {"token": hidden(page, "token"), "product": "short", "language": "en", "amount": "1"}
    assert desk.post(ADDRESS, given).status_code == 502
    assert not Paper.objects.exists()


@pages
def test_a_request_without_an_offer_or_of_another_has_no_page(
    desk: Client, service: OfferService, asked: Any
) -> None:
    assert desk.get(ADDRESS).status_code == 404
    asked()
    assert desk.get(ADDRESS).status_code == 404


@pages
def test_key_facts_of_a_masked_role_and_of_erasure(
    desk: Client, service: OfferService, named: OfferRequest, client_of: ClientOf, viewer: User
) -> None:
    place = make(desk).headers["Location"]
    for address in (ADDRESS, place):
        assert client_of(viewer).get(address).status_code == 403
    # The right to names and papers is not enough without the right to previews.
    hold_only(viewer, MAKE_PAPERS, SEE_NAMES, "lending.borrowers.get", "lending.loans.get")
    for address in (ADDRESS, place):
        assert client_of(viewer).get(address).status_code == 403
    [paper] = Paper.objects.all()
    timeline = desk.get("/apps/kenya/borrowers/B-1/timeline/").content.decode()
    assert paper.get_absolute_url() in timeline
    erase_borrower("kenya", "B-1")
    assert Paper.objects.get().content == ""
