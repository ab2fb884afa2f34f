"""A clerk's pages in French or Swahili; what is stored or exported stays English."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils.translation import get_language, gettext, override

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import describe_roles
from lendingadmin.lending import errors
from lendingadmin.lending.pages import ENDLESS, LED_BACK
from lendingadmin.money.repayments import services
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState, Resolution
from lendingadmin.office.staff.views.profile import SAVED
from lendingadmin.web.display.glossary import TERMS, find_explanation
from lendingadmin.web.errors import card
from tests.conftest import ClientOf
from tests.repayments.pages import enter, new_url, press
from tests.repayments.rows import NOON, row
from tests.sandbox.calling import Caller

pytestmark = pytest.mark.django_db(transaction=True)


def choose(person: User, language: str) -> None:
    User.objects.filter(pk=person.pk).update(language=language)


def read_language(answer: Any) -> tuple[str, str]:
    """The language of a page, in its head and in its headers."""
    (tag,) = re.findall(r'<html lang="([^"]+)">', answer.content.decode())
    return tag, answer.headers["Content-Language"]


@pytest.mark.parametrize("language", ["fr", "sw"])
def test_pages_are_in_the_language_of_the_person_who_asks(
    app: LendingApp, book: Caller, support: User, officer: User, client_of: ClientOf, language: str
) -> None:
    clerk, colleague = client_of(support), client_of(officer)
    choose(support, language)
    with override(language):
        heading = gettext("Record a repayment")
        find, home = gettext("Find"), gettext("Home")
    for _turn in range(2):
        own, other = clerk.get(new_url(app)), colleague.get(new_url(app))
        assert read_language(own) == (language, language)
        assert read_language(other) == ("en", "en")
        for words in (heading, find, home):
            assert words in own.content.decode() and words not in other.content.decode()
    assert get_language() == "en"


def test_a_page_that_does_not_exist_is_in_the_language_of_the_person(
    support: User, client_of: ClientOf
) -> None:
    choose(support, "fr")
    answer = client_of(support).get("/no/such/page/")
    assert (answer.status_code, *read_language(answer)) == (404, "fr", "fr")


def test_who_is_not_signed_in_reads_english(client: Client, db: None) -> None:
    assert read_language(client.get("/accounts/login/", headers={"Accept-Language": "fr"})) == (
        "en",
        "en",
    )


def test_a_repayment_is_recorded_in_french_and_its_trail_is_english(
    app: LendingApp, book: Caller, support: User, client_of: ClientOf
) -> None:
    clerk = client_of(support)
    choose(support, "fr")
    receipt = press(clerk, enter(clerk, app, amount="1 234,50"), follow=True)
    assert read_language(receipt)[0] == "fr"
    assert 'data-state="recorded"' in receipt.content.decode()
    repayment = Repayment.objects.get()
    assert repayment.amount == Decimal("1234.50") and repayment.state == RepaymentState.RECORDED
    entries = Entry.objects.filter(action="loans.makeRepayment").order_by("id")
    assert {one.role for one in entries} == {"support"}
    outcomes = [one.outcome for one in entries]
    assert RepaymentState.RECORDED.label in outcomes
    with override("fr"):
        assert gettext(RepaymentState.RECORDED.label) not in outcomes


def test_a_decision_is_stored_in_english(support: User, officer: User) -> None:
    repayment = row(support, state=RepaymentState.UNKNOWN, sent_at=NOON)
    with override("fr"):
        services.resolve(repayment, Resolution.NOT_RECORDED, "raison", officer)
        translated = str(Resolution.NOT_RECORDED.label)
    repayment.refresh_from_db()
    label = str(Resolution.NOT_RECORDED.label)
    assert label != translated
    entry = Entry.objects.latest("id")
    assert label in repayment.why + entry.detail + entry.outcome


def test_an_export_is_english(support: User, client_of: ClientOf) -> None:
    row(support, created_at=NOON, channel="physical")
    browser = client_of(support)
    address = "/apps/kenya/repayments/export.csv"
    files = []
    for language in ("", "fr"):
        choose(support, language)
        answer: Any = browser.get(address)
        files.append(b"".join(answer.streaming_content))
    assert files[0] == files[1]


def test_a_person_chooses_a_language(support: User, client_of: ClientOf) -> None:
    browser = client_of(support)
    answer = browser.post("/accounts/profile/", {"language": "sw", "zone": "", "uses_keys": "on"})
    assert answer.status_code == 302
    assert Entry.objects.latest("id").detail == "language"
    page = browser.get("/accounts/profile/")
    assert read_language(page) == ("sw", "sw")
    with override("sw"):
        assert gettext(SAVED) in page.content.decode()
    assert browser.post("/accounts/profile/", {"language": "de"}).status_code == 200
    support.refresh_from_db()
    assert support.language == "sw"


@pytest.mark.parametrize("language", ["fr", "sw"])
def test_what_the_client_says_is_in_the_language_of_the_page(language: str) -> None:
    kinds = [errors.LendingError, *vars(errors).values()]
    messages = {
        kind.default_message
        for kind in kinds
        if isinstance(kind, type) and issubclass(kind, errors.LendingError)
    } | {LED_BACK, ENDLESS}
    with override(language):
        causes = {message: card(errors.LendingError(message)).cause for message in messages}
    assert len(causes) > 20
    assert [said for message, said in causes.items() if said == message] == []


@pytest.mark.parametrize("language", ["fr", "sw"])
def test_roles_and_terms_are_in_the_language_of_the_page(language: str) -> None:
    english = {word: find_explanation(word) for word in TERMS}
    roles = describe_roles("lending.borrowers.create")
    with override(language):
        assert [word for word in TERMS if find_explanation(word) == english[word]] == []
        assert describe_roles("lending.borrowers.create") != roles
