"""The page of a write: who sees it, what it offers, and the worker that looks on by itself."""

import pytest
from django.conf import settings as configured
from django.db import connection
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.writes import reconciliation, services, views
from lendingadmin.money.writes.models import Check, Write
from lendingadmin.money.writes.states import WriteFound, WriteResolution, WriteState
from tests.borrowers.forms import PERSON, filled
from tests.conftest import ClientOf
from tests.faults.behaviours import handled_then, refusal, reset
from tests.faults.server import FaultServer
from tests.roles import change_account, give_roles
from tests.sandbox.calling import Caller
from tests.web.acts import (
    ASSESS,
    CHANGE,
    MAKE_LOAN,
    REGISTER,
    REPORT,
    Act,
    lost,
    pass_time,
    text_of,
)

pytestmark = pytest.mark.django_db(transaction=True)
State, Found = WriteState, WriteFound
REASON = "The operator looked."


def abandoned(write: Write) -> None:
    """Let it be looked for twice after the quiet time."""
    pass_time(seconds=configured.REPAYMENT_QUIET.total_seconds())
    reconciliation.check_due_writes()
    pass_time(hours=1)
    reconciliation.check_due_writes()
    write.refresh_from_db()
    assert write.found == Found.NOT_SEEN


# --- who sees it ---------------------------------------------------------------------------


def test_only_its_person_and_managers_see_it(
    people: dict[str, User], client_of: ClientOf, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    desk = client_of(people["officer"])
    page = lost(REGISTER, desk, app, book, proxy).get_absolute_url()
    other = User.objects.create_user("other")
    give_roles(other, "officer")
    everybody = people | {"other": other}
    for rest in ("", "status"):
        seen = {who: client_of(one).get(page + rest).status_code for who, one in everybody.items()}
        assert seen == {"officer": 200, "manager": 200, "viewer": 403, "support": 403, "other": 403}
    assert client_of(None).get(page).status_code == 302
    for rest in ("check", "resolve"):
        assert client_of(other).post(page + rest).status_code == 403
    assert desk.get("/apps/kenya/writes/nothing/").status_code == 404
    assert "Otieno" not in page and "n-1" not in page


def register(book: Caller) -> None:
    """Let the service have the borrower as the form has him, whose phone gets its country."""
    individual = {"surname": "Otieno", "phoneNumber": "+254712345678"}
    book.borrower("n-1", individual=individual, devices=[{"deviceId": "d-1"}])


def test_home_names_it_until_it_is_found(
    desk: Client, client_of: ClientOf, viewer: User, app: LendingApp, book: Caller,
    proxy: FaultServer,
) -> None:  # fmt: skip
    write = lost(REGISTER, desk, app, book, proxy)
    link = f'href="{write.get_absolute_url()}"'
    home = f"/apps/{app.app_id}/"
    assert link in text_of(desk.get(home))
    assert link not in text_of(client_of(viewer).get(home))
    assert link in text_of(desk.get(f"{home}borrowers/n-1/"))
    register(book)
    pass_time(minutes=5)
    reconciliation.check_due_writes()
    assert link not in text_of(desk.get(home))


def test_what_was_entered_is_sealed(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    lost(REGISTER, desk, app, book, proxy)
    with connection.cursor() as cursor:
        cursor.execute("SELECT submitted, card FROM writes_write")
        row = " ".join(map(str, cursor.fetchone()))
    assert "Otieno" not in row and len(row) > 100
    with connection.cursor() as cursor:
        cursor.execute("UPDATE writes_write SET submitted = 'gone with its key'")
    write = Write.objects.get()
    reconciliation.check_now(write)
    pass_time(seconds=10)
    reconciliation.check_now(Write.objects.get())
    # The service has no such borrower, but without the entry nothing says so.
    assert Check.objects.latest("pk").found == ""


# --- without JavaScript, and with ----------------------------------------------------------


def test_it_polls_while_it_is_open_and_has_buttons_besides(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    write = lost(REGISTER, desk, app, book, proxy)
    there = write.get_absolute_url()
    page = text_of(desk.get(there))
    assert f'hx-get="{there}status?polls=0&amp;seen=unknown-"' in page
    assert f'href="{there}">Refresh</a>' in page and f'action="{there}check"' in page
    pass_time(seconds=5)
    assert "delay:2s" in text_of(desk.get(f"{there}status?polls=0&seen=unknown-"))
    pass_time(minutes=3)
    assert "hx-get" not in text_of(desk.get(f"{there}status?polls=9"))
    register(book)
    pass_time(seconds=5)
    assert desk.post(f"{there}check").headers["Location"] == there
    ended = text_of(desk.get(f"{there}status?seen=unknown-"))
    assert 'data-found="there"' in ended and "hx-get" not in ended
    # It leads back to the page, which offers what can be done now.
    assert f'href="{there}"' in ended


def test_a_service_that_is_gone_is_a_look_that_told_nothing(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    proxy.on("GET /v1/projects/demo/apps", refusal(503))
    url = f"/apps/{app.app_id}/borrowers/new"
    proxy.once(REGISTER.match(book), reset())
    form = filled(desk.get(url), borrowerId="n-1", **PERSON)
    page = text_of(desk.post(url, form, follow=True))
    assert 'data-finding="not-clear"' in page and 'data-saved="unknown"' in page


def test_a_double_click_lands_on_a_page_that_says_saved_in_the_end(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    url, form = REGISTER.prepare(desk, app, book)
    desk.post(url, form)
    write = Write.objects.get()
    page = text_of(desk.get(write.get_absolute_url()))
    assert 'data-saved="yes"' in page and f'href="{write.url}"' in page
    assert write.submitted == ""


# --- settling ------------------------------------------------------------------------------


def test_a_manager_settles_it_with_a_reason(
    desk: Client, boss: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    write = lost(REGISTER, desk, app, book, proxy)
    settle = f"{write.get_absolute_url()}resolve"
    body = {"resolution": "no", "reason": REASON}
    assert desk.post(settle, body).status_code == 403
    refused = boss.post(settle, {"resolution": "no"})
    assert refused.context["resolve_form"].has_error("reason", "required")
    assert 'id="id_reason_error"' in refused.text
    page = text_of(boss.post(settle, body, follow=True))
    assert 'data-state="resolved"' in page and 'data-resolution="no"' in page
    assert 'data-saved="no"' in page and REASON in page
    entry = Entry.objects.latest("id")
    assert entry.username == "manager"
    assert entry.outcome.endswith(f": {WriteResolution.NOT_SAVED.label}")
    entries = Entry.objects.count()
    again = text_of(boss.post(settle, body | {"reason": "Another one."}, follow=True))
    assert 'data-finding="changed-before"' in again and REASON in again
    assert Entry.objects.count() == entries


def test_nobody_resolves_what_they_entered_themselves(
    boss: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    write = lost(REGISTER, boss, app, book, proxy)
    there = write.get_absolute_url()
    assert 'data-finding="own"' in text_of(boss.get(there))
    assert 'name="resolution"' not in text_of(boss.get(there))
    body = {"resolution": "no", "reason": REASON}
    page = text_of(boss.post(f"{there}resolve", body, follow=True))
    assert 'data-finding="own-write"' in page
    assert Write.objects.get().state == State.UNKNOWN


def test_nobody_resolves_what_an_account_entered_that_they_changed(
    desk: Client, boss: Client, manager: User, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    write = lost(REGISTER, desk, app, book, proxy)
    change_account(manager, write.person)
    page = boss.get(write.get_absolute_url()).content.decode()
    assert "data-not-independent" in page and 'name="resolution"' not in page
    body = {"resolution": "no", "reason": REASON}
    boss.post(f"{write.get_absolute_url()}resolve", body)
    assert Write.objects.get().state == State.UNKNOWN


def test_an_answer_that_comes_late_beats_what_a_person_said(
    desk: Client, manager: User, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    write = lost(REGISTER, desk, app, book, proxy)
    reconciliation.resolve(write, WriteResolution.NOT_SAVED, "I think so", manager)
    services._finish(write, State.UNKNOWN, [])
    assert Write.objects.get().state == State.RESOLVED
    services._finish(write, State.SAVED, [], url="/there/")
    assert Write.objects.get().state == State.SAVED


@pytest.mark.parametrize("which", ["it is one", "it is none"])
def test_who_started_an_assessment_says_which_one_it_is(
    which: str, desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    write = lost(ASSESS, desk, app, book, proxy, handled_then(reset()))
    there = write.get_absolute_url()
    page = desk.get(there)
    (made,) = book.get("/assessments").body["assessments"]
    url = f"/apps/{app.app_id}/assessments/{made['assessmentId']}/"
    assert f'value="{url}"' in text_of(page)
    body = {"resolution": url if which == "it is one" else "none", "reason": "I know its time."}
    refused = desk.post(f"{there}resolve", body | {"resolution": "/elsewhere/"})
    assert refused.context["resolve_form"].has_error("resolution", "invalid_choice")
    assert Write.objects.get().state == State.UNKNOWN
    page = desk.post(f"{there}resolve", body, follow=True)
    write.refresh_from_db()
    assert write.state == State.RESOLVED and Entry.objects.latest("id").username == "officer"
    said = ("saved", url) if which == "it is one" else ("no", "")
    assert (write.resolution, write.url) == said
    assert (f'href="{url}"' in text_of(page)) == (which == "it is one")


def test_an_assessment_that_another_form_led_to_is_no_candidate(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    url, form = ASSESS.prepare(desk, app, book)
    desk.post(url, form)
    seen = {"token": filled(desk.get(url))["token"], "seen": "", "timestamp": form["timestamp"]}
    (made,) = book.get("/assessments").body["assessments"]
    proxy.once(ASSESS.match(book), reset())
    desk.post(url, form | seen | {"seen": made["assessmentId"]})
    write = Write.objects.get(state=State.UNKNOWN)
    assert desk.get(write.get_absolute_url()).status_code == 200
    assert Check.objects.filter(write=write).last().found == Found.NOT_SEEN  # type: ignore[union-attr]


# --- entering it again ---------------------------------------------------------------------


@pytest.mark.parametrize("act", [REGISTER, CHANGE, MAKE_LOAN, REPORT, ASSESS], ids=str)
def test_what_was_entered_can_be_entered_again_with_a_warning(
    act: Act, boss: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    write = lost(act, boss, app, book, proxy)
    there = write.get_absolute_url()
    again = f"{write.again_at}?again={write.idempotency_key}"
    assert again not in text_of(boss.get(there))
    abandoned(write)
    page = text_of(boss.get(there))
    assert f'href="{again}"' in page and 'data-finding="may-be-twice"' in page
    form = boss.get(again)
    assert 'data-finding="may-arrive"' in text_of(form)
    before = proxy.hits(act.match(book))
    fields = filled(form)
    if act is ASSESS:  # a browser sends the radio button that is chosen
        fields["assessmentType"] = form.context["form"]["assessmentType"].value()
    answer = boss.post(again, fields)
    if act is CHANGE:
        assert answer.headers["Location"].startswith(write.again_at)
        answer = boss.post(answer.headers["Location"], {})
    assert answer.status_code == 302 and proxy.hits(act.match(book)) == before + 1
    assert act.there(book)
    assert Write.objects.filter(operation=act.operation, state=State.SAVED).count() == 1


def test_of_a_change_only_what_changes_is_told(
    desk: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    write = lost(CHANGE, desk, app, book, proxy)
    told = views.list_submitted(reconciliation.read_submitted(write))
    assert told == [("individual · surname", "Kamau")]


def test_anothers_entries_are_nobody_elses(
    desk: Client, boss: Client, app: LendingApp, book: Caller, proxy: FaultServer
) -> None:
    write = lost(REGISTER, desk, app, book, proxy)
    abandoned(write)
    again = f"{write.again_at}?again={write.idempotency_key}"
    assert again not in text_of(boss.get(write.get_absolute_url()))
    page = text_of(boss.get(again))
    assert "Otieno" not in page and 'data-finding="may-arrive"' not in page
