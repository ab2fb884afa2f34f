"""Whose loan each payment of a statement is for, and what stands against it."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.gateway import lending_app
from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements import checking, keeping
from lendingadmin.desk.statements.models import Allocation, Batch, StatementLine
from lendingadmin.money.repayments import restoration
from lendingadmin.money.repayments.models import Restoration
from lendingadmin.money.repayments.states import RepaymentState
from tests.faults.behaviours import refusal
from tests.people_index.conftest import Put, index, put  # noqa: F401
from tests.portfolio.conftest import counted
from tests.repayments.rows import row
from tests.statements import making
from tests.statements.desk import DeskService

from .steps import (
    BASE,
    bring_in,
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
        # Two of whom a masked number may be one.
        put("B-3", surname="Otieno", othernames="Carl", phoneNumber="+254700099345")
        counted()
        batch = check(
            clerk,
            pay(
                *("L-1", "7001", "B-2", "B-3", "loan l-2 pls", "", "", "nothing", ""),
                phones={5: "254700012345", 8: "25470****345"},
                names={6: "Beth Njeri", 8: "KAMAU"},
            ),
        )
        assert batch.state == "ready"
        assert list_rows(batch) == [
            # It names no payer, and L-2 is open too.
            ("L-1", "loan", "near-loan", "open"),
            # A count has no numbers of loans, and those follow each other.
            ("L-2", "number", "proposed", "open"),
            ("L-2", "borrower", "near-loan", "open"),
            ("", "borrower", "several", "open"),
            ("L-2", "words", "proposed", "open"),
            ("L-1", "phone", "proposed", "open"),
            ("L-2", "name", "proposed", "open"),
            ("", "", "no-loan", "open"),
            ("L-1", "phone", "proposed", "open"),
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

    @pytest.mark.parametrize(
        ("state", "loan_id", "found"),
        [
            ("unknown", "L-1", "waiting"),
            ("awaiting", "L-9", "waiting"),
            ("not_found", "L-1", "may-double"),
            ("not_found", "L-9", "may-double"),
            ("refused", "L-1", "fine"),
        ],
    )
    def test_what_became_of_it_before_is_told_as_it_is(
        self,
        clerk: Client,
        service: DeskService,
        support: User,
        state: str,
        loan_id: str,
        found: str,
    ) -> None:
        service.add("L-1")
        row(support, account_id=loan_id, external_id="SJAA000000", amount="100", state=state)
        batch = check(clerk, pay("L-1"))
        assert [one[2] for one in list_rows(batch)] == [found]
        # And said the same way when it is asked again.
        clerk.post(f"{BASE}{batch.file_id}/batch/begin")
        assert [one[2] for one in list_rows(check_now(batch))] == [found]

    def test_what_a_restored_database_may_have_forgotten_is_for_a_person(
        self, clerk: Client, service: DeskService
    ) -> None:
        """The first three payments are of 1 to 3 October, and the copy was restored on the 2nd."""
        service.add("L-1")
        until = datetime(2026, 10, 2, 12, tzinfo=UTC)
        Restoration.objects.create(app_id="kenya", since=until - timedelta(days=1), until=until)
        batch = check(clerk, pay("L-1", "L-1", "L-1"))
        assert [one[2] for one in list_rows(batch)] == ["may-double", "may-double", "fine"]
        decide(clerk, batch, 2, action="accept", reason="not on the loan")
        record(clerk, batch)
        assert [one[1] for one in service.posted] == ["SJAA000001", "SJAA000002"]

    def test_a_batch_that_was_accepted_before_the_restore_asks_again(
        self, clerk: Client, service: DeskService
    ) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1"))
        submit(clerk, batch)
        now = timezone.now()
        Restoration.objects.create(app_id="kenya", since=now - timedelta(days=1), until=now)
        record_now(batch)
        assert [one[2:] for one in list_rows(batch)] == [("may-double", "open")]
        assert not service.posted

    @pytest.mark.parametrize("is_ended", [False, True])
    def test_what_somebody_agreed_to_before_the_restore_is_asked_again(
        self, clerk: Client, service: DeskService, support: User, manager: User, is_ended: bool
    ) -> None:
        """That it may double was agreed to, and it was recorded after the copy was made."""
        service.add("L-1")
        row(support, RepaymentState.NOT_FOUND, account_id="L-1", external_id="SJAA000000")
        batch = check(clerk, pay("L-1"))
        decide(clerk, batch, 1, action="accept", reason="not on the loan")
        submit(clerk, batch)
        restoration.begin_gap(["kenya"], timezone.now())
        if is_ended:
            restoration.end_gap(Restoration.objects.get(), manager)
        record_now(batch)
        assert [one[2:] for one in list_rows(batch)] == [("may-double", "open")]
        assert not service.posted
        # Somebody looks, and agrees now.
        clerk.post(f"{BASE}{batch.file_id}/batch/reopen")
        decide(clerk, batch, 1, action="accept", reason="looked again")
        record(clerk, batch)
        assert [one[1] for one in service.posted] == ["SJAA000000"]

    @pytest.mark.parametrize("is_ended", [False, True])
    def test_what_nobody_had_decided_before_the_restore_may_be_recorded_since(
        self, clerk: Client, service: DeskService, manager: User, is_ended: bool
    ) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1"))
        Allocation.objects.update(decision="open", finding="proposed")
        restoration.begin_gap(["kenya"], timezone.now())
        if is_ended:
            restoration.end_gap(Restoration.objects.get(), manager)
        decide(clerk, batch, 1, action="accept", reason="")
        record(clerk, batch)
        assert [one[2:] for one in list_rows(batch)] == [("may-double", "open")]
        assert not service.posted

    def test_the_journal_stays_blind_for_what_it_forgot_once_the_gap_is_ended(
        self, clerk: Client, service: DeskService, manager: User
    ) -> None:
        service.add("L-1")
        until = datetime(2026, 10, 2, 12, tzinfo=UTC)
        gap = Restoration.objects.create(app_id="kenya", since=until, until=until)
        restoration.end_gap(gap, manager)
        batch = check(clerk, pay("L-1", "L-1", "L-1"))
        assert [one[2] for one in list_rows(batch)] == ["may-double", "may-double", "fine"]

    @pytest.mark.parametrize(("hours", "found"), [(-24, "fine"), (-3, "may-double")])
    def test_what_has_a_day_alone_may_have_been_forgotten_on_that_day(
        self, clerk: Client, service: DeskService, hours: int, found: str
    ) -> None:
        """The payment stands for its noon, and the copy was restored so many hours after that."""
        service.add("L-1")
        batch = check(clerk, pay("L-1"))
        noon = datetime(2026, 10, 1, 12, tzinfo=lending_app("kenya").zone)
        StatementLine.objects.filter(kind="payment").update(has_time=False, moment=noon)
        until = noon + timedelta(hours=hours)
        Restoration.objects.create(app_id="kenya", since=until, until=until)
        clerk.post(f"{BASE}{batch.file_id}/batch/begin")
        assert [one[2] for one in list_rows(check_now(batch))] == [found]

    def test_while_the_gap_is_open_each_is_looked_at_alone(
        self, clerk: Client, service: DeskService, manager: User
    ) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1", "L-1"))
        restoration.begin_gap(["kenya"], timezone.now())
        gap = Restoration.objects.get()
        clerk.post(f"{BASE}{batch.file_id}/batch/begin")
        check_now(batch)
        address = f"{BASE}{batch.file_id}/batch/"
        page = clerk.get(f"{address}?finding=may-double").text
        assert 'data-finding="restored"' in page and f'action="{address}accept"' not in page
        fields = {"finding": "may-double", "reason": "looked at none"}
        clerk.post(f"{address}accept", fields)
        assert {one[3] for one in list_rows(batch)} == {"open"}
        restoration.end_gap(gap, manager)
        clerk.post(f"{address}accept", fields)
        assert {one[3] for one in list_rows(batch)} == {"accepted"}

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
