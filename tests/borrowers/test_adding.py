"""Registering and deleting borrowers at the sandbox: once, with everything that may be sent."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils.html import escape

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.money.writes import idempotency
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.states import WriteState
from tests.borrowers.forms import PERSON, filled
from tests.events import samples as events
from tests.faults.behaviours import empty, forward, refusal
from tests.faults.server import FaultServer, Wire
from tests.sandbox.calling import Caller
from tests.web.marks import list_marks

pytestmark = pytest.mark.django_db


def url(app: LendingApp, rest: str = "") -> str:
    return f"/apps/{app.app_id}/borrowers/{rest}"


def test_a_person_with_device_loan_and_settings(
    boss: Client, app: LendingApp, book: Caller
) -> None:
    form = filled(
        boss.get(url(app, "new")),
        borrowerId="n-1",
        individual__surname="Otieno",
        individual__phoneNumber="0712 345 678",
        individual__dateOfBirth="1990-12-31",
        individual__noOfDependants="2",
        settings__settings="timezone: Africa/Nairobi",
        json__devices='[{"deviceId": "d-1", "active": true}, {"deviceId": "d-2"}]',
        json__loans='[{"loanId": "old", "principalAmount": 1000.50, '
        '"endDate": "2025-01-30T21:00:00.000Z"}]',
        open__demographic='{"village": {"name": "Kitale"}}',
    )
    answer = boss.post(url(app, "new"), form)
    assert answer.headers["Location"] == url(app, "n-1/")
    made = book.get("/borrowers/n-1").body
    assert (made["individual"]["surname"], made["individual"]["noOfDependants"]) == ("OTIENO", 2)
    assert made["individual"]["phoneNumber"] == "+254712345678"
    assert [device["deviceId"] for device in made["devices"]] == ["d-1", "d-2"]
    assert made["loans"][0]["principalAmount"] == pytest.approx(1000.50)
    assert made["loans"][0]["endDate"] == "2025-01-30T21:00:00.000Z"
    assert made["settings"] == {"timezone": "Africa/Nairobi"}
    assert made["demographic"] == {"village": {"name": "Kitale"}}
    page = boss.get(url(app, "n-1/?whole=1")).content.decode()
    for words in ("village · name", "Kitale", "Register this borrower", "1,000.50"):
        assert words in page
    # The same form again lands on the same borrower.
    assert boss.post(url(app, "new"), form).headers["Location"] == url(app, "n-1/")
    assert Entry.objects.filter(action="borrowers.create").count() == 1


def test_a_company(boss: Client, app: LendingApp, book: Caller) -> None:
    form = filled(
        boss.get(url(app, "new")),
        borrowerId="co",
        general__category="company",
        open__company="tradingName: Mama Mboga\nphone: 0712345678",
    )
    assert boss.post(url(app, "new"), form).status_code == 302
    made = book.get("/borrowers/co").body
    assert made["company"] == {"tradingName": "Mama Mboga", "phone": "0712345678"}
    assert made["individual"] is None


def test_a_companys_own_fields(boss: Client, app: LendingApp, book: Caller) -> None:
    form = filled(
        boss.get(url(app, "new")),
        borrowerId="co",
        general__category="company",
        company__companyName="Mama Mboga",
        company__phoneNumber="0712345678",
        open__company="town: Kitale",
    )
    assert boss.post(url(app, "new"), form).status_code == 302
    company = book.get("/borrowers/co").body["company"]
    assert company == {"town": "Kitale", "name": "Mama Mboga", "phoneNumber": "+254712345678"}


def test_one_that_exists_offers_to_open_it(desk: Client, app: LendingApp, book: Caller) -> None:
    form = filled(desk.get(url(app, "new")), borrowerId="b", **PERSON)
    for sending in (form, form):
        page = desk.post(url(app, "new"), sending)
        assert f'<a class="button" href="{url(app, "b/")}">' in page.content.decode()
        assert filled(page)["individual-surname"] == "Otieno"
    assert filled(page)["token"] != form["token"]


@pytest.mark.parametrize(
    "words", ["See circular 409.", "409"], ids=["words that hold 409", "words that are 409"]
)
def test_only_the_status_409_offers_an_existing_one(
    desk: Client, app: LendingApp, book: Caller, settings: Any, fault_proxy: Any, words: str
) -> None:
    standing: FaultServer = fault_proxy(book.base_url)
    settings.LENDING_BASE_URL = standing.url
    form = filled(desk.get(url(app, "new")), borrowerId="n-9", **PERSON)
    standing.once(f"POST {book.app}/borrowers", refusal(400, words, {"X-Request-Id": "409"}))
    for sending in (form, form):
        text = desk.post(url(app, "new"), sending).content.decode()
        assert words in text and "borrowers.create · 400 · 409" in text
        assert url(app, "n-9/") not in text


@pytest.mark.parametrize(
    ("borrower_id", "words"),
    [("", "required"), ("..", "cannot be an id"), ("é" * 255, "too long")],
)
def test_an_id_without_an_address_is_refused_beside_its_field(
    desk: Client, app: LendingApp, book: Caller, borrower_id: str, words: str
) -> None:
    form = filled(desk.get(url(app, "new")), borrowerId=borrower_id)
    assert words in desk.post(url(app, "new"), form).content.decode()


def test_an_old_form_keeps_its_input(
    desk: Client, app: LendingApp, book: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stale(*_: Any) -> str:
        raise idempotency.StaleKey

    form = filled(desk.get(url(app, "new")), borrowerId="late", **PERSON)
    monkeypatch.setattr(idempotency, "check_key", stale)
    page = desk.post(url(app, "new"), form)
    assert str(idempotency.TOO_LONG) in page.content.decode()
    assert filled(page)["borrowerId"] == "late"
    assert book.get("/borrowers/late").status == 404


def test_deleting_wants_the_id_and_happens_once(
    boss: Client, app: LendingApp, book: Caller
) -> None:
    book.borrower("gone")
    form = filled(boss.get(url(app, "gone/delete")))
    wrong = boss.post(url(app, "gone/delete"), form | {"borrowerId": "GONE"})
    (refusal,) = wrong.context["form"].errors.as_data()["borrowerId"]
    assert refusal.code == "another_id" and escape(str(refusal.message)) in wrong.content.decode()
    assert book.get("/borrowers/gone").status == 200
    for _ in range(2):
        answer = boss.post(url(app, "gone/delete"), form | {"borrowerId": "gone"})
        assert answer.headers["Location"] == url(app)
    assert book.get("/borrowers/gone").status == 404
    assert Entry.objects.filter(action="borrowers.delete").count() == 1


def test_a_borrower_who_is_still_there_is_not_said_to_be_deleted(
    boss: Client,
    app: LendingApp,
    book: Caller,
    fault_proxy: Callable[[str], FaultServer],
    settings: Any,
) -> None:
    book.borrower("stays")
    service = fault_proxy(book.base_url)
    settings.LENDING_BASE_URL = service.url
    service.on("DELETE", empty(204))
    form = filled(boss.get(url(app, "stays/delete")), borrowerId="stays")
    answer = boss.post(url(app, "stays/delete"), form)
    write = Write.objects.get(operation="borrowers.delete")
    assert answer.headers["Location"] == write.get_absolute_url()
    assert (write.state, service.hits("DELETE")) == (WriteState.UNKNOWN, 1)
    assert Entry.objects.get(action="borrowers.delete").saved == "unknown"


def test_a_refused_delete_says_why(boss: Client, app: LendingApp, book: Caller) -> None:
    form = filled(boss.get(url(app, "b/delete")), borrowerId="b")
    page = boss.post(url(app, "b/delete"), form)
    said = book.call("DELETE", "/borrowers/b").body["error_description"]
    assert escape(said) in page.content.decode()
    assert list_marks(page, "saved") == ["no"]


def test_officers_do_not_delete(desk: Client, app: LendingApp, book: Caller) -> None:
    assert desk.get(url(app, "b/delete")).status_code == 403
    assert url(app, "b/delete") not in desk.get(url(app, "b/?whole=1")).content.decode()


class TestPanels:
    def test_each_panel_is_a_page_and_a_fragment_too(
        self, desk: Client, app: LendingApp, book: Caller
    ) -> None:
        page = desk.get(url(app, "b/")).content.decode()
        for panel in ("record", "loans", "assessments", "events"):
            there = url(app, f"b/panels/{panel}")
            assert f'href="{there}"' in page
            whole = desk.get(there).content.decode()
            assert "<html" in whole
            fragment = desk.get(there, headers={"HX-Request": "true"}).content.decode()
            assert "<html" not in fragment
            assert "as of " in fragment
            assert 'hx-trigger="load"' not in fragment
        # What was done here needs no call, so it comes with the frame.
        assert 'id="heading-history"' in page

    def test_each_fails_alone_with_a_retry(
        self,
        desk: Client,
        app: LendingApp,
        book: Caller,
        fault_proxy: Callable[[str], FaultServer],
        settings: Any,
    ) -> None:
        proxy = fault_proxy(book.base_url)
        settings.LENDING_BASE_URL = proxy.url
        proxy.on("/loans?", refusal(500, "down"))
        page = desk.get(url(app, "b/?whole=1"))
        assert "WANJIRU ANNE" in page.content.decode()
        assert list_marks(page, "finding") == ["lending-error"]
        for panel in ("loans", "assessments", "events"):
            proxy.on(f"/{panel}?", refusal(500, "down"))
            there = url(app, f"b/panels/{panel}")
            answer = desk.get(there, headers={"HX-Request": "true"})
            assert answer.status_code == 200
            assert list_marks(answer, "finding") == ["lending-error"]
            assert f'class="button" href="{there}"' in answer.content.decode()

    def test_the_record_too_fails_alone(
        self,
        desk: Client,
        app: LendingApp,
        book: Caller,
        fault_proxy: Callable[[str], FaultServer],
        settings: Any,
    ) -> None:
        proxy = fault_proxy(book.base_url)
        settings.LENDING_BASE_URL = proxy.url
        proxy.on("/borrowers/b", refusal(500, "down"))
        page = desk.get(url(app, "b/?whole=1"))
        text = page.content.decode()
        assert page.status_code == 200
        assert list_marks(page, "finding").count("lending-error") == 1
        assert f'class="button" href="{url(app, "b/panels/record")}"' in text
        assert f'href="/apps/{app.app_id}/loans/l/"' in text

    def test_all_at_once_is_read_side_by_side(
        self,
        desk: Client,
        app: LendingApp,
        book: Caller,
        fault_proxy: Callable[[str], FaultServer],
        settings: Any,
    ) -> None:
        proxy = fault_proxy(book.base_url)
        settings.LENDING_BASE_URL = proxy.url
        # Each is answered only when all four have been asked.
        gathering = threading.Barrier(4, timeout=5)

        def together(wire: Wire) -> bool:
            gathering.wait()
            return forward()(wire)

        for part in ("/borrowers/b", "/loans?", "/assessments?", "/events?"):
            proxy.on(f"GET {book.app}{part}", together, forward())
        page = desk.get(url(app, "b/?whole=1"))
        assert "WANJIRU ANNE" in page.content.decode()
        assert list_marks(page, "finding") == list_marks(page, "not-shown") == []
        assert not gathering.broken

    def test_a_borrower_that_is_not_there(
        self, desk: Client, app: LendingApp, book: Caller
    ) -> None:
        answer = desk.get(url(app, "nobody/panels/record"), headers={"HX-Request": "true"})
        assert list_marks(answer, "finding") == ["not-found"]
        assert desk.get(url(app, "nobody/?whole=1")).status_code == 404

    def test_events_lead_to_their_pages(self, desk: Client, app: LendingApp, book: Caller) -> None:
        assert book.post("/events", events.body()).status == 200
        page = desk.get(url(app, "b/panels/events")).content.decode()
        assert f'href="{events.address(app)}"' in page
        assert "2 messages, 1 contact, 2 battery readings, 1 location, 1 app" in page

    def test_assessments_of_others_are_left_out(
        self, desk: Client, app: LendingApp, book: Caller
    ) -> None:
        book.borrower("other")
        for account in ("borrower:b", "borrower:other"):
            body = {"accountId": account, "assessmentType": "assessmentTypes/credit-90-days"}
            made = book.post("/assessments", body | {"timestamp": "2026-11-01T00:00:00.000Z"})
            assert made.status == 200, made.text
        page = desk.get(url(app, "b/panels/assessments"))
        assert [one.assessment.account_id for one in page.context["shown"].found.items] == [
            "borrower:b"
        ]
