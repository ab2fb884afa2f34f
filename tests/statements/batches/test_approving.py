"""A batch above the limits is let go by a second person."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.db.models import F
from django.test import Client

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.independence import NotIndependent
from lendingadmin.core.staff.models import User
from lendingadmin.desk.statements import batches, tasks
from lendingadmin.desk.statements.models import Batch
from lendingadmin.money.repayments import approvals
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import OwnRepayment
from lendingadmin.money.repayments.states import RepaymentState
from tests.conftest import confirm
from tests.policies.setting import set_limits
from tests.roles import change_account, give_roles, take_roles
from tests.staff.test_confirming import grow_old
from tests.statements.desk import DeskService

from .steps import approve, check, decide, find_shown, list_rows, pay, record, record_now, submit

pytestmark = pytest.mark.django_db(transaction=True)


class TestApproving:
    """Above a limit a second person lets all of it go, and every repayment bears both names."""

    @pytest.fixture(autouse=True)
    def limited(self) -> None:
        set_limits(amount="150", day="250")

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
        assert find_shown(boss, address)
        approve(boss, batch)
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
        approve(boss, batch)
        assert record_now(batch).state == "done"
        assert [one[0] for one in service.posted] == ["L-1"]
        assert [one[2:] for one in list_rows(batch)] == [
            ("fine", "accepted"),
            ("closed", "open"),
            ("overpaid", "open"),
        ]

    def test_what_is_approved_is_what_was_shown(
        self, clerk: Client, boss: Client, service: DeskService, manager: User
    ) -> None:
        service.add("L-1")
        service.add("L-2", "B-2")
        batch = check(clerk, pay("L-1", "L-1", "L-1", "L-2"))
        left_out = batch.allocations.get(account_id="L-2").position
        decide(clerk, batch, left_out, action="leave", reason="to be asked about")
        submit(clerk, batch)
        confirm(boss, manager)
        address = f"{batch.get_absolute_url()}approve"
        page = boss.get(address).content.decode()
        shown = find_shown(boss, address)
        assert page.count("SJAA0000") >= 3 and f"SJAA{left_out:06}" not in page
        # The maker takes it back while the approver reads, adds a row and asks again.
        clerk.post(f"{batch.get_absolute_url()}reopen")
        decide(clerk, batch, left_out, action="accept")
        submit(clerk, batch)
        answer = boss.post(address, {"shown": shown})
        assert answer.headers["Location"] == address  # shown anew
        batch.refresh_from_db()
        assert (batch.state, batch.approved_by) == ("awaiting", None)
        boss.post(address)
        assert record_now(batch).state == "awaiting" and not service.posted
        approve(boss, batch)
        record_now(batch)
        assert len(service.posted) == 4

    def test_nobody_approves_their_own(
        self, boss: Client, service: DeskService, manager: User
    ) -> None:
        service.add("L-1")
        batch = check(boss, pay("L-1", "L-1", "L-1"))
        page = submit(boss, batch)
        # The rows did not change, so the missing person is the obstacle.
        assert page.context["reasons"] and page.context["obstacle"] in page.content.decode()
        assert page.context["obstacle"]
        Batch.objects.update(state="awaiting", approval_reasons="day")
        batch.refresh_from_db()
        with pytest.raises(OwnRepayment):
            batches.approve(batch, manager, batches.compute_fingerprint(batch))
        Batch.objects.update(state="ready", approval_reasons="")
        batch.refresh_from_db()
        assert batch.state == "ready" and not service.posted

    def test_nobody_approves_a_row_that_they_accepted(
        self, clerk: Client, boss: Client, service: DeskService, manager: User
    ) -> None:
        service.add("L-1")
        service.add("L-2")
        batch = check(clerk, pay("L-1", "L-1", "nothing"))
        decide(boss, batch, 3, action="choose", loan="L-2")
        decide(boss, batch, 3, action="accept", reason="As the customer said")
        assert batch.allocations.filter(decided_by=manager, decision="accepted").count() == 1
        submit(clerk, batch)
        assert record_now(batch).state == "awaiting"
        confirm(boss, manager)
        assert boss.get(f"{batch.get_absolute_url()}approve").status_code == 302
        assert not batches.list_waiting("kenya", manager).exists()
        with pytest.raises(OwnRepayment):
            batches.approve(batch, manager, batches.compute_fingerprint(batch))
        assert not service.posted

    def test_nobody_approves_a_row_of_somebody_whose_account_they_changed(
        self, clerk: Client, boss: Client, service: DeskService, manager: User, officer: User
    ) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1", "L-1"))
        batch.allocations.filter(position=1).update(decided_by=officer)
        submit(clerk, batch)
        batch.refresh_from_db()
        Batch.objects.filter(pk=batch.pk).update(state="awaiting")
        batch.refresh_from_db()
        change_account(manager, officer)
        assert not batches.list_waiting("kenya", manager).exists()
        with pytest.raises(NotIndependent):
            batches.approve(batch, manager, batches.compute_fingerprint(batch))

    def test_nobody_approves_as_the_person_whose_account_they_changed(
        self, clerk: Client, boss: Client, service: DeskService, manager: User, support: User
    ) -> None:
        give_roles(User.objects.create_user("head"), "manager")
        service.add("L-1")
        batch = check(clerk, pay("L-1", "L-1", "L-1"))
        submit(clerk, batch)
        batch.refresh_from_db()
        address = f"{batch.get_absolute_url()}approve"
        shown = find_shown(boss, address)
        assert batches.list_waiting("kenya", manager).get() == batch
        change_account(manager, support)
        page = boss.get(batch.get_absolute_url()).content.decode()
        assert "data-not-independent" in page and address not in page
        assert not batches.list_waiting("kenya", manager).exists()
        boss.post(address, {"shown": shown})
        with pytest.raises(NotIndependent):
            batches.approve(batch, manager, shown)
        assert record_now(batch).state == "awaiting" and not service.posted

    def test_what_nobody_approves_within_a_day_is_recorded_anew(
        self, clerk: Client, boss: Client, service: DeskService, manager: User
    ) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1", "L-1", "L-1"))
        submit(clerk, batch)
        shown = find_shown(boss, f"{batch.get_absolute_url()}approve")
        pass_time(batch, approvals.APPROVE_WITHIN - timedelta(minutes=1))
        tasks.beat()
        batch.refresh_from_db()
        assert batch.state == "awaiting"
        pass_time(batch, timedelta(minutes=1))
        assert not batches.approve(batch, manager, shown)
        # The rows are as they were shown: there is nothing to look at again.
        answer = boss.post(f"{batch.get_absolute_url()}approve", {"shown": shown})
        assert answer.headers["Location"] == batch.get_absolute_url()
        tasks.beat()
        batch.refresh_from_db()
        assert (batch.state, batch.approval_reasons) == ("ready", "") and batch.why
        assert Entry.objects.filter(outcome="expired", user=None).count() == 1
        submit(clerk, batch)
        approve(boss, batch)
        assert record_now(batch).state == "done" and len(service.posted) == 3

    @pytest.mark.parametrize("loss", ["a day", "the right", "the account"])
    def test_an_approval_ends_with_its_day_and_with_its_approver(
        self, clerk: Client, boss: Client, service: DeskService, manager: User, loss: str
    ) -> None:
        give_roles(User.objects.create_user("head"), "manager")
        service.add("L-1")
        batch = check(clerk, pay("L-1", "L-1", "L-1"))
        submit(clerk, batch)
        approve(boss, batch)
        batch.refresh_from_db()
        batches.pause(batch, manager)
        if loss == "the right":
            take_roles(manager)
        elif loss == "the account":
            User.objects.filter(pk=manager.pk).update(is_active=False)
        else:
            pass_time(batch, approvals.APPROVE_WITHIN)
        clerk.post(f"{batch.get_absolute_url()}resume")
        assert record_now(batch).state == "ready" and not service.posted
        assert (batch.approved_by, batch.approved_at, batch.approval_reasons) == (None, None, "")
        submit(clerk, batch)
        batch.refresh_from_db()
        assert batch.state == "awaiting"

    def test_its_repayments_carry_the_time_of_the_approval(
        self, clerk: Client, boss: Client, service: DeskService, manager: User
    ) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1", "L-1", "L-1"))
        submit(clerk, batch)
        approve(boss, batch)
        pass_time(batch, timedelta(hours=3))
        record_now(batch)
        approved = Repayment.objects.exclude(approval_reasons="")
        assert approved.exists() and {one.approved_at for one in approved} == {batch.approved_at}


def pass_time(batch: Batch, time: timedelta) -> None:
    """Let time pass since the batch was asked for and approved."""
    fields = {"began_at": F("began_at") - time, "approved_at": F("approved_at") - time}
    Batch.objects.filter(pk=batch.pk).update(**fields)
    batch.refresh_from_db()


@pytest.mark.parametrize(
    ("limit", "finding", "is_asked"),
    [(100, "fine", True), (101, "fine", False), (101, "currency", True), (None, "currency", False)],
)
def test_above_confirm_above_who_records_a_batch_says_who_they_are(
    clerk: Client,
    service: DeskService,
    settings: Any,
    limit: int | None,
    finding: str,
    is_asked: bool,
) -> None:
    service.add("L-1")
    batch = check(clerk, pay("L-1", "L-1"))
    batch.allocations.filter(position=1).update(finding=finding)
    set_limits(confirm_above=limit)
    grow_old(clerk)
    answer = clerk.get(f"{batch.get_absolute_url()}record")
    assert (answer.status_code == 302) == is_asked
