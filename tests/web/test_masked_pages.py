"""No page and no file holds what a role may not see: every one that can show a borrower is walked.

Each group of a borrower's fields has marks of its own, which are looked for in the whole of every
answer. A route that nobody classified fails the first test.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.template import Context
from django.test import Client, RequestFactory
from django.urls import get_resolver, resolve
from django.utils import timezone

from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import RIGHTS
from lendingadmin.lending.values import Borrower
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState, Resolution
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteState
from lendingadmin.people.index import cards
from lendingadmin.people.index.models import BorrowerIndex
from lendingadmin.people.index.names import PersonName
from lendingadmin.people.index.templatetags.people import phone_of
from lendingadmin.records.notes.models import Mention, Note, NoteVersion
from lendingadmin.records.offers.models import OfferState
from lendingadmin.web.access import rule_of
from tests.conftest import ClientOf
from tests.odd.addresses import PAGES
from tests.odd.conftest import ask_for_offer, fault_server, fresh_answers, make_service
from tests.odd.service import OddService
from tests.odd.variants import good
from tests.people_index.conftest import index
from tests.repayments.rows import row

__all__ = ["fault_server", "fresh_answers", "index", "make_service"]
pytestmark = pytest.mark.django_db

APP = "/apps/kenya"
PHONE, MAIL, GOVERNMENT_ID = "+254711222333", "markmail@example.com", "MARKGOV7788"
NAMES = {"surname": "Marksurname", "othernames": "Markother"}
CONTACT = {"phoneNumber": PHONE, "emailAddress": MAIL}
IDENTITY = {"governmentIdNo": GOVERNMENT_ID, "dateOfBirth": "1887-03-17", "sex": "marksex"}
# What is looked for of each group. Of a phone its last three digits may stand there.
MARKS = {
    "names": ("Marksurname", "MARKSURNAME", "Markother"),
    "contact": ("711222", "711 222", "markmail"),
    "identity": ("MARKGOV", "7788", "1887", "marksex", "markserial"),
    "unknown": ("markunknown",),
    "content": ("markcontent",),
    "notes": ("marknote",),
}
HIDDEN = {
    "viewer": ("names", "contact", "identity", "unknown", "content", "notes"),
    "support": ("identity", "unknown", "content"),
    "officer": ("content",),
}

_BORROWER = f"{APP}/borrowers/B-1"
OURS = (
    f"{APP}/",
    f"{_BORROWER}/",
    f"{_BORROWER}/name?with=phone",
    "/audit/",
    f"{APP}/repayments/",
    f"{APP}/repayments/export.csv",
    f"{APP}/repayments/unknown/",
    f"{APP}/repayments/day/",
    f"{APP}/repayments/day/export.csv",
    f"{APP}/repayments/{{number}}/",
    f"{APP}/repayments/{{number}}/status",
    f"{APP}/repayments/{{number}}/print",
    f"{APP}/writes/form/",
    f"{APP}/writes/form/status",
    f"{APP}/find/last",
    f"{APP}/find/for/{PHONE}?whole=1",
    f"{APP}/find/for/{GOVERNMENT_ID}?whole=1",
    f"POST {APP}/find/suggest?q={PHONE}",
    f"POST {APP}/find/suggest?q={GOVERNMENT_ID}",
    f"POST {APP}/find/suggest?q={MAIL}",
    f"POST {APP}/find/suggest?q=Marksurname",
    f"POST {APP}/find?q=Marksurname",
    f"POST {APP}/payment?who={PHONE}&amount=1&externalId=X",
    f"POST {_BORROWER}/revealed?purpose=complaint",
    f"{_BORROWER}/repayments/new",
    f"{APP}/notes/{{number}}/",
    f"{APP}/notes/{{number}}/revise",
    f"{_BORROWER}/timeline/",
    f"{_BORROWER}/timeline/?kind=notes",
    f"{APP}/loans/L-1/timeline/",
    f"{_BORROWER}/kept.json",
    f"{APP}/borrowers/used-values",
    f"{APP}/borrowers/new",
)
# Routes that show no borrower, or what another one of these shows, and why. Routes that no role of
# `HIDDEN` may open are not among them.
_DONE = "writes, and leads to a page that is walked"
_OF_STAFF = "people of the dashboard, not borrowers"
_COUNTED = "names and phones by the tags of people_index, tested below and in tests/people_index"
_STATED = "rows of a file, masked by the same rights: tests/statements/test_pages.py"
_OF_LISTS = "tests/papers/test_bulk.py"
_TYPED = "shows what this person typed into a form just now"
WITHOUT: dict[str, str] = {
    **dict.fromkeys(
        ("healthz", "readyz", "metrics", "session", "start", "glossary"),
        "shows no record",
    ),
    **dict.fromkeys(("account_setup", "profile", "profile-sessions-end"), _OF_STAFF),
    **dict.fromkeys(("account_login", "provider-sign-in", "provider-callback"), _OF_STAFF),
    "provider-confirm": _OF_STAFF,
    **dict.fromkeys(("statements", "statement", "statement-export"), _STATED),
    **dict.fromkeys(("statement-new", "statement-columns", "statement-days"), _STATED),
    "statement-words": _STATED,
    "statement-row-record": _STATED,
    **dict.fromkeys(("statement-batch", "statement-allocation", "statement-batch-export"), _STATED),
    "statement-batch-record": "counts and sums",
    "statement-batch-progress": "a number",
    **dict.fromkeys(("unallocated", "unallocated-place"), _STATED),
    **dict.fromkeys(("statements-covered", "statements-day"), "days, sums and ids"),
    "unallocated-take": _DONE,
    "repayments-day-count": _DONE,
    "statement-payers": "masked by the same rights: tests/statements/test_payers.py",
    "statement-payer-revoke": _DONE,
    **dict.fromkeys(("collections", "promise"), "ids, amounts and counts"),
    "hand-overs": "people of the house",
    "hand-over-end": _DONE,
    **dict.fromkeys(("queue", "call-stops"), "tests/collections/test_masks.py"),
    **dict.fromkeys(("sheets", "sheet-new"), "codes, days, counts and sums"),
    **dict.fromkeys(("sheet", "sheet-return", "sheet-print"), "tests/sheets/test_pages.py"),
    "sheet-cancel": "a code and a day",
    **dict.fromkeys(
        ("borrower-papers", "loan-papers", "papers", "paper"), "tests/papers/test_papers.py"
    ),
    "key-facts": "tests/papers/test_key_facts.py",
    **dict.fromkeys(("offer-refusal", "assessment-refusal"), "tests/papers/test_refusal.py"),
    **dict.fromkeys(("bulk-papers-new", "bulk-papers", "bulk-papers-print"), _OF_LISTS),
    **dict.fromkeys(("bulk-papers-begin", "bulk-papers-resume"), _DONE),
    "bulk-papers-progress": "a number",
    **dict.fromkeys(("queue-next", "call-begin", "call-leave", "call-do-not-call"), _DONE),
    "statement-batch-receipts": "as the sheet of one repayment: tests/repayments/test_receipts.py",
    **{
        f"statement-batch-{step}": _DONE for step in ("begin", "accept", "stop", "resume", "reopen")
    },
    **dict.fromkeys(("book-count", "book-stop", "book-progress"), "a number"),
    **dict.fromkeys(("borrower-list", "loan-list", "loan-list-export"), _COUNTED),
    **dict.fromkeys(("saved-list", "saved-list-export"), _COUNTED),
    **dict.fromkeys(("saved-list-delete", "saved-list-new", "saved-list-pin"), _DONE),
    **dict.fromkeys(("loan-new", "event-confirm", "repayment-confirm"), _TYPED),
    "borrower-note-new": _TYPED,
    **dict.fromkeys(("note-pin", "note-delete", "note-seen"), _DONE),
    "repayment-decline": _DONE,
    "borrower-edit-confirm": "tests/borrowers/test_revealing.py",
    **dict.fromkeys(("mistake-report", "repayment-check"), _DONE),
    **dict.fromkeys(("write-check", "write-resolve"), _DONE),
}


def list_addresses(number: int = 1) -> list[str]:
    """Each page and file that can show a borrower."""
    found = [one for page in PAGES.values() for one in (*page.lists, *page.pages)]
    return [one.replace("FORM ", "").format(number=number) for one in (*found, *OURS)]


def get_route(address: str) -> str:
    return str(resolve(address.rpartition(" ")[2].partition("?")[0]).url_name)


def mark(record: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The record, with what the spec does not name."""
    return record | {"nickName": "markunknown1"} | more


@pytest.fixture
def number(service: OddService, index: BorrowerIndex, manager: User, officer: User) -> int:
    """A service whose every record is marked, and what was done here; the repayment's number."""
    person = NAMES | CONTACT | IDENTITY | {"nickName": "markunknown2"}
    borrower = mark(
        good("Borrower"),
        individual=person,
        company=None,
        settings={"key": "markunknown3"},
        identity={"key": "markunknown4"},
        devices=[{"deviceId": "D", "serialNumber": "markserial", "extra": "markunknown5"}],
    )
    service.give("Borrower", borrower)
    service.list("Borrower", [borrower, "markunknown6"])
    for name in ("Loan", "Assessment"):
        record = mark(good(name), labels={"key": "markunknown7"})
        service.give(name, record)
        service.list(name, [record, "markunknown8"])
    sms = {"rawBody": "markcontent", "address": "markcontent", "direction": "inbound"}
    sets = [{"kind": "personal_data/sms", "values": [sms]}]
    event = mark(good("Event"), data=sets, result={"of": "markcontent"})
    service.give("Event", event)
    service.list("Event", [event, "markunknown9"])
    with transaction.atomic():
        cards.put_borrowers(index, [Borrower(borrower)], timezone.now())
    ask_for_offer(manager, OfferState.DONE)
    sent = {"individual": person, "settings": {"key": "markunknown10"}}
    Write.objects.create(
        idempotency_key="form",
        person=manager,
        app_id="kenya",
        operation="borrowers.patch",
        subject="B-1",
        state=WriteState.RESOLVED,
        resolved_by=manager,
        resolved_at=timezone.now(),
        resolution_reason="marknote of a write",
        submitted=OddService.text({"sent": sent, "before": {}}),
    )
    found: Repayment = row(
        manager,
        RepaymentState.RESOLVED,
        account_id="L-1",
        borrower_id="B-1",
        notes="marknote1",
        resolution=Resolution.RECORDED,
        resolved_by=manager,
        resolved_at=timezone.now(),
        resolution_reason="marknote2",
        set_aside_at=timezone.now(),
        set_aside_reason="marknote3",
        error_description="marknote4",
    )
    report: dict[str, Any] = {"reported_by": manager, "note": "marknote5", "reason": "marknote6"}
    report |= {"reported_at": timezone.now(), "idempotency_key": "report"}
    found.mistakes.create(**report, reviewed_by=officer, reviewed_at=timezone.now())
    note = Note.objects.create(
        pk=found.pk, app_id="kenya", borrower_id="B-1", account_id="", author=manager
    )
    version = {"text": "marknote7 for @manager", "idempotency_key": "note", "number": 1}
    NoteVersion.objects.create(note=note, author=manager, **version)
    pinned = Note.objects.create(
        app_id="kenya", borrower_id="B-1", account_id="L-1", author=officer, is_pinned=True
    )
    version = {"text": "marknote8", "idempotency_key": "pinned", "number": 1}
    NoteVersion.objects.create(note=pinned, author=officer, **version)
    Mention.objects.create(note=pinned, person=manager)
    return found.pk


def ask(desk: Client, address: str, *, htmx: bool) -> str:
    """The whole of an answer, its head included."""
    how, _, where = address.rpartition(" ")
    headers = {"HX-Request": "true"} if htmx else {}
    if how == "POST":
        path, _, query = where.partition("?")
        given = dict(pair.split("=") for pair in query.split("&") if pair)
        answer: Any = desk.post(path, given, headers=headers)
    else:
        answer = desk.get(where, headers=headers)
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return f"{answer.headers}{content.decode()}"


def holds(page: str, mark: str) -> bool:
    """Whether the mark is on the page. Figures count where they stand alone: a token of chance
    and the microseconds of a moment may hold any four of them."""
    if mark.isdigit():
        return re.search(rf"(?<![\w-]){mark}(?!\w)", page) is not None
    return mark in page


@pytest.mark.parametrize("shown", ["born 1887-03-17", "17.3.1887", "<td>1887</td>", "…1887"])
def test_figures_that_stand_alone_are_found(shown: str) -> None:
    assert holds(shown, "1887")


@pytest.mark.parametrize("chance", ["20.521887+00:00", "told=aB1887_x", "q1887Zt", "2.18870"])
def test_figures_of_chance_are_not(chance: str) -> None:
    assert not holds(chance, "1887")


def find_marks(desk: Client, number: int, *, htmx: bool = False) -> dict[str, set[str]]:
    """The addresses whose answer holds a mark of each group."""
    found: dict[str, set[str]] = {group: set() for group in MARKS}
    for address in list_addresses(number):
        page = ask(desk, address, htmx=htmx)
        # What the person typed themselves may come back.
        typed = address.partition("?")[2] + address.partition("/find/for/")[2]
        for group, marks in MARKS.items():
            if any(holds(page, one) for one in marks if one not in typed):
                found[group].add(address)
    return found


@pytest.mark.parametrize("htmx", [False, pytest.param(True, marks=pytest.mark.drill)])
@pytest.mark.parametrize("role", HIDDEN)
def test_no_answer_holds_what_the_role_may_not_see(
    client_of: ClientOf, people: dict[str, User], number: int, role: str, htmx: bool
) -> None:
    found = find_marks(client_of(people[role]), number, htmx=htmx)
    assert {group: found[group] for group in HIDDEN[role] if found[group]} == {}


def test_each_mark_is_somewhere_for_those_who_may_see_it(
    client_of: ClientOf, manager: User, number: int
) -> None:
    """Otherwise the walk would find nothing wherever it looks."""
    found = find_marks(client_of(manager), number)
    assert {group for group, pages in found.items() if pages} == MARKS.keys() - {"content"}
    (event,) = (one for one in list_addresses() if one.endswith("/revealed") and "events" in one)
    assert "markcontent" in ask(client_of(manager), f"{event}?purpose=complaint", htmx=False)


def test_each_route_of_the_dashboard_is_walked_or_says_why_not() -> None:
    walked = {get_route(address) for address in list_addresses()}
    names = {str(one.name) for one in list_patterns(get_resolver()) if is_open(one.callback)}
    assert sorted(names - walked) == sorted(WITHOUT)


def is_open(view: Any) -> bool:
    """Return whether a person from whom something is hidden may open the view."""
    rule = rule_of(view)
    rights = [RIGHTS[name] for name in rule.permissions or ()] if rule else []
    return rule is not None and any(all(role in right.roles for right in rights) for role in HIDDEN)


def list_patterns(resolver: Any) -> Iterator[Any]:
    for one in resolver.url_patterns:
        if hasattr(one, "url_patterns"):
            yield from list_patterns(one)
        else:
            yield one


@pytest.mark.parametrize(
    ("role", "phone"), [("viewer", ""), ("support", "711"), ("officer", "711")]
)
def test_a_phone_of_the_index_is_for_those_with_the_right_to_contact(
    people: dict[str, User], role: str, phone: str
) -> None:
    request = RequestFactory().get("/")
    request.user = people[role]
    names = {"B-1": PersonName("Marksurname", "711", timezone.now())}
    assert phone_of(Context({"request": request}), names, "B-1") == phone
