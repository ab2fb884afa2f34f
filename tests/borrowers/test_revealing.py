"""What is masked of a borrower: revealed by a POST with a purpose, left out of the form, kept."""

import re

import pytest
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import REVEAL, list_role_rights
from lendingadmin.people.index.models import BorrowerIndex
from tests.borrowers.forms import filled
from tests.conftest import ClientOf
from tests.people_index.conftest import index
from tests.roles import hold_only
from tests.sandbox.calling import Caller

__all__ = ["index"]
pytestmark = pytest.mark.django_db

SECRETS = ("MARKGOV7788", "1987", "marksettings")


@pytest.fixture
def address(app: LendingApp, book: Caller) -> str:
    """The page of a borrower with an identity and settings."""
    person = {"surname": "Otieno", "phoneNumber": "+254711222333", "governmentIdNo": "MARKGOV7788"}
    individual = person | {"dateOfBirth": "1987-03-17"}
    book.borrower("x", individual=individual, settings={"timezone": "marksettings"})
    return f"/apps/{app.app_id}/borrowers/x/"


@pytest.fixture
def caller(support: User, client_of: ClientOf) -> Client:
    """Somebody of support who may also change borrowers and reveal what is masked."""
    rights = {*list_role_rights("support"), "lending.borrowers.patch", REVEAL}
    hold_only(support, *rights)
    return client_of(support)


def find_secrets(text: str) -> list[str]:
    """Those that stand there as a word: a request id may have the year among its digits."""
    return [secret for secret in SECRETS if re.search(rf"\b{secret}\b", text)]


def test_revealing_takes_a_purpose_and_is_in_the_trail(caller: Client, address: str) -> None:
    masked = caller.get(f"{address}?whole=1").content.decode()
    assert not find_secrets(masked)
    assert "details are hidden: identity." in masked
    assert "+254711222333" in masked
    answer = caller.post(f"{address}revealed", {"purpose": "identity"})
    assert len(find_secrets(answer.content.decode())) == len(SECRETS)
    assert "no-store" in answer.headers["Cache-Control"]
    entry = Entry.objects.get(action=REVEAL)
    assert entry.subject == "borrower:x record"
    assert entry.detail == "identity; purpose: checking an identity"
    assert not find_secrets(str(vars(entry)))
    assert not find_secrets(caller.get(f"{address}?whole=1").content.decode())


@pytest.mark.parametrize("sent", [{}, {"purpose": ""}, {"purpose": "he owes me"}])
def test_without_a_purpose_of_the_list_it_stays_masked(
    caller: Client, address: str, sent: dict[str, str]
) -> None:
    answer = caller.post(f"{address}revealed", sent).content.decode()
    assert not find_secrets(answer)
    assert 'name="purpose"' in answer
    assert not Entry.objects.filter(action=REVEAL).exists()


def test_its_address_reveals_nothing(caller: Client, address: str) -> None:
    assert caller.get(f"{address}revealed?purpose=identity").headers["Location"] == address
    assert not Entry.objects.filter(action=REVEAL).exists()


def test_nothing_is_shown_where_the_trail_cannot_be_written(
    caller: Client, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_given: object, **_named: object) -> None:
        raise RuntimeError("the trail is full")

    monkeypatch.setattr("lendingadmin.core.audit.record", fail)
    with pytest.raises(RuntimeError):
        caller.post(f"{address}revealed", {"purpose": "identity"})


def test_support_and_viewer_may_not_reveal(
    client_of: ClientOf, support: User, viewer: User, address: str
) -> None:
    for person in (support, viewer):
        answer = client_of(person).post(f"{address}revealed", {"purpose": "identity"})
        assert answer.status_code == 403
        assert not find_secrets(answer.content.decode())


def test_what_is_masked_is_in_no_form_and_a_change_leaves_it_as_it_is(
    caller: Client, address: str, book: Caller
) -> None:
    form = caller.get(f"{address}edit")
    assert not find_secrets(form.content.decode())
    assert "governmentIdNo" not in form.content.decode()
    sent = filled(form) | {"individual-phoneNumber": "+254711999888"}
    # A field that the form has not is not taken from what was sent either.
    sent |= {"individual-governmentIdNo": "forged", "settings-settings": "a: b"}
    confirm = caller.post(f"{address}edit", sent, follow=True)
    assert "+254711999888" in confirm.content.decode()
    assert not find_secrets(confirm.content.decode())
    there = confirm.redirect_chain[-1][0]
    saved = caller.post(there, follow=True).content.decode()
    assert "Saved." in saved
    record = book.get("/borrowers/x").body
    assert record["individual"]["phoneNumber"] == "+254711999888"
    assert record["individual"]["governmentIdNo"] == "MARKGOV7788"
    assert record["settings"] == {"timezone": "marksettings"}


def test_the_index_keeps_what_came_and_not_the_mask(
    client_of: ClientOf, viewer: User, address: str, app: LendingApp, index: BorrowerIndex
) -> None:
    BorrowerIndex.objects.filter(pk=index.pk).update(app_id=app.app_id)
    client_of(viewer).get(f"{address}?whole=1")
    card = index.cards.get(borrower_id="x")
    assert (card.fields["name"], card.fields["phone"][-9:]) == ("OTIENO", "711222333")
