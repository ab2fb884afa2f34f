"""The top of a borrower's page: what they owe, the main action, phone, last call and promise."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.desk.collections.models import Call, Promise
from lendingadmin.lending.values import Loan, Malformed
from lendingadmin.people.search.open_loans import OpenLoans
from lendingadmin.records.borrowers.fields import list_fields
from lendingadmin.records.borrowers.loan_table import add_up
from lendingadmin.web.display.phones import group_phone
from tests.conftest import ClientOf
from tests.sandbox.calling import Caller
from tests.web.marks import list_marks

ROLE = "officer"
NOW = timezone.now()


def owing(unpaid: object, overdue: object, days: object = None, **fields: object) -> Loan:
    """A loan that is open, because nothing says that it is not."""
    balances = {"repayment": {"unpaid": unpaid, "overdue": overdue}}
    return Loan({"balances": balances, "schedule": {"daysLate": days}, **fields})


@pytest.mark.parametrize(
    ("accounts", "expected"),
    [
        ([], (0, 0, 0, None)),
        ([owing(100, 20, 3), owing(50, 0, 0)], (2, 150, 20, 3)),
        ([owing(100, 20, 3), owing(50, None)], (2, 150, None, 3)),
        ([owing("much", 20)], (1, None, 20, None)),
        ([owing(7, 0), owing(9, 9, 9, settlementDate="2026-01-01", result={})], (1, 7, 0, None)),
        ([owing(7, -1, Decimal("2.2"))], (1, 7, -1, 3)),
    ],
)
def test_open_loans_are_added_up(accounts: list[Loan], expected: tuple[Any, ...]) -> None:
    count, owed, overdue, days = expected
    assert add_up(accounts, NOW) == OpenLoans(count, owed, overdue, NOW, days)


def test_something_that_is_not_a_loan_may_be_an_open_one() -> None:
    assert add_up([owing(1, 1), Malformed("x")], NOW) is None


@pytest.mark.django_db
def test_the_page_says_what_is_owed_on_all_loans_together(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    book.loan("second")
    unpaid = [
        book.get(f"/loans/{one}").body["balances"]["repayment"]["unpaid"] for one in ("l", "second")
    ]
    page = desk.get(f"/apps/{app.app_id}/borrowers/b/?whole=1")
    assert list_marks(page, "open-loans") == ["2"]
    assert page.context["owing"].owed == sum(map(Decimal, map(str, unpaid)))


@pytest.mark.django_db
def test_who_owes_pays_and_who_owes_nothing_is_offered_a_loan(
    desk: Client, boss: Client, app: LendingApp, book: Caller
) -> None:
    book.borrower("fresh")
    for borrower_id, is_offered in (("b", False), ("fresh", True)):
        page = boss.get(f"/apps/{app.app_id}/borrowers/{borrower_id}/?whole=1").text
        assert ('class="button main" data-record' in page) is not is_offered
        assert page.count("button main") == 1
        assert (f"/borrowers/{borrower_id}/delete" in page) is is_offered


@pytest.mark.django_db
def test_the_phone_is_a_button_for_those_who_may_see_it(
    clerk: Client, client_of: ClientOf, viewer: User, app: LendingApp, book: Caller
) -> None:
    address, link = f"/apps/{app.app_id}/borrowers/b/?whole=1", 'href="tel:+254700000001"'
    assert link in clerk.get(address).text
    assert "tel:" not in client_of(viewer).get(address).text


@pytest.mark.django_db
def test_a_company_has_its_phone_in_the_header_and_in_the_list(
    clerk: Client, client_of: ClientOf, viewer: User, app: LendingApp, book: Caller
) -> None:
    company = {"name": "Mwakio Ltd", "contactPhone": "+254700000077"}
    book.borrower("ltd", category="company", individual=None, company=company)
    header, listed = (f"/apps/{app.app_id}/borrowers/{path}" for path in ("ltd/?whole=1", ""))
    assert 'href="tel:+254700000077"' in clerk.get(header).text
    assert group_phone("+254700000077") in clerk.get(listed).text
    for address in (header, listed):
        assert "700000077" not in client_of(viewer).get(address).text


@pytest.mark.django_db
def test_a_key_of_open_data_is_in_words_and_has_its_name_as_a_hint(
    desk: Client, app: LendingApp, book: Caller
) -> None:
    company = {"name": "Mwakio Ltd", "countryOfResidence": "KE", "taxNumber": "P-7"}
    book.borrower("ltd", category="company", individual=None, company=company)
    page = desk.get(f"/apps/{app.app_id}/borrowers/ltd/?whole=1").text
    assert '<dt title="taxNumber"><bdi>Tax number</bdi></dt>' in page
    label = next(one.label for one in list_fields("individual") if one.name == "countryOfResidence")
    assert f'<dt title="countryOfResidence"><bdi>{label}</bdi></dt>' in page


@pytest.mark.django_db
def test_the_last_call_and_promise_are_on_the_page(
    desk: Client, app: LendingApp, book: Caller, officer: User
) -> None:
    address = f"/apps/{app.app_id}/borrowers/b/?whole=1"
    assert list_marks(desk.get(address), "last-call") == [""]
    theirs = {"app_id": app.app_id, "borrower_id": "b", "account_id": "l"}
    call = Call.objects.create(
        **theirs, outcome="promise", idempotency_key="k", called_by=officer, note="market day"
    )
    Promise.objects.create(**theirs, call=call, amount=500, day=date(2026, 12, 1))
    for page in (desk.get(address), desk.get(f"/apps/{app.app_id}/loans/l/")):
        assert list_marks(page, "last-call") == ["promise"]
        assert list_marks(page, "promise") == ["open"]
        assert "market day" in page.text
