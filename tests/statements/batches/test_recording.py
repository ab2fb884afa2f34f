"""Each row of a batch that was accepted is recorded once, with its result."""

import csv
import io
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from lendingadmin.core.audit.models import Entry, SuspectedRestore
from lendingadmin.core.audit.restores import MayBeRestored
from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements import recording
from lendingadmin.desk.statements.findings import Finding
from lendingadmin.desk.statements.views.batches import COLUMNS
from lendingadmin.money.repayments import sending
from lendingadmin.money.repayments.models import Reading, Repayment
from lendingadmin.money.repayments.services import move
from lendingadmin.money.repayments.states import RepaymentState
from tests.faults.behaviours import refusal, reset
from tests.statements.desk import DeskService

from .steps import (
    BASE,
    check,
    check_now,
    decide,
    list_rows,
    pay,
    record,
    record_now,
    submit,
)

pytestmark = pytest.mark.django_db(transaction=True)


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
        page = clerk.get(batch.get_absolute_url())
        assert page.context["progress"]["results"]["landed"] == 2
        assert first.receipt_number in page.text and "?result=landed" in page.text

    def test_it_pauses_while_the_database_may_have_been_restored(
        self, clerk: Client, service: DeskService
    ) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1"))
        SuspectedRestore.objects.create()
        batch = record(clerk, batch)
        assert (batch.state, batch.why) == ("paused", MayBeRestored().message)
        assert not service.posted

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
        record_all, count = sending.record_all, 0

        def die(*arguments: Any, **options: Any) -> Any:
            nonlocal count
            count += 1
            found = record_all(*arguments, **options)
            if count == 3:
                raise KeyboardInterrupt
            return found

        monkeypatch.setattr(sending, "record_all", die)
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
        page = clerk.get(batch.get_absolute_url())
        assert batch.state == "paused" and page.context["progress"]["held"] == 1
        assert batch.why and batch.why in page.text
        assert [one[0] for one in service.posted] == ["L-2", "L-2"]
        states = batch.allocations.order_by("position").values_list("repayment__state", flat=True)
        assert list(states) == ["unknown", "recorded", None, "recorded"]

    def test_what_was_not_found_at_the_service_is_recorded_once_somebody_agrees(
        self, clerk: Client, service: DeskService
    ) -> None:
        service.add("L-1")
        service.answer = lambda loan_id, record: reset()
        batch = record(clerk, check(clerk, pay("L-1")))
        first = Repayment.objects.get()
        assert first.state == "unknown"
        assert move(first, RepaymentState.NOT_FOUND, by=None)
        service.answer = service.keep_word
        for _again in range(2):
            clerk.post(f"{BASE}{batch.file_id}/batch/begin")
            check_now(batch)
            assert list_rows(batch) == [("L-1", "loan", "may-double", "open")]
        decide(clerk, batch, 1, action="accept", reason="the loan does not show it")
        record(clerk, batch)
        assert batch.state == "done"
        assert service.posted == [("L-1", "SJAA000000", Decimal(100))]
        assert batch.allocations.get().repayment == Repayment.objects.latest("pk")

    def test_a_service_that_is_down_pauses_it_and_a_person_goes_on(
        self, clerk: Client, service: DeskService
    ) -> None:
        for at in range(20):
            service.add(f"L-{at}")
        batch = check(clerk, pay(*(f"L-{at}" for at in range(20))))
        submit(clerk, batch)
        service.server.on("GET /v1/projects", refusal(503, "down"))
        record_now(batch)
        assert batch.state == "paused" and "5" in batch.why
        failed = batch.allocations.filter(repayment__state="not_sent").count()
        assert 5 <= failed <= recording._GROUP and not service.posted
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
        page = clerk.get(f"{batch.get_absolute_url()}?result=refused")
        assert page.context["progress"]["results"]["refused"] == 1
        assert "SJAA000000" in page.text and 'result=refused">' in page.text

    def test_it_stops_and_goes_on(self, clerk: Client, service: DeskService) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1"))
        submit(clerk, batch)
        clerk.post(f"{BASE}{batch.file_id}/batch/stop")
        assert recording.run_slice(batch.pk) is None and not service.posted
        batch.refresh_from_db()
        assert batch.state == "paused" and "support" in batch.why
        assert Entry.objects.filter(outcome="stopped").exists()
        clerk.post(f"{BASE}{batch.file_id}/batch/resume")
        assert record_now(batch).state == "done" and len(service.posted) == 1

    def test_who_lost_the_right_records_no_more(
        self, clerk: Client, service: DeskService, support: User
    ) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1"))
        submit(clerk, batch)
        User.objects.filter(pk=support.pk).update(is_active=False)
        assert record_now(batch).state == "paused" and "support" in batch.why
        assert not service.posted

    def test_rows_that_changed_meanwhile_are_shown_again(
        self, clerk: Client, service: DeskService
    ) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1"))
        answer = clerk.post(f"{BASE}{batch.file_id}/batch/record", {"shown": "0-9-KES1"})
        assert answer.context["obstacle"] and not answer.context["reasons"]
        assert answer.context["obstacle"] in answer.content.decode()
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
        assert "data-overdue" not in page
        Reading.objects.update(overdue="17.24")
        again = clerk.post(f"{batch.get_absolute_url()}receipts").content.decode()
        reprint = 'data-finding="reprint"'
        assert again.count(reprint) == again.count("data-overdue") == again.count("17.24") == 2

    def test_the_csv_has_every_row_with_its_receipt(
        self, clerk: Client, service: DeskService
    ) -> None:
        service.add("L-1")
        batch = record(clerk, check(clerk, pay("L-1", "nothing")))
        answer: Any = clerk.get(f"{batch.get_absolute_url()}export.csv?technical=1")
        text = b"".join(answer.streaming_content).decode("utf-8-sig")
        rows: Sequence[dict[str, str]] = list(csv.DictReader(io.StringIO(text)))
        assert [one["finding"] for one in rows] == [Finding.FINE.label, Finding.NO_LOAN.label]
        assert rows[0]["receipt"] == Repayment.objects.get().receipt_number
        assert rows[0]["result"] == "recorded"
        answer = clerk.get(f"{batch.get_absolute_url()}export.csv")
        head, *rest = csv.reader(
            io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig"))
        )
        assert head == [column.label for column in COLUMNS]
        assert [len(row) for row in rest] == [len(head)] * 2
