"""A clerk registers: what has to be given, phone numbers, who may be there already."""

import re
from typing import Any

import pytest
from django.conf import settings as product
from django.contrib.messages import get_messages
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.caching import shared
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.lending.values import Borrower
from lendingadmin.people.index import live
from lendingadmin.people.index.models import BorrowerIndex
from lendingadmin.people.index.tokens import name_key
from lendingadmin.records.borrowers.policies import REQUIRED_FIELDS
from lendingadmin.records.borrowers.suggestions import count_used
from lendingadmin.web.display.phones import group_phone
from tests.borrowers.forms import PERSON, filled
from tests.conftest import ClientOf
from tests.faults.behaviours import refusal, reset
from tests.faults.server import FaultServer
from tests.people_index.conftest import make_borrower
from tests.policies.setting import set_policy
from tests.roles import hold_only
from tests.sandbox.calling import Caller
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db
NAME, PHONE = "individual__surname", "individual__phoneNumber"


def url(app: LendingApp, rest: str = "new") -> str:
    return f"/apps/{app.app_id}/borrowers/{rest}"


def send(desk: Client, app: LendingApp, **fields: str) -> Any:
    """Fill in the empty form and send it, as `n-1`."""
    return desk.post(url(app), filled(desk.get(url(app)), **{"borrowerId": "n-1"} | fields))


def text_of(answer: Any) -> str:
    return str(answer.content.decode())


def give(person: User, *rights: str) -> None:
    """Give a person these rights, and no role."""
    hold_only(person, *rights)


@pytest.fixture
def proxy(book: Caller, fault_proxy: FaultServer, settings: Any) -> FaultServer:
    """Stands between the dashboard and the sandbox."""
    standing: FaultServer = fault_proxy(book.base_url)
    settings.LENDING_BASE_URL = standing.url
    return standing


# --- what has to be given ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("required", "fields", "missing"),
    [
        (["surname", "phoneNumber"], {}, {"surname", "phoneNumber"}),
        (["surname", "phoneNumber"], {NAME: " ", PHONE: "0712345678"}, {"surname"}),
        (["surname", "phoneNumber"], {NAME: "Otieno"}, {"phoneNumber"}),
        (["governmentIdNo", "noOfDependants"], PERSON, {"governmentIdNo", "noOfDependants"}),
        (["noOfDependants"], {"individual__noOfDependants": "many"}, {"noOfDependants"}),
    ],
)
def test_what_the_lender_requires_is_refused_beside_its_field(
    desk: Client, app: LendingApp, book: Caller,
    required: list[str], fields: dict[str, str], missing: set[str],
) -> None:  # fmt: skip
    set_policy(REQUIRED_FIELDS, app.app_id, individual=required)
    page = send(desk, app, **fields)
    errors = page.context["form"].errors
    assert set(errors) == {f"individual-{name}" for name in missing}
    assert all(len(words) == 1 for words in errors.values())
    assert filled(page)["individual-phoneNumber"] == fields.get(PHONE, "")
    assert book.get("/borrowers/n-1").status == 404
    assert not Entry.objects.exists()


@pytest.mark.parametrize(
    ("required", "fields"),
    [
        ([], {}),
        (["noOfDependants"], {"individual__noOfDependants": "0"}),
        ([], {"general__category": "company", "open__company": "tradingName: Mboga"}),
    ],
)
def test_no_more_than_that_is_required(
    boss: Client, app: LendingApp, book: Caller, required: list[str],
    fields: dict[str, str],
) -> None:  # fmt: skip
    set_policy(REQUIRED_FIELDS, app.app_id, individual=required, company=["companyName"])
    assert send(boss, app, **fields).status_code == 302


def test_a_company_is_asked_for_its_own(desk: Client, app: LendingApp, book: Caller) -> None:
    form = send(desk, app, general__category="company", **PERSON).context["form"]
    assert set(form.errors) == {"company-companyName", "company-phoneNumber"}


def test_the_label_of_what_is_required_does_not_say_optional(desk: Client, app: LendingApp) -> None:
    page = text_of(desk.get(url(app)))
    assert 'for="id_individual-surname">Surname</label>' in page
    assert 'for="id_company-phoneNumber">Phone number</label>' in page
    assert re.search(r'for="id_individual-othernames">[^<]+<span', page)


def test_an_id_is_proposed(desk: Client, app: LendingApp, book: Caller) -> None:
    proposed = filled(desk.get(url(app)))["borrowerId"]
    assert proposed.startswith("B-") and proposed != filled(desk.get(url(app)))["borrowerId"]
    answer = send(desk, app, borrowerId=proposed, **PERSON)
    assert answer.headers["Location"] == url(app, f"{proposed}/")


# --- what is folded away -------------------------------------------------------------------


def is_open(answer: Any) -> bool:
    return bool(re.search(r"<details open\s*>\s*<summary>Technical", text_of(answer)))


def test_what_is_technical_opens_where_there_is_something_to_see(
    boss: Client, app: LendingApp, book: Caller
) -> None:
    assert not is_open(boss.get(url(app)))
    assert not is_open(send(boss, app))
    assert is_open(send(boss, app, open__identity='{"a": 1}'))
    assert is_open(send(boss, app, borrowerId=""))
    assert is_open(send(boss, app, json__loans="much"))


# --- phone numbers -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "kept", "is_odd"),
    [
        ("0712 345 678", "+254712345678", False),
        ("+44 20 7946 0958", "+442079460958", False),
        ("ask at the shop", "ask at the shop", True),
        ("0712 345", "0712 345", True),
    ],
)
def test_a_phone_number_gets_its_country_or_stays_as_it_was_typed(
    desk: Client, app: LendingApp, book: Caller, typed: str, kept: str, is_odd: bool
) -> None:
    answer = send(desk, app, **{NAME: "Otieno", PHONE: typed})
    assert answer.status_code == 302
    assert book.get("/borrowers/n-1").body["individual"]["phoneNumber"] == kept
    said = list(get_messages(answer.wsgi_request))
    assert [one.level_tag for one in said] == ["success"] + ["warning"] * is_odd
    assert not any(typed in str(one) for one in said)


# --- who may be there already --------------------------------------------------------------


@pytest.fixture
def index(app: LendingApp) -> BorrowerIndex:
    """The index of the app: Grace Otieno is in it."""
    row = BorrowerIndex.objects.create(app_id=app.app_id, key_name=name_key(product.PEOPLE_KEYS[0]))
    person = {"phoneNumber": "0712345678", "governmentIdNo": "11-22"}
    live.keep(app.app_id, make_borrower("old", surname="Otieno", othernames="Grace", **person))
    return row


@pytest.mark.parametrize(
    ("fields", "same"),
    [
        ({NAME: "Ouma", PHONE: "+254 712 345678"}, "same phone number"),
        ({NAME: "Ouma", PHONE: "0722", "individual__governmentIdNo": "1122"}, "same government id"),
        ({NAME: "grace", "individual__othernames": "OTIENO", PHONE: "0722"}, "same name"),
    ],
)
@pytest.mark.usefixtures("index")
def test_who_has_the_same_is_shown_before_anything_is_sent(
    desk: Client, app: LendingApp, book: Caller, fields: dict[str, str], same: str
) -> None:
    page = send(desk, app, **fields)
    text = text_of(page)
    assert list_marks(page, "finding")[:1] == ["may-be-registered"] and same in text
    assert "Otieno Grace</bdi>" in text and group_phone("0712345678") in text
    assert f'href="{url(app, "old/")}"' in text
    assert book.get("/borrowers/n-1").status == 404
    assert filled(page)["individual-surname"] == fields[NAME]
    form = filled(page, anyway=page.context["anyway"])
    for _ in range(2):
        assert desk.post(url(app), form).headers["Location"] == url(app, "n-1/")
    assert Entry.objects.filter(action="borrowers.create").count() == 1


@pytest.mark.usefixtures("index")
def test_anyway_counts_for_those_who_were_shown(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    live.keep(app.app_id, make_borrower("other", surname="Ouma", phoneNumber="+254722000111"))
    page = send(desk, app, **PERSON)
    form = filled(page, anyway=page.context["anyway"], individual__phoneNumber="0722000111")
    again = desk.post(url(app), form)
    assert f'href="{url(app, "other/")}"' in text_of(again)
    assert f'href="{url(app, "old/")}"' not in text_of(again)
    assert book.get("/borrowers/n-1").status == 404


@pytest.mark.usefixtures("index")
def test_without_the_right_to_search_it_warns_of_nobody_by_name(
    client_of: ClientOf, officer: User, app: LendingApp, book: Caller
) -> None:
    give(officer, "borrowers.create", "borrowers.list")
    page = send(client_of(officer), app, **PERSON)
    text = text_of(page)
    assert list_marks(page, "finding") == ["may-be-registered", "same-as-hidden"]
    assert page.context["same"] == ["phone number"]
    assert "Otieno Grace" not in text and url(app, "old/") not in text
    assert 'name="anyway"' in text


@pytest.mark.usefixtures("index")
def test_without_the_right_to_names_it_shows_initials(
    client_of: ClientOf, officer: User, app: LendingApp, book: Caller
) -> None:
    give(officer, "borrowers.create", "borrowers.search")
    text = text_of(send(client_of(officer), app, **PERSON))
    assert "O. G.</bdi>" in text and "Otieno Grace" not in text
    assert url(app, "old/") in text


def test_without_an_index_it_registers(desk: Client, app: LendingApp, book: Caller) -> None:
    assert send(desk, app, **PERSON).status_code == 302


# --- what the book uses already ------------------------------------------------------------


def make_people(**person: object) -> list[Borrower]:
    return [make_borrower(f"p-{at}", **person) for at in range(2)]


@pytest.mark.parametrize(
    ("people", "used"),
    [
        (make_people(sex="female"), ["female"]),
        (make_people(sex="female")[:1], []),
        (
            [*make_people(sex="f"), *make_people(sex="male"), *make_people(sex="male ")],
            ["male", "f"],
        ),
        (make_people(sex=" "), []),
        (make_people(sex=None), []),
        (make_people(sex=["female"]), []),
        (make_people(sex="x" * 61), []),
        (make_people(sex="a\x00b"), []),
        ([Borrower({"borrowerId": "a"}), Borrower({"borrowerId": "b", "individual": 1})], []),
    ],
)
def test_what_several_have_is_offered_the_most_frequent_first(
    people: list[Borrower], used: list[str]
) -> None:
    assert count_used(people)["sex"] == used


def test_the_forms_ask_for_it_and_it_is_read_once(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    for number in range(2):
        book.borrower(f"u-{number}", individual={"surname": "A", "sex": "<i>female"})
    there = url(app, "used-values")
    for page in (desk.get(url(app)), desk.get(url(app, "b/edit"))):
        assert f'hx-get="{there}"' in text_of(page) and 'list="used-sex"' in text_of(page)
    calls = len(proxy.arrived)
    for _ in range(2):
        text = text_of(desk.get(there))
        assert '<datalist id="used-sex"><option value="&lt;i&gt;female">' in text
    assert len(proxy.arrived) == calls + 1
    assert "pageSize=200" in proxy.arrived[-1].path


def test_a_service_that_refuses_a_page_size_is_asked_without(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    book.borrower("u-0", individual={"sex": "female"})
    book.borrower("u-1", individual={"sex": "female"})
    proxy.on("pageSize=200", refusal(400, "no such parameter"))
    assert "female" in text_of(desk.get(url(app, "used-values")))


@pytest.mark.parametrize("behaviour", [reset(), refusal(503), refusal(403)])
def test_a_service_that_is_gone_offers_nothing_and_is_asked_again(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer, behaviour: Any
) -> None:
    proxy.on(f"GET {book.app}/borrowers?", behaviour)
    answer = desk.get(url(app, "used-values"))
    assert answer.status_code == 200 and "datalist" not in text_of(answer)
    assert shared.get(f"borrowers-used:{app.app_id}") is None
