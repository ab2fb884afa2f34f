"""Every write other than repayments when it is sent twice, cut off, or left by a dead process.

The service is the sandbox behind a proxy that loses what it is told to; the pages must say saved,
not saved or unknown, and find out afterwards by what the service shows.
"""

from typing import Any

import pytest
from django.conf import settings as configured
from django.db import connections
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.writes import reconciliation
from lendingadmin.money.writes.models import Check, Write
from lendingadmin.money.writes.states import WriteFound, WriteState
from lendingadmin.records.offers.models import OfferRequest
from tests.conftest import ClientOf
from tests.faults.behaviours import Behaviour, handled_then, hang, refusal, reply, reset
from tests.faults.server import FaultServer, Wire
from tests.repayments.threads import at_once
from tests.sandbox.calling import Caller
from tests.web import acts
from tests.web.acts import ASK, ASSESS, Act, dies, pass_time, text_of

pytestmark = pytest.mark.django_db(transaction=True)
ROLE = "manager"
Found = WriteFound


# --- double submit -------------------------------------------------------------------------


@pytest.mark.parametrize("act", acts.ALL, ids=str)
def test_the_same_form_at_once_from_many_tabs_makes_one_call(
    act: Act, desk: Client, app: LendingApp, book: Caller, proxy: FaultServer,
    client_of: ClientOf, manager: User,
) -> None:  # fmt: skip
    url, form = act.prepare(desk, app, book)
    before = proxy.hits(act.match(book))
    tabs = [client_of(manager) for _ in range(5)]
    results = at_once(5, lambda number: tabs[number].post(url, form).status_code)
    assert proxy.hits(act.match(book)) - before == 1
    assert results == [302] * 5
    assert Write.objects.get(operation=act.operation).state == WriteState.SAVED
    assert act.there(book)


@pytest.mark.parametrize("act", acts.ALL, ids=str)
def test_it_is_committed_before_the_call(
    act: Act, desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    url, form = act.prepare(desk, app, book)
    seen: list[str] = []

    def look(wire: Wire) -> bool:
        seen.extend(Write.objects.values_list("state", flat=True))
        connections.close_all()
        return refusal(400, "no")(wire)

    proxy.once(act.match(book), look)
    page = desk.post(url, form, follow=True)
    assert seen == ["sent"]
    assert Write.objects.get().state == WriteState.NOT_SAVED
    if act is not ASK:
        assert 'data-saved="no"' in text_of(page)


# --- time-outs, lost answers, dead processes -----------------------------------------------

WORDS = {"error_description": "Duplicate national id"}
LOSSES: dict[str, tuple[Behaviour, bool]] = {
    "time-out, nothing committed": (hang(), False),
    "time-out after committing": (handled_then(hang()), True),
    "answer lost": (handled_then(reset()), True),
    "500 after committing": (handled_then(refusal(500, "broken")), True),
    "accepted with an error's words, nothing committed": (reply(WORDS), False),
    "accepted with an error's words after committing": (handled_then(reply(WORDS)), True),
}


def make_case(act: Act, loss: str) -> Any:
    """A time-out is waited for, so two acts are enough in `make test`."""
    is_slow = loss.startswith("time-out") and act not in (acts.REGISTER, acts.DELETE)
    marks = [pytest.mark.drill] if is_slow else []
    return pytest.param(act, loss, marks=marks, id=f"{act}-{loss}")


@pytest.mark.parametrize(
    ("act", "loss"), [make_case(act, loss) for act in acts.WITH_KEY for loss in LOSSES]
)
def test_a_lost_answer_is_unknown_and_found_out(
    act: Act, loss: str, desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    behaviour, committed = LOSSES[loss]
    url, form = act.prepare(desk, app, book)
    proxy.once(act.match(book), behaviour)
    page = desk.post(url, form, follow=True)
    check_page(desk, act, page, committed=committed)
    assert act.there(book) == committed
    assert_sent_once(act, desk, url, form, proxy, book)


@pytest.mark.parametrize("at", ["check_deadline", "find_address"])
@pytest.mark.parametrize("act", acts.WITH_KEY, ids=str)
def test_a_process_that_died_leaves_what_is_found_out(
    act: Act, at: str, desk: Client, app: LendingApp, book: Caller, proxy: FaultServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    url, form = act.prepare(desk, app, book)
    dies(lambda: desk.post(url, form), monkeypatch, at)
    there = Write.objects.get().get_absolute_url()
    assert desk.post(url, form).headers["Location"] == there
    page = text_of(desk.get(there))
    assert 'data-state="sent"' in page and 'data-saved="unknown"' in page
    pass_time(seconds=91)
    check_page(desk, act, desk.get(there), committed=at == "find_address")
    assert 'data-finding="interrupted"' in text_of(desk.get(there))
    assert act.there(book) == (at == "find_address")


def check_page(desk: Client, act: Act, page: Any, *, committed: bool) -> None:
    """The page says what is known at once, after the quiet time, and what a person may do."""
    write = Write.objects.get(operation=act.operation)
    assert page.request["PATH_INFO"] == write.get_absolute_url()
    assert write.state == WriteState.UNKNOWN
    words = text_of(page)
    if committed:
        assert 'data-saved="probably"' in words and write.found == Found.THERE
        return
    assert 'data-saved="unknown"' in words and "data-found" not in words
    assert write.found == ""
    pass_time(seconds=configured.REPAYMENT_QUIET.total_seconds())
    words = text_of(desk.get(write.get_absolute_url()))
    assert 'data-saved="unknown"' in words and "data-found" not in words
    pass_time(minutes=30)
    words = text_of(desk.get(write.get_absolute_url()))
    assert f'data-found="{Found.NOT_SEEN}"' in words and 'data-saved="unknown"' in words
    assert 'data-saved="no"' not in words
    write.refresh_from_db()
    assert (write.state, write.found) == (WriteState.UNKNOWN, Found.NOT_SEEN)
    entries = Entry.objects.filter(outcome__endswith=f": {Found.NOT_SEEN.label}")
    assert entries.get().username == "system"


def assert_sent_once(
    act: Act, desk: Client, url: str, form: dict[str, str], proxy: FaultServer, book: Caller
) -> None:
    """The form that is sent again leads to the page, and nothing goes out."""
    before = proxy.hits(act.match(book))
    there = Write.objects.get(operation=act.operation).get_absolute_url()
    assert desk.post(url, form).headers["Location"] == there
    assert proxy.hits(act.match(book)) == before


def test_what_came_late_is_still_found(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    url, form = acts.REGISTER.prepare(desk, app, book)
    proxy.once(acts.REGISTER.match(book), hang())
    check_page(desk, acts.REGISTER, desk.post(url, form, follow=True), committed=False)
    sent = proxy.last(acts.REGISTER.match(book))
    assert book.post("/borrowers", sent.json()).status == 200
    pass_time(hours=1)
    assert reconciliation.check_due_writes() == 1
    assert Write.objects.get().found == Found.THERE


@pytest.mark.parametrize("act", acts.WITH_KEY[:2], ids=str)
def test_what_is_there_otherwise_is_said_to_differ(
    act: Act, desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    url, form = act.prepare(desk, app, book)
    proxy.once(act.match(book), hang())
    where = desk.post(url, form).headers["Location"]
    other = {"surname": "Somebody", "othernames": "Else"}
    if act is acts.REGISTER:
        book.borrower("n-1", individual=other)
    else:
        book.call("PATCH", "/borrowers/b", {"individual": other})
    page = text_of(desk.get(where))
    assert f'data-found="{Found.DIFFERS}"' in page
    assert "individual · surname" in Check.objects.get().why
    assert "Somebody" not in Entry.objects.latest("id").detail


@pytest.mark.parametrize("body", [{}, {"message": "queued"}, {"borrowerId": "b-2"}, WORDS])
@pytest.mark.parametrize("act", [acts.REGISTER, acts.CHANGE, acts.MAKE_LOAN, ASSESS], ids=str)
def test_what_is_not_the_record_is_never_called_saved(
    act: Act, body: dict[str, str], desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    url, form = act.prepare(desk, app, book)
    proxy.once(act.match(book), reply(body, 201))
    words = text_of(desk.post(url, form, follow=True))
    assert 'data-saved="unknown"' in words and 'data-saved="yes"' not in words
    assert 'class="notice good"' not in words
    assert (WORDS["error_description"] in words) == (body is WORDS)


# --- offers: by their requestId ------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
def test_a_lost_offer_is_asked_for_by_its_request_id(
    loss: str, desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    url, form = ASK.prepare(desk, app, book)
    proxy.once(ASK.match(book), LOSSES[loss][0])
    where = desk.post(url, form).headers["Location"]
    assert where == OfferRequest.objects.get().get_absolute_url()
    desk.get(where)
    assert set(proxy.last(ASK.match(book)).json()) == {"requestId"}
    page = text_of(desk.get(Write.objects.get().get_absolute_url()))
    assert f'href="{where}"' in page
    assert desk.post(url, form).headers["Location"] == where


@pytest.mark.parametrize("at", ["check_deadline", "find_address"])
def test_an_offer_that_a_dead_process_asked_for(
    at: str, desk: Client, app: LendingApp, book: Caller, proxy: FaultServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    url, form = ASK.prepare(desk, app, book)
    dies(lambda: desk.post(url, form), monkeypatch, at)
    pass_time(seconds=91)
    page = text_of(desk.get(Write.objects.get().get_absolute_url()))
    asked = at == "find_address"
    check = Check.objects.get()
    assert check.found == (Found.THERE if asked else Found.NOT_SEEN)
    assert OfferRequest.objects.exists() == asked
    assert check.why in page
    assert proxy.hits(ASK.match(book)) == int(asked)  # looking for it asks nothing


# --- assessments: no natural key -----------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
def test_an_assessment_stays_unknown_beside_its_candidates(
    loss: str, desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    url, form = ASSESS.prepare(desk, app, book)
    proxy.once(ASSESS.match(book), LOSSES[loss][0])
    page = text_of(desk.post(url, form, follow=True))
    write, committed = Write.objects.get(), LOSSES[loss][1]
    assert 'data-saved="unknown"' in page and write.state == WriteState.UNKNOWN
    assert write.found == (Found.CANDIDATES if committed else "")
    assert ('data-found="maybe"' in page) == committed
    assert_sent_once(ASSESS, desk, url, form, proxy, book)


@pytest.mark.parametrize("at", ["check_deadline", "find_address"])
def test_an_assessment_that_a_dead_process_started(
    at: str, desk: Client, app: LendingApp, book: Caller, proxy: FaultServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    url, form = ASSESS.prepare(desk, app, book)
    dies(lambda: desk.post(url, form), monkeypatch, at)
    pass_time(seconds=91)
    desk.get(Write.objects.get().get_absolute_url())
    write = Write.objects.get()
    assert write.state == WriteState.UNKNOWN
    assert write.found == (Found.CANDIDATES if at == "find_address" else "")
