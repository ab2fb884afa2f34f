"""A statement's payments into the ledger: checked, decided, recorded once, with its results."""

import csv
import io
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from lendingadmin.gateway import lending_app
from lendingadmin.repayments.models import Repayment
from lendingadmin.repayments.services import OwnRepayment
from lendingadmin.repayments.states import RepaymentState
from lendingadmin.staff.models import User
from lendingadmin.statements import batches, checking, keeping, recording
from lendingadmin.statements.models import Allocation, Batch, StatementFile
from tests.conftest import ClientOf, confirm
from tests.faults.behaviours import refusal, reset
from tests.faults.server import FaultServer
from tests.people_index.conftest import Put, index, put  # noqa: F401
from tests.portfolio.conftest import counted
from tests.repayments.rows import row

from . import making
from .desk import DeskService

pytestmark = pytest.mark.django_db(transaction=True)
BASE = "/apps/kenya/statements/"


@pytest.fixture
def service(fault_server: FaultServer, settings: Any) -> DeskService:
    settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = fault_server.url
    return DeskService(fault_server)


@pytest.fixture
def clerk(client_of: ClientOf, support: User) -> Client:
    return client_of(support)


def pay(*references: str, **fields: Any) -> bytes:
    """A statement of 100.00, 101.00 and so on, for these references."""
    head = "TransID TransTime TransAmount BusinessShortCode BillRefNumber MSISDN FirstName"
    table = [head.split()]
    phones, names = fields.get("phones", {}), fields.get("names", {})
    for at, reference in enumerate(references):
        table.append(
            [
                f"SJAA{at:06}",
                f"202610{at % 28 + 1:02}060007",
                f"{100 + at}.00",
                "123456",
                reference,
                phones.get(at, ""),
                names.get(at, ""),
            ]
        )
    return making.pack_csv(table)


def bring_in(clerk: Client, content: bytes) -> StatementFile:
    answer = clerk.post(f"{BASE}new", {"file": SimpleUploadedFile("x", content)})
    assert answer.status_code == 302, answer.content.decode()
    return StatementFile.objects.latest("pk")


def check(clerk: Client, content: bytes) -> Batch:
    """Bring it in and have it checked, as the worker does."""
    file = bring_in(clerk, content)
    assert clerk.post(f"{BASE}{file.pk}/batch/begin").status_code == 302
    return check_now(Batch.objects.get(file=file))


def check_now(batch: Batch) -> Batch:
    while checking.run_slice(batch.pk) is not None:
        pass
    batch.refresh_from_db()
    return batch


def record(clerk: Client, batch: Batch) -> Batch:
    """Review and record it, as the worker does."""
    submit(clerk, batch)
    return record_now(batch)


def submit(clerk: Client, batch: Batch) -> Any:
    address = f"{BASE}{batch.file_id}/batch/record"
    page = clerk.get(address).content.decode()
    shown = page.partition('name="shown" value="')[2].partition('"')[0]
    return clerk.post(address, {"shown": shown})


def record_now(batch: Batch) -> Batch:
    while recording.run_slice(batch.pk) is not None:
        pass
    batch.refresh_from_db()
    return batch


def list_rows(batch: Batch) -> list[tuple[str, str, str, str]]:
    rows = batch.allocations.order_by("position", "part")
    return list(rows.values_list("account_id", "basis", "finding", "decision"))


def decide(clerk: Client, batch: Batch, position: int, part: int = 1, **data: str) -> Any:
    return clerk.post(f"{BASE}{batch.file_id}/batch/rows/{position}/{part}", data)


class TestChecking:
    """Whose loan a payment is for, and what stands against it."""

    def test_what_names_its_loan_is_accepted_and_the_rest_is_proposed(
        self,
        clerk: Client,
        service: DeskService,
        put: Put,  # noqa: F811
    ) -> None:
        for loan_id, borrower_id in (
            ("L-1", "B-1"),
            ("L-2", "B-2"),
            ("L-3", "B-3"),
            ("L-4", "B-3"),
        ):
            service.add(loan_id, borrower_id)
        put("B-1", surname="Kamau", othernames="Ann", phoneNumber="+254700012345")
        put("B-2", surname="Njeri", othernames="Beth", phoneNumber="+254700000002")
        counted()
        batch = check(
            clerk,
            pay(
                *("L-1", "7001", "B-2", "B-3", "loan l-2 pls", "", "", "nothing"),
                phones={5: "254700012345"},
                names={6: "Beth Njeri"},
            ),
        )
        assert batch.state == "ready"
        assert list_rows(batch) == [
            ("L-1", "loan", "fine", "accepted"),
            ("L-2", "number", "fine", "accepted"),
            ("L-2", "borrower", "fine", "accepted"),
            ("", "borrower", "several", "open"),
            ("L-2", "words", "proposed", "open"),
            ("L-1", "phone", "proposed", "open"),
            ("L-2", "name", "proposed", "open"),
            ("", "", "no-loan", "open"),
        ]
        assert not service.posted

    def test_what_stands_against_a_payment_is_told(
        self, clerk: Client, service: DeskService, support: User
    ) -> None:
        service.add("L-1")
        service.add("L-2", status=3)
        service.add("L-3", total=Decimal(50))
        service.add("L-4")
        service.add("L-5", total=Decimal("205.50"))
        row(support, account_id="L-9", external_id="SJAA000000", amount="100")
        file = pay("L-1", "L-2", "L-3", "L-4", "L-5", "L-5")
        batch = check(clerk, file)
        found = [one[2] for one in list_rows(batch)]
        assert found == ["recorded", "closed", "overpaid", "fine", "fine", "overpaid"]
        assert [one[3] for one in list_rows(batch)].count("accepted") == 2

    def test_the_same_payment_typed_before_without_its_id_is_seen(
        self, clerk: Client, service: DeskService, support: User
    ) -> None:
        service.add("L-1")
        content = pay("L-1")
        moment = keeping.read(content, zone=lending_app("kenya").zone).lines[0].moment  # type: ignore[union-attr, attr-defined]
        row(
            support,
            account_id="L-1",
            external_id="CASH-1",
            external_id_minted=True,
            amount="100",
            transaction_date=moment,
        )
        assert list_rows(check(clerk, content)) == [("L-1", "loan", "alike", "open")]

    def test_checked_again_the_first_is_still_fine_and_the_last_too_much(
        self, clerk: Client, service: DeskService
    ) -> None:
        service.add("L-1", total=Decimal("205.50"))
        batch = check(clerk, pay("L-1", "L-1", "L-1"))
        found = ["fine", "fine", "overpaid"]
        assert [one[2] for one in list_rows(batch)] == found
        clerk.post(f"{BASE}{batch.file_id}/batch/begin")
        assert [one[2] for one in list_rows(check_now(batch))] == found

    def test_two_payments_of_one_loan_are_not_each_other(
        self, clerk: Client, service: DeskService
    ) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1", "L-1"))
        assert [one[2] for one in list_rows(batch)] == ["fine", "fine"]

    def test_a_service_that_is_down_is_asked_again_and_then_said(
        self, clerk: Client, service: DeskService
    ) -> None:
        service.server.on("GET", refusal(503, "down"))
        file = bring_in(clerk, pay("L-1"))
        clerk.post(f"{BASE}{file.pk}/batch/begin")
        batch = Batch.objects.get()
        pauses = [checking.run_slice(batch.pk) for _ in range(6)]
        assert pauses[0] and pauses[-1] is None
        batch.refresh_from_db()
        assert batch.state == "ready" and batch.why and not batch.allocations.exists()
        assert batch.why in clerk.get(batch.get_absolute_url()).content.decode()

    @pytest.mark.parametrize(
        ("odd", "found"),
        [
            ({"accountId": None}, "no-loan"),
            ({"accountId": "another"}, "no-loan"),
            ({"balances": None}, "fine"),
            ({"balances": {"repayment": {"unpaid": "much"}}}, "fine"),
            ({"borrowerId": None, "status": None}, "fine"),
            ({"status": "odd", "settlementDate": "never"}, "fine"),
        ],
    )
    def test_an_odd_loan_is_no_fault(
        self, clerk: Client, service: DeskService, odd: dict[str, Any], found: str
    ) -> None:
        service.add("L-1")
        write = service.write
        service.write = lambda loan_id: write(loan_id) | odd  # type: ignore[method-assign]
        assert [one[2] for one in list_rows(check(clerk, pay("L-1")))] == [found]

    def test_one_that_is_not_whole_is_not_begun(self, clerk: Client, service: DeskService) -> None:
        table = making.write_mpesa(making.make_events(30))
        file = bring_in(clerk, making.pack_csv([*table[:20], *table[21:]]))
        clerk.post(f"{BASE}{file.pk}/batch/begin")
        assert not Batch.objects.exists()


class TestDeciding:
    """What a person may do with a row, and what not."""

    @pytest.fixture
    def batch(self, clerk: Client, service: DeskService) -> Batch:
        service.add("L-1")
        service.add("L-2", status=3)
        counted()
        return check(clerk, pay("L-2", "nobody"))

    def test_what_stands_against_it_takes_a_reason(self, clerk: Client, batch: Batch) -> None:
        page = decide(clerk, batch, 1, action="accept", reason="")
        assert page.status_code == 200 and "This field is required" in page.content.decode()
        assert list_rows(batch)[0][3] == "open"
        decide(clerk, batch, 1, action="accept", reason="agreed with the branch")
        assert list_rows(batch)[0][3] == "accepted"
        assert Allocation.objects.get(position=1).reason == "agreed with the branch"

    def test_without_a_loan_nothing_is_accepted(self, clerk: Client, batch: Batch) -> None:
        decide(clerk, batch, 2, action="accept", reason="because I say so")
        assert list_rows(batch)[1][3] == "open"
        answer = decide(clerk, batch, 2, action="find", who="L-1")
        assert 'value="L-1"' in answer.content.decode()
        decide(clerk, batch, 2, action="choose", loan="L-1")
        assert list_rows(batch)[1] == ("L-1", "person", "fine", "open")
        decide(clerk, batch, 2, action="accept", reason="")
        assert list_rows(batch)[1][3] == "accepted"

    def test_one_payment_goes_to_two_loans(
        self, clerk: Client, batch: Batch, service: DeskService
    ) -> None:
        service.add("L-3")
        decide(clerk, batch, 2, action="choose", loan="L-1")
        page = decide(clerk, batch, 2, action="split", amount="101")
        assert "less than the whole" in page.content.decode()
        decide(clerk, batch, 2, action="split", amount="60.50")
        parts = Allocation.objects.filter(position=2).order_by("part")
        assert [one.amount for one in parts] == [Decimal("60.5"), Decimal("40.5")]
        decide(clerk, batch, 2, action="accept", reason="")
        decide(clerk, batch, 2, 2, action="choose", loan="L-3")
        decide(clerk, batch, 2, 2, action="accept", reason="")
        record(clerk, batch)
        assert sorted(service.posted) == [
            ("L-1", "SJAA000001", Decimal("60.5")),
            ("L-3", "SJAA000001", Decimal("40.5")),
        ]

    def test_the_other_part_is_recorded_after_the_first(
        self, clerk: Client, batch: Batch, service: DeskService
    ) -> None:
        decide(clerk, batch, 2, action="choose", loan="L-1")
        decide(clerk, batch, 2, action="split", amount="60.50")
        decide(clerk, batch, 2, action="accept", reason="")
        record(clerk, batch)
        clerk.post(f"{BASE}{batch.file_id}/batch/begin")
        check_now(batch)
        service.add("L-3")
        decide(clerk, batch, 2, 2, action="choose", loan="L-3")
        decide(clerk, batch, 2, 2, action="accept", reason="")
        record(clerk, batch)
        assert service.posted == [
            ("L-1", "SJAA000001", Decimal("60.5")),
            ("L-3", "SJAA000001", Decimal("40.5")),
        ]

    def test_a_service_that_is_gone_changes_no_row_and_is_told(
        self, clerk: Client, batch: Batch, service: DeskService
    ) -> None:
        before = list_rows(batch)
        service.server.on("GET", refusal(503, "down"))
        for data in ({"action": "find", "who": "L-1"}, {"action": "choose", "loan": "L-1"}):
            page = decide(clerk, batch, 2, **data)
            assert page.status_code == 200 and "saved" in page.content.decode()
        assert list_rows(batch) == before

    def test_many_are_accepted_for_one_reason(self, clerk: Client, service: DeskService) -> None:
        service.add("L-1", status=3)
        batch = check(clerk, pay("L-1", "L-1", "L-1"))
        page = clerk.get(f"{batch.get_absolute_url()}?finding=closed").content.decode()
        assert "Accept all of these" in page
        data = {"finding": "closed", "reason": "told by the branch"}
        clerk.post(f"{BASE}{batch.file_id}/batch/accept", data)
        assert {one[3] for one in list_rows(batch)} == {"accepted"}

    def test_what_is_left_out_is_not_recorded(self, clerk: Client, service: DeskService) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1", "L-1"))
        decide(clerk, batch, 1, action="leave", reason="paid back in cash")
        record(clerk, batch)
        assert [one[1] for one in service.posted] == ["SJAA000001"]

    def test_nobody_decides_while_it_is_recorded(self, clerk: Client, batch: Batch) -> None:
        Batch.objects.update(state="recording")
        page = clerk.post(
            f"{BASE}{batch.file_id}/batch/rows/1/1",
            {"action": "accept", "reason": "agreed with the branch"},
            follow=True,
        )
        assert "nobody decides on its rows now" in page.content.decode()
        assert list_rows(batch)[0][3] == "open"


class TestRecording:
    """Each accepted row once, whatever happens meanwhile."""

    def test_all_that_was_accepted_is_recorded_as_the_statement_has_it(
        self, clerk: Client, service: DeskService, support: User
    ) -> None:
        service.add("L-1")
        service.add("L-2", "B-2")
        batch = record(clerk, check(clerk, pay("L-1", "L-2", "nothing")))
        assert batch.state == "done"
        assert sorted(service.posted) == [
            ("L-1", "SJAA000000", Decimal(100)),
            ("L-2", "SJAA000001", Decimal(101)),
        ]
        first = Repayment.objects.get(account_id="L-1")
        assert (first.network, first.channel, first.created_by) == ("M-PESA", "mobile", support)
        assert first.transaction_date.isoformat() == "2026-10-01T03:00:07+00:00"
        assert first.receipt_number
        page = clerk.get(batch.get_absolute_url()).content.decode()
        assert first.receipt_number in page and "2 recorded" in page

    def test_the_same_statement_again_records_nothing(
        self, clerk: Client, service: DeskService
    ) -> None:
        service.add("L-1")
        record(clerk, check(clerk, pay("L-1", "L-1")))
        again = check(clerk, pay("L-1", "L-1") + b"\n")
        assert [one[2] for one in list_rows(again)] == ["recorded", "recorded"]
        submit(clerk, again)
        assert len(service.posted) == 2

    def test_a_worker_that_dies_leaves_nothing_twice(
        self, clerk: Client, service: DeskService, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        service.add("L-1")
        batch = check(clerk, pay(*["L-1"] * 5))
        submit(clerk, batch)
        save, count = Allocation.save, 0

        def die(self: Allocation, **options: Any) -> None:
            nonlocal count
            count += 1
            if count == 3:
                raise KeyboardInterrupt
            save(self, **options)

        monkeypatch.setattr(Allocation, "save", die)
        with pytest.raises(KeyboardInterrupt):
            recording.run_slice(batch.pk)
        assert len(service.posted) == 3
        assert record_now(batch).state == "done"
        assert batch.allocations.exclude(repayment=None).count() == 5
        # The rows of one loan are recorded one after the other, in their order.
        assert [one[1] for one in service.posted] == [f"SJAA{at:06}" for at in range(5)]

    def test_an_unknown_outcome_holds_only_its_loan(
        self, clerk: Client, service: DeskService
    ) -> None:
        service.add("L-1")
        service.add("L-2", "B-2")
        batch = check(clerk, pay("L-1", "L-2", "L-1", "L-2"))
        service.answer = lambda loan_id, record: (
            reset() if loan_id == "L-1" else service.keep_word(loan_id, record)
        )
        record(clerk, batch)
        assert batch.state == "paused" and "1 rows wait" in batch.why
        assert [one[0] for one in service.posted] == ["L-2", "L-2"]
        states = batch.allocations.order_by("position").values_list("repayment__state", flat=True)
        assert list(states) == ["unknown", "recorded", None, "recorded"]

    def test_a_service_that_is_down_pauses_it_and_a_person_goes_on(
        self, clerk: Client, service: DeskService
    ) -> None:
        for at in range(20):
            service.add(f"L-{at}")
        batch = check(clerk, pay(*(f"L-{at}" for at in range(20))))
        submit(clerk, batch)
        service.server.on("GET /v1/projects", refusal(503, "down"))
        record_now(batch)
        assert batch.state == "paused" and "failed 5 times in a row" in batch.why
        failed = batch.allocations.filter(repayment__state="not_sent").count()
        assert 5 <= failed <= 8 and not service.posted
        service.server.on("GET /v1/projects", service._get)
        clerk.post(f"{BASE}{batch.file_id}/batch/resume")
        record_now(batch)
        # What came to nothing is not sent again by itself.
        assert batch.state == "done" and len(service.posted) == 20 - failed
        clerk.post(f"{BASE}{batch.file_id}/batch/begin")
        check_now(batch)
        assert {one[2:] for one in list_rows(batch)} == {("fine", "accepted")}
        record(clerk, batch)
        assert len(service.posted) == len({one[1] for one in service.posted}) == 20

    def test_what_was_refused_says_so_and_is_not_sent_again(
        self, clerk: Client, service: DeskService
    ) -> None:
        service.add("L-1")
        service.answer = lambda loan_id, record: refusal(400, "not today")
        batch = record(clerk, check(clerk, pay("L-1")))
        assert batch.state == "done"
        assert service.server.hits("makeRepayment") == 1
        page = clerk.get(f"{batch.get_absolute_url()}?result=refused").content.decode()
        assert "SJAA000000" in page and "1 refused" in page

    def test_it_stops_and_goes_on(self, clerk: Client, service: DeskService) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1"))
        submit(clerk, batch)
        clerk.post(f"{BASE}{batch.file_id}/batch/stop")
        assert recording.run_slice(batch.pk) is None and not service.posted
        batch.refresh_from_db()
        assert batch.state == "paused" and "stopped it" in batch.why
        clerk.post(f"{BASE}{batch.file_id}/batch/resume")
        assert record_now(batch).state == "done" and len(service.posted) == 1

    def test_who_lost_the_right_records_no_more(
        self, clerk: Client, service: DeskService, support: User
    ) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1"))
        submit(clerk, batch)
        User.objects.filter(pk=support.pk).update(is_active=False)
        assert record_now(batch).state == "paused" and "may not record" in batch.why
        assert not service.posted

    def test_rows_that_changed_meanwhile_are_shown_again(
        self, clerk: Client, service: DeskService
    ) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1"))
        answer = clerk.post(f"{BASE}{batch.file_id}/batch/record", {"shown": "0-9-KES1"})
        assert "changed meanwhile" in answer.content.decode()
        batch.refresh_from_db()
        assert batch.state == "ready"

    def test_the_receipts_are_one_print(self, clerk: Client, service: DeskService) -> None:
        service.add("L-1")
        service.add("L-2", "B-2")
        batch = record(clerk, check(clerk, pay("L-1", "L-2", "nothing")))
        page = clerk.post(f"{batch.get_absolute_url()}receipts").content.decode()
        numbers = [one.receipt_number for one in Repayment.objects.order_by("pk")]
        assert page.count('<article class="sheet">') == 2
        assert all(f"<strong>{number}</strong>" in page for number in numbers)
        assert Repayment.objects.filter(receipt_opened_at=None).count() == 0
        again = clerk.post(f"{batch.get_absolute_url()}receipts").content.decode()
        assert again.count("Reprint") == 2

    def test_the_csv_has_every_row_with_its_receipt(
        self, clerk: Client, service: DeskService
    ) -> None:
        service.add("L-1")
        batch = record(clerk, check(clerk, pay("L-1", "nothing")))
        answer: Any = clerk.get(f"{batch.get_absolute_url()}export.csv")
        text = b"".join(answer.streaming_content).decode("utf-8-sig")
        rows: Sequence[dict[str, str]] = list(csv.DictReader(io.StringIO(text)))
        assert [one["finding"] for one in rows] == ["fine", "no loan"]
        assert rows[0]["receipt"] == Repayment.objects.get().receipt_number
        assert rows[0]["result"] == "recorded"


class TestApproving:
    """Above a limit a second person lets all of it go, and every repayment bears both names."""

    @pytest.fixture(autouse=True)
    def limited(self, settings: Any) -> None:
        from lendingadmin.repayments.limits import ApprovalLimits

        settings.APPROVAL_LIMITS = {"kenya": ApprovalLimits(Decimal(150), Decimal(250), False)}

    def test_a_batch_below_the_limits_needs_nobody(
        self, clerk: Client, service: DeskService, manager: User
    ) -> None:
        service.add("L-1")
        assert record(clerk, check(clerk, pay("L-1", "L-1"))).state == "done"
        assert not Repayment.objects.exclude(approval_reasons="").exists()

    def test_its_total_needs_a_second_person(
        self, clerk: Client, boss: Client, service: DeskService, support: User, manager: User
    ) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1", "L-1", "L-1"))
        submit(clerk, batch)
        assert record_now(batch).state == "awaiting" and not service.posted
        confirm(boss, manager)
        address = f"{batch.get_absolute_url()}approve"
        assert "Approve and record" in boss.get(address).content.decode()
        boss.post(address)
        record_now(batch)
        assert len(service.posted) == 3
        last = Repayment.objects.order_by("pk").last()
        assert last is not None
        assert (last.state, last.approved_by, last.created_by) == (
            RepaymentState.RECORDED,
            manager,
            support,
        )

    def test_what_moved_since_it_was_accepted_is_shown_again(
        self, clerk: Client, boss: Client, service: DeskService, manager: User
    ) -> None:
        service.add("L-1")
        service.add("L-2", "B-2")
        service.add("L-3", "B-3")
        batch = check(clerk, pay("L-1", "L-2", "L-3"))
        submit(clerk, batch)
        service.loans["L-2"]["status"] = 3
        service.loans["L-3"]["paid"] = Decimal(99_950)
        confirm(boss, manager)
        boss.post(f"{batch.get_absolute_url()}approve")
        assert record_now(batch).state == "done"
        assert [one[0] for one in service.posted] == ["L-1"]
        assert [one[2:] for one in list_rows(batch)] == [
            ("fine", "accepted"),
            ("closed", "open"),
            ("overpaid", "open"),
        ]

    def test_nobody_approves_their_own(
        self, boss: Client, service: DeskService, manager: User
    ) -> None:
        service.add("L-1")
        batch = check(boss, pay("L-1", "L-1", "L-1"))
        page = submit(boss, batch).content.decode()
        assert "nobody else may approve it" in page
        Batch.objects.update(state="awaiting", approval_reasons="day")
        batch.refresh_from_db()
        with pytest.raises(OwnRepayment):
            batches.approve(batch, manager)
        Batch.objects.update(state="ready", approval_reasons="")
        batch.refresh_from_db()
        assert batch.state == "ready" and not service.posted
