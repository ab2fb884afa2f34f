"""Lists of loans under a name: one's own and everybody's, and those in the sidebar."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.desk.portfolio import saved_lists
from lendingadmin.desk.portfolio.models import SavedList
from tests.conftest import ClientOf
from tests.portfolio.conftest import LISTS, counted, mark, read_page, words
from tests.portfolio.service import BookService
from tests.portfolio.test_loan_lists import owing
from tests.repayments.rows import row as entry

pytestmark = pytest.mark.django_db
NEW = f"{LISTS}new?show=overdue&late=8-30&sort=-late"
Save = Callable[..., SavedList]


def pinned(html: str) -> list[tuple[str, str]]:
    """The lists in the sidebar, each with its number of loans."""
    link = r'href="/apps/kenya/loans/lists/\d+/"[^>]*>.*?<bdi>(.*?)</bdi></span>'
    aside = html.partition("<main")[0]
    return re.findall(link + r'(?:<span class="chip odd">(.*?)</span>)?', aside, re.S)


@pytest.fixture
def save(officer: User) -> Save:
    """Saves a list of loans that are 8 to 30 days late, of the officer unless said otherwise."""

    def create(name: str = "Call first", **fields: Any) -> SavedList:
        usual = {"app_id": "kenya", "owner": officer, "query": "show=overdue&late=8-30"}
        return SavedList.objects.create(name=name, **usual | fields)

    return create


@pytest.fixture
def late(service: BookService) -> BookService:
    """Three loans that are overdue, 12 days each."""
    service.loans = [owing(number, f"{number + 1}.00") for number in range(3)]
    counted()
    return service


def test_a_list_is_saved_under_a_name_and_stands_in_the_sidebar(
    client_of: ClientOf, officer: User, late: BookService
) -> None:
    desk = client_of(officer)
    answer = desk.post(NEW, {"name": "  Call  first ", "is_pinned": "on"}, follow=True)
    text = words(answer.content.decode())
    saved = SavedList.objects.get()
    assert (saved.query, saved.is_shared) == (
        "show=overdue&late=8-30&sort=-late&pageSize=50",
        False,
    )
    assert "Saved: Call first." in text and "3 loans (KES) 6.00" in text
    assert pinned(answer.content.decode()) == [(saved.name, "3")]
    # The count is the list's of now, on every page.
    entry(officer, account_id="L-001", amount="2.00")
    assert pinned(read_page(desk, "/glossary/")) == [(saved.name, "2")]


def test_without_a_name_or_with_one_twice_nothing_is_saved_and_the_input_stays(
    client_of: ClientOf, officer: User, late: BookService, save: Save
) -> None:
    save("Call first")
    desk = client_of(officer)
    for name, code in [
        ("", "required"),
        ("Call first", "taken"),
        ("x" * 61, "max_length"),
        ("a\x00b", "null_characters_not_allowed"),
    ]:
        answer = desk.post(NEW, {"name": name, "is_pinned": "on"})
        assert answer.context["form"].has_error("name", code), name
        assert 'id="id_name_error"' in answer.content.decode(), name
    assert 'value="Call first"' in desk.post(NEW, {"name": "Call first"}).content.decode()
    assert SavedList.objects.count() == 1


def test_only_who_may_share_saves_for_everybody(
    client_of: ClientOf, officer: User, manager: User, late: BookService
) -> None:
    wanted = {"name": "Ours", "is_shared": "on"}
    assert 'name="is_shared"' not in read_page(client_of(officer), NEW)
    client_of(officer).post(NEW, wanted)
    assert not SavedList.objects.get(owner=officer).is_shared
    assert not Entry.objects.filter(action=saved_lists.SHARE).exists()
    client_of(manager).post(NEW, wanted)
    shared = SavedList.objects.get(owner=manager)
    assert shared.is_shared
    told = Entry.objects.get(action=saved_lists.SHARE)
    assert (told.subject, told.outcome) == (str(shared), "shared")


def test_who_sees_and_deletes_which(
    client_of: ClientOf, officer: User, support: User, manager: User, save: Save
) -> None:
    own, shared = save("Mine"), save("Ours", is_shared=True)
    other = client_of(support)
    assert other.get(own.get_absolute_url()).status_code == 404
    assert other.post(f"{LISTS}{own.pk}/delete").status_code == 404
    assert other.post(f"{LISTS}{own.pk}/pin", {"pin": "on"}).status_code == 404
    assert other.get(f"{LISTS}{own.pk}/export.csv").status_code == 404
    assert other.get(shared.get_absolute_url()).status_code == 200
    assert other.post(f"{LISTS}{shared.pk}/delete").status_code == 404
    assert client_of(officer).get(f"/apps/ghana/loans/lists/{own.pk}/").status_code == 404
    assert SavedList.objects.count() == 2
    client_of(officer).post(f"{LISTS}{own.pk}/delete")
    client_of(manager).post(f"{LISTS}{shared.pk}/delete")
    assert not SavedList.objects.exists()
    assert Entry.objects.get(action=saved_lists.SHARE).outcome == "deleted"


def test_a_list_is_pinned_and_unpinned_by_each_for_themselves(
    client_of: ClientOf, officer: User, support: User, late: BookService, save: Save
) -> None:
    shared = save("Ours", is_shared=True)
    desk, other = client_of(officer), client_of(support)
    desk.post(f"{LISTS}{shared.pk}/pin", {"pin": "on"})
    assert pinned(read_page(desk)) == [("Ours", "3")] and pinned(read_page(other)) == []
    desk.post(f"{LISTS}{shared.pk}/pin", {"pin": "off"})
    assert pinned(read_page(desk)) == []


def test_the_sidebar_takes_no_more_than_it_counts_quickly(
    client_of: ClientOf, officer: User, late: BookService, save: Save
) -> None:
    for number in range(saved_lists.MOST_PINNED):
        save(f"List {number}").pinned_by.add(officer)
    one_more = save("One more")
    desk = client_of(officer)
    answer = desk.post(f"{LISTS}{one_more.pk}/pin", {"pin": "on"}, follow=True)
    assert str(saved_lists.NO_ROOM) in words(answer.content.decode())
    assert not one_more.pinned_by.exists()
    answer = desk.post(NEW, {"name": "Another", "is_pinned": "on"})
    assert str(saved_lists.NO_ROOM) in words(answer.content.decode())


def test_a_saved_list_sorts_and_pages_without_losing_its_filter(
    client_of: ClientOf, officer: User, late: BookService, save: Save
) -> None:
    saved = save()
    desk = client_of(officer)
    html = read_page(desk, f"{saved.get_absolute_url()}?sort=overdue")
    assert html.index("L-000") < html.index("L-001") < html.index("L-002")
    assert "<h1" in html and "Call first" in html
    assert f"{saved.get_absolute_url()}?sort=-overdue" in html
    csv = desk.get(f"{LISTS}{saved.pk}/export.csv?technical=1")
    assert len(b"".join(csv.streaming_content).splitlines()) == 4  # type: ignore[attr-defined]


def test_before_the_first_count_a_pinned_list_has_no_number(
    client_of: ClientOf, officer: User, save: Save
) -> None:
    save().pinned_by.add(officer)
    desk = client_of(officer)
    assert pinned(read_page(desk, "/glossary/")) == [("Call first", "")]
    # And it can be taken out and deleted all the same.
    saved = SavedList.objects.get()
    html = read_page(desk, saved.get_absolute_url())
    assert mark("uncounted") in html and 'name="pin" value="off"' in html
    assert f'action="{LISTS}{saved.pk}/delete"' in html


def test_a_list_of_no_loan_says_nought(
    client_of: ClientOf, officer: User, late: BookService, save: Save
) -> None:
    save(query="late=91").pinned_by.add(officer)
    assert pinned(read_page(client_of(officer), "/glossary/")) == [("Call first", "0")]


def test_a_list_of_a_product_with_the_longest_id_is_saved(
    client_of: ClientOf, officer: User, late: BookService
) -> None:
    address = f"{LISTS}new?product={quote('ж' * 255)}"
    client_of(officer).post(address, {"name": "Long"})
    assert SavedList.objects.get().name == "Long"
    assert client_of(officer).get(f"{LISTS}new?product={'x' * 1500}").status_code == 404


def test_pinned_lists_ask_the_database_little_however_much_was_recorded(
    client_of: ClientOf, officer: User, late: BookService, save: Save
) -> None:
    for show in ("", "overdue", "closed"):
        save(f"List {show}", query=f"show={show}").pinned_by.add(officer)
    for _ in range(20):
        entry(officer, account_id="L-001", amount="0.01")
    desk = client_of(officer)
    # The lists and the count, and two for each list, once.
    for number in (8, 2):
        with CaptureQueriesContext(connection) as made:
            read_page(desk, "/glossary/")
        of_lists = [one["sql"] for one in made if "portfolio_" in one["sql"]]
        assert len(of_lists) == number, of_lists


def test_a_value_that_no_filter_has_is_said_and_not_carried_on(
    client_of: ClientOf, manager: User, late: BookService, save: Save
) -> None:
    desk, wrong, name = client_of(manager), "late=30", "late"
    saved = save("Ours", is_shared=True, query="show=overdue")
    for address in (LISTS, saved.get_absolute_url()):
        answer = desk.get(f"{address}?{wrong}&show=overdue")
        html = answer.content.decode()
        assert list(answer.context["found"].form.errors) == [name]
        assert f'id="id_{name}_error"' in html and 'aria-invalid="true"' in html
        assert not re.search(rf'(href|action)="[^"]*{wrong}', html)
        # An export under such an address leads back to what is wrong.
        export = desk.get(f"{address}export.csv?{wrong}&show=overdue")
        assert export.status_code == 302 and "export" not in export.headers["Location"]
        valid = desk.get(f"{address}?show=overdue").content.decode()
        assert f"{address}export.csv?show=overdue" in valid
    for address in (f"{LISTS}new", "/apps/kenya/assignments/lists/new"):
        assert desk.post(f"{address}?{wrong}", {"name": "Kept"}).status_code == 404
    assert SavedList.objects.count() == 1
