"""Making a loan of a contract given as JSON, deleting one, and what the loan page adds."""

import re
from typing import Any

import pytest
import simplejson
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.money.writes.idempotency import TOO_LONG
from lendingadmin.money.writes.models import Write
from lendingadmin.money.writes.reconciliation import check_due_writes
from lendingadmin.money.writes.states import WriteFound, WriteState
from tests.conftest import ClientOf
from tests.faults.behaviours import echo, refusal, reply, reset, token
from tests.faults.server import FaultServer
from tests.policies.setting import set_words
from tests.sandbox.calling import Caller, ago

pytestmark = pytest.mark.django_db(transaction=True)
ROLE = "manager"
NEW = "/apps/kenya/loans/new"
CONTRACT = '{"productId": "p", "amounts": {"principal": 10.00}, "x": [1.10, null]}'


def make_service(server: FaultServer) -> FaultServer:
    """A service that makes every loan as it is asked to."""
    server.on("POST /v1/oauth2/token", token())
    server.on("POST /v1/projects/demo/apps/kenya/loans", echo())
    return server


def hidden(page: Any, name: str = "token") -> str:
    found = re.search(rf'name="{name}" value="([^"]+)"', page.content.decode())
    assert found
    return found[1]


def filled(page: Any, **fields: str) -> dict[str, str]:
    usual = {
        "token": hidden(page),
        "accountId": hidden(page, "accountId"),
        "borrowerId": "B-1",
        "startDate": "2026-12-01T03:00",
        "contract": CONTRACT,
    }
    return usual | fields


def posted(service: FaultServer) -> int:
    return service.hits("POST /v1/projects/demo/apps/kenya/loans")


class TestNew:
    def test_only_a_developer_enters_a_contract(
        self, desk: Client, client_of: ClientOf, officer: User, service: FaultServer
    ) -> None:
        form, other = filled(desk.get(NEW)), client_of(officer)
        assert 'name="contract"' not in other.get(NEW).content.decode()
        assert other.post(NEW, form).status_code == 200 and posted(service) == 0

    def test_it_leads_from_the_borrower_through_an_offer(
        self, desk: Client, service: FaultServer
    ) -> None:
        page = desk.get(NEW).content.decode()
        assert 'action="/apps/kenya/find"' in page and 'name="q"' in page
        assert 'href="/apps/kenya/borrowers/new"' in page
        assert "/offers/new" not in page
        assert re.search(r"<details>\s*<summary>Technical", page)
        page = desk.get(f"{NEW}?borrowerId=B-1").content.decode()
        assert 'href="/apps/kenya/borrowers/B-1/offers/new"' in page

    def test_a_contract_that_was_entered_is_seen(self, desk: Client, service: FaultServer) -> None:
        page = desk.post(NEW, filled(desk.get(NEW), contract="{}")).content.decode()
        assert re.search(r"<details open>\s*<summary>Technical", page)

    def test_what_is_filled_in_goes_out_and_nothing_else(
        self, desk: Client, service: FaultServer
    ) -> None:
        form = filled(
            desk.get(f"{NEW}?borrowerId=B-1"),
            loanAmount="10.50",
            labels='{"kind": "test"}',
            others='{"maturityDate": "2026-12-31T23:59:59.999Z"}',
        )
        answer = desk.post(NEW, form)
        assert answer.headers["Location"] == f"/apps/kenya/loans/{form['accountId']}/"
        body = service.last("POST /v1/projects/demo/apps/kenya/loans").body
        assert b'"contract":{"productId":"p","amounts":{"principal":10.00},"x":[1.10,null]}' in body
        sent = simplejson.loads(body)
        del sent["contract"]
        assert sent == {
            "accountId": form["accountId"],
            "borrowerId": "B-1",
            "loanAmount": 10.5,
            "startDate": "2026-12-01T00:00:00.000Z",
            "labels": {"kind": "test"},
            "maturityDate": "2026-12-31T23:59:59.999Z",
        }
        assert Entry.objects.get(action="loans.create").subject == form["accountId"]

    @pytest.mark.parametrize(
        ("field", "value", "code", "named"),
        [
            ("contract", '{"a": 1,}', "not_json", ""),
            ("contract", "[1]", "no_object", ""),
            ("contract", "{}", "empty", ""),
            ("contract", '{"a": NaN}', "not_json", ""),
            ("contract", "[" * 3000, "not_json", ""),
            ("contract", '{"amounts": {"principal": "10"}}', "malformed", "amounts.principal"),
            ("contract", "", "required", ""),
            ("labels", "5", "no_object", ""),
            ("others", '{"accountId": "x"}', "twice", "accountId"),
            ("others", '{"contract": {}}', "twice", "contract"),
            ("accountId", "..", "no_id", ""),
            ("loanAmount", "1,000.5.5", "unreadable", ""),
            ("startDate", "0001-01-01T00:00", "year", ""),
        ],
    )
    def test_what_is_wrong_is_told_beside_its_field_and_kept(
        self, desk: Client, service: FaultServer, field: str, value: str, code: str, named: str
    ) -> None:
        entered = filled(desk.get(NEW), borrowerId="KEPT-1") | {field: value}
        page = desk.post(NEW, entered)
        assert page.status_code == 200
        (wrong,) = page.context["form"].errors.as_data()[field]
        assert wrong.code == code and named in wrong.messages[0]
        assert f'id="id_{field}_error"' in page.text and 'value="KEPT-1"' in page.text
        assert posted(service) == 0

    def test_a_form_that_was_open_for_too_long_is_kept(
        self, desk: Client, service: FaultServer
    ) -> None:
        page = desk.post(NEW, filled(desk.get(NEW), borrowerId="KEPT-1", token="made up"))
        assert str(TOO_LONG) in page.text and 'value="KEPT-1"' in page.text
        assert posted(service) == 0

    def test_an_amount_that_is_no_number_stays_for_the_person_to_see(
        self, desk: Client, service: FaultServer
    ) -> None:
        page = desk.post(NEW, filled(desk.get(NEW), loanAmount="1,000 or so")).content.decode()
        assert re.search('<input type="text" name="loanAmount" value="1,000 or so"', page)

    def test_a_refusal_says_that_nothing_was_saved_and_where_to_look(
        self, desk: Client, service: FaultServer
    ) -> None:
        service.on("POST /v1/projects/demo/apps/kenya/loans", refusal(409, "loan L exists"))
        page = desk.post(NEW, filled(desk.get(NEW), accountId="MINE")).text
        assert 'data-saved="no"' in page
        assert 'href="/apps/kenya/loans/?accountId=MINE"' in page

    def test_a_doubt_leads_to_its_own_page(self, desk: Client, service: FaultServer) -> None:
        service.on("POST /v1/projects/demo/apps/kenya/loans", reset())
        form = filled(desk.get(NEW), accountId="MINE")
        page = desk.post(NEW, form, follow=True)
        assert 'data-saved="unknown"' in page.content.decode()
        assert desk.post(NEW, form).headers["Location"] == page.request["PATH_INFO"]
        assert posted(service) == 1

    def test_twice_makes_one(self, desk: Client, service: FaultServer) -> None:
        form = filled(desk.get(NEW))
        first, again = desk.post(NEW, form), desk.post(NEW, form)
        assert first.headers["Location"] == again.headers["Location"]
        assert posted(service) == 1


class TestDelete:
    def test_a_pending_loan_is_deleted_at_the_sandbox(
        self, desk: Client, app: LendingApp, book: Caller
    ) -> None:
        book.loan("later", startDate=ago(days=-30))
        address = f"/apps/{app.app_id}/loans/later/delete"
        page = desk.get(address)
        assert 'data-finding="will-be-refused"' not in page.text
        answer = desk.post(address, {"token": hidden(page)}, follow=True)
        assert 'data-finding="loan-deleted"' in answer.text
        assert book.get("/loans/later").status == 404
        assert Entry.objects.get(action="loans.delete").saved == "yes"

    def test_an_open_one_is_warned_of_and_refused_in_the_services_words(
        self, desk: Client, app: LendingApp, book: Caller, settings: Any
    ) -> None:
        set_words(loan={"1": "pending", "2": "open", "3": "closed"})
        address = f"/apps/{app.app_id}/loans/l/delete"
        page = desk.get(address)
        assert 'data-finding="will-be-refused"' in page.text
        refused = desk.post(address, {"token": hidden(page)}).content.decode()
        words = book.call("DELETE", "/loans/l").description
        assert words in refused and 'data-saved="no"' in refused
        assert book.get("/loans/l").status == 200

    def test_a_status_without_a_word_leaves_it_to_the_service(
        self, desk: Client, app: LendingApp, book: Caller, settings: Any
    ) -> None:
        set_words(loan={})
        page = desk.get(f"/apps/{app.app_id}/loans/l/delete").content.decode()
        assert 'data-finding="status-unknown"' in page and 'class="danger" type="submit"' in page

    def test_repayments_that_were_entered_here_are_told_of(
        self, desk: Client, service: FaultServer, manager: User
    ) -> None:
        service.on("GET /v1/projects/demo/apps/kenya/loans/L", reply({"accountId": "L"}))
        address, words = "/apps/kenya/loans/L/delete", 'data-finding="repayments-here"'
        assert words not in desk.get(address).content.decode()
        now = timezone.now()
        Repayment.objects.create(
            app_id="kenya",
            account_id="L",
            external_id="TX-1",
            amount=1,
            transaction_date=now,
            value_date=now,
            state=RepaymentState.RECORDED,
            state_at=now,
            created_at=now,
            created_by=manager,
            send_before=now,
            idempotency_key="f",
        )
        assert words in desk.get(address).content.decode()

    def test_without_a_token_nothing_is_deleted(self, desk: Client, service: FaultServer) -> None:
        assert desk.post("/apps/kenya/loans/L/delete").status_code == 302
        assert service.hits("DELETE") == 0

    def test_a_doubtful_delete_says_so_though_the_loan_cannot_be_read(
        self, desk: Client, service: FaultServer
    ) -> None:
        service.on("GET /v1/projects/demo/apps/kenya/loans/L", reply({"accountId": "L"}))
        form = {"token": hidden(desk.get("/apps/kenya/loans/L/delete"))}
        service.on("/loans/L", reset())
        page = desk.post("/apps/kenya/loans/L/delete", form, follow=True).content.decode()
        assert 'data-saved="unknown"' in page and service.hits("DELETE") == 1
        assert 'data-finding="still-there"' not in page

    @pytest.mark.parametrize(
        ("read", "state"),
        [
            (refusal(404), WriteState.SAVED),
            (reply({"accountId": "L"}), WriteState.UNKNOWN),
            (reply({"accountId": "another"}), WriteState.UNKNOWN),
            (reply({}), WriteState.UNKNOWN),
            (refusal(403), WriteState.UNKNOWN),
            (refusal(500), WriteState.UNKNOWN),
            (reset(), WriteState.UNKNOWN),
        ],
    )
    def test_it_is_deleted_only_when_it_is_gone(
        self, desk: Client, service: FaultServer, read: Any, state: WriteState
    ) -> None:
        one = "/v1/projects/demo/apps/kenya/loans/L"
        service.on(f"GET {one}", reply({"accountId": "L"}))
        form = {"token": hidden(desk.get("/apps/kenya/loans/L/delete"))}

        def delete(wire: Any) -> bool:
            service.on(f"GET {one}", read)
            return reply({}, headers={"X-Request-Id": "of-the-delete"})(wire)

        service.on(f"DELETE {one}", delete)
        answer = desk.post("/apps/kenya/loans/L/delete", form)
        write = Write.objects.get(operation="loans.delete")
        assert write.state == state and service.hits("DELETE") == 1
        is_gone = state == WriteState.SAVED
        assert answer.headers["Location"] == (
            "/apps/kenya/loans/" if is_gone else write.get_absolute_url()
        )
        entry = Entry.objects.get(action="loans.delete")
        assert entry.saved == ("yes" if is_gone else "unknown")
        assert entry.request_id == "of-the-delete"
        # What happens next: it is read again until it is gone.
        assert (write.next_check_at is None) == is_gone
        service.on(f"GET {one}", refusal(404))
        check_due_writes()
        write.refresh_from_db()
        assert write.found == ("" if is_gone else WriteFound.THERE)

    @pytest.mark.parametrize(
        ("read", "found"),
        [(reply({"accountId": "L"}), WriteFound.NOT_SEEN), (refusal(404), WriteFound.THERE)],
    )
    def test_after_it_the_page_says_what_was_read(
        self, desk: Client, service: FaultServer, read: Any, found: WriteFound
    ) -> None:
        service.on("GET /v1/projects/demo/apps/kenya/loans/L", reply({"accountId": "L"}))
        form = {"token": hidden(desk.get("/apps/kenya/loans/L/delete"))}
        service.on("GET /v1/projects/demo/apps/kenya/loans/L", read)
        refused = "It is <open>."
        service.on("DELETE /v1/projects/demo/apps/kenya/loans/L", refusal(409, refused))
        page = desk.post("/apps/kenya/loans/L/delete", form, follow=True).text
        assert escape(refused) in page and refused not in page
        (check,) = Write.objects.get().checks.all()
        assert check.found == found and escape(check.why) in page


def test_the_loan_page_has_the_rest_of_what_came(desk: Client, service: FaultServer) -> None:
    loan = {
        "accountId": "L",
        "borrowerId": "B",
        "requestId": "r-1",
        "lenderId": "Lender & Co",
        "result": {"type": "written_off", "reason": "bad_debt", "message": "Given up"},
        "settings": {"notify": True},
        "labels": {"campaign": "spring"},
        "contract": {
            "tranches": [{"sequenceNo": 1, "amount": 980}],
            "adjustments": [
                {"displayName": "Handling", "action": "deduct", "target": "disbursement",
                 "source": "principal", "valueType": "absolute", "value": 20}
            ],
            "x-more": "kept",
        },
    }  # fmt: skip
    service.on("GET /v1/projects/demo/apps/kenya/loans/L", reply(loan))
    page = desk.get("/apps/kenya/loans/L/").content.decode()
    for words in ("Tranches", "980.00", "Handling", "KES 20.00", "written off", "bad debt",
                  "Given up", "notify", "campaign", "spring", "x-more", "kept", "Lender &amp; Co",
                  "/apps/kenya/borrowers/B/offers/r-1/", "/apps/kenya/loans/L/delete"):  # fmt: skip
        assert words in page, words
