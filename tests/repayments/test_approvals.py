"""What needs a second person goes to the service once they let it, and never before."""

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.independence import NotIndependent
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import approvals, reconciliation, sending, services
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import RepaymentState, Resolution
from tests.faults.behaviours import reset
from tests.policies.setting import set_limits
from tests.repayments.rows import row
from tests.repayments.service import LoanService, without_committing
from tests.repayments.threads import at_once
from tests.roles import change_account, give_roles, take_roles

pytestmark = pytest.mark.django_db(transaction=True)
Asked = Callable[..., Request]


@pytest.fixture(autouse=True)
def limits() -> None:
    set_limits(amount="400", day="1000")


@pytest.fixture
def waiting(service: LoanService, support: User, manager: User, asked: Asked) -> Repayment:
    """A repayment of 500 where 400 is the limit."""
    return sending.record(asked(), support, "waiting")


def test_above_the_limit_it_waits_and_nothing_is_sent(
    service: LoanService, waiting: Repayment
) -> None:
    assert waiting.state == RepaymentState.AWAITING
    assert waiting.approval_reasons == "amount"
    assert service.asked == 0
    (reading,) = waiting.readings.all()
    assert (reading.kind, reading.fault) == ("entered", "")
    assert waiting.latest is None and waiting.baseline is None


def test_on_the_limit_it_is_sent(
    service: LoanService, support: User, manager: User, asked: Asked
) -> None:
    repayment = sending.record(asked(amount=Decimal(400)), support, "form-1")
    assert repayment.state == RepaymentState.RECORDED


def test_once_approved_the_very_same_is_sent_once(
    service: LoanService, waiting: Repayment, manager: User
) -> None:
    body = waiting.body()
    assert sending.approve(waiting, manager)
    assert waiting.state == RepaymentState.RECORDED
    assert [sent["externalId"] for sent in service.posted] == [body["externalId"]]
    assert service.posted[0]["amount"] == body["amount"]
    assert (waiting.created_by.username, waiting.approved_by) == ("support", manager)
    assert not sending.approve(waiting, manager)
    assert service.asked == 1


def test_two_who_approve_at_once_send_it_once(
    service: LoanService, waiting: Repayment, manager: User
) -> None:
    people = [manager, _make_head()]
    done = at_once(2, lambda n: sending.approve(Repayment.objects.get(pk=waiting.pk), people[n]))
    assert sorted(done, key=str) == [False, True]
    assert service.asked == 1


def _make_head() -> User:
    head = User.objects.create_user("head")
    give_roles(head, "manager")
    return head


def test_the_trail_bears_both_names(waiting: Repayment, manager: User) -> None:
    sending.approve(waiting, manager)
    entries = Entry.objects.filter(subject=f"L-1 {waiting}").order_by("pk")
    assert [(one.username, one.outcome, one.saved) for one in entries] == [
        ("support", RepaymentState.AWAITING.label, "no"),
        ("manager", RepaymentState.PENDING.label, "no"),
        ("manager", RepaymentState.SENT.label, "unknown"),
        ("manager", RepaymentState.RECORDED.label, "yes"),
    ]
    assert all("entered by support, approved by manager" in one.detail for one in entries[1:])


def test_nobody_approves_their_own(service: LoanService, asked: Asked, manager: User) -> None:
    _make_head()
    own = sending.record(asked(), manager, "form-1")
    with pytest.raises(services.OwnRepayment):
        sending.approve(own, manager)
    assert service.asked == 0


def test_nobody_approves_as_the_person_whose_account_they_changed(
    service: LoanService, waiting: Repayment, manager: User, support: User, asked: Asked
) -> None:
    head = _make_head()
    change_account(manager, support)
    with pytest.raises(NotIndependent):
        sending.approve(waiting, manager)
    assert (waiting.state, service.asked) == (RepaymentState.AWAITING, 0)
    assert list(approvals.list_approvers("kenya", support)) == [head]
    assert not approvals.list_waiting("kenya", manager).exists()
    assert approvals.list_waiting("kenya", head).get() == waiting
    assert sending.approve(waiting, head)


def test_nor_what_they_entered_as_that_person(
    service: LoanService, asked: Asked, manager: User
) -> None:
    head, other = _make_head(), User.objects.create_user("other")
    give_roles(other, "manager")
    change_account(manager, head)
    entered = sending.record(asked(), manager, "form-1")
    with pytest.raises(NotIndependent):
        sending.approve(entered, head)
    assert list(approvals.list_approvers("kenya", manager)) == [other]
    assert sending.approve(entered, other)


def test_with_no_other_approver_it_is_not_entered(
    service: LoanService, manager: User, support: User, asked: Asked
) -> None:
    change_account(manager, support)
    with pytest.raises(services.NobodyToApprove):
        sending.record(asked(), support, "form-1")
    assert not Repayment.objects.exists()


@pytest.mark.parametrize("deed", ["resolve", "set_aside"])
def test_nor_do_they_decide_of_what_is_unknown(manager: User, support: User, deed: str) -> None:
    unknown = row(support, RepaymentState.UNKNOWN)
    change_account(manager, support)
    decide: Callable[[User], bool] = {
        "resolve": lambda by: services.resolve(unknown, Resolution.RECORDED, "Seen.", by),
        "set_aside": lambda by: services.set_aside(unknown, "Later.", by),
    }[deed]
    with pytest.raises(NotIndependent):
        decide(manager)
    assert decide(_make_head())


def test_the_database_refuses_what_code_forgot(waiting: Repayment, support: User) -> None:
    rows = Repayment.objects.filter(pk=waiting.pk)
    for state in set(RepaymentState) - {RepaymentState.AWAITING, RepaymentState.DECLINED}:
        with pytest.raises(IntegrityError, match="repayment_approved_before_sent"):
            rows.update(state=state)
    with pytest.raises(IntegrityError, match="repayment_approved_by_another"):
        rows.update(state=RepaymentState.PENDING, approved_by=support)


def test_where_nobody_else_may_approve_that_is_said_and_nothing_is_kept(
    service: LoanService, asked: Asked, support: User, manager: User
) -> None:
    with pytest.raises(services.NobodyToApprove):
        sending.record(asked(), manager, "form-1")
    manager.is_active = False
    manager.save()
    with pytest.raises(services.NobodyToApprove):
        sending.record(asked(), support, "form-1")
    take_roles(manager)
    manager.is_active = True
    manager.save()
    give_roles(manager, "manager", apps=["ghana"])
    with pytest.raises(services.NobodyToApprove):
        sending.record(asked(), support, "form-1")
    assert not Repayment.objects.exists() and service.asked == 0


def test_its_transaction_id_is_taken_while_it_waits_and_free_once_declined(
    service: LoanService, waiting: Repayment, asked: Asked, support: User, manager: User
) -> None:
    again = asked(external_id=waiting.external_id, amount=Decimal(10))
    with pytest.raises(services.DuplicateExternalId):
        sending.record(again, support, "form-2")
    assert services.decline(waiting, "the statement shows 50", manager)
    assert waiting.state == RepaymentState.DECLINED
    assert not sending.approve(waiting, manager)
    assert sending.record(again, support, "form-2").state == RepaymentState.RECORDED
    assert service.asked == 1


def test_who_entered_it_takes_it_back(service: LoanService, waiting: Repayment) -> None:
    assert services.decline(waiting, "typed a zero too many", waiting.created_by)
    assert waiting.state == RepaymentState.DECLINED and service.asked == 0


def test_an_approval_is_for_a_day(service: LoanService, waiting: Repayment, manager: User) -> None:
    fresh = Repayment.objects.filter(pk=waiting.pk)
    fresh.update(created_at=timezone.now() - approvals.APPROVE_WITHIN + timedelta(minutes=1))
    reconciliation.conclude_overdue()
    assert fresh.get().state == RepaymentState.AWAITING
    fresh.update(created_at=timezone.now() - approvals.APPROVE_WITHIN)
    waiting.refresh_from_db()
    assert not sending.approve(waiting, manager)
    reconciliation.conclude_overdue()
    waiting.refresh_from_db()
    assert (waiting.state, waiting.message.saved) == (RepaymentState.DECLINED, "no")
    assert waiting.why and waiting.resolved_by is None and service.asked == 0


def test_sending_it_again_takes_another_approval(
    service: LoanService, waiting: Repayment, asked: Asked, support: User, manager: User
) -> None:
    service.server.on("GET /v1/projects", reset())
    sending.approve(waiting, manager)
    assert waiting.state == RepaymentState.NOT_SENT and service.asked == 0
    again = asked(external_id=waiting.external_id, retry_of=waiting.pk)
    second = sending.record(again, support, "form-2")
    assert second.state == RepaymentState.AWAITING


def test_another_open_one_of_the_loan_stands_against_the_approval(
    service: LoanService, waiting: Repayment, manager: User
) -> None:
    other = row(
        manager, RepaymentState.UNKNOWN, account_id=waiting.account_id, external_id="TX-other"
    )
    with pytest.raises(services.LoanBusy) as caught:
        sending.approve(waiting, manager)
    assert caught.value.other == other and service.asked == 0
    waiting.refresh_from_db()
    assert waiting.state == RepaymentState.AWAITING


def test_what_may_double_an_abandoned_one_takes_the_approver_s_yes_too(
    service: LoanService, waiting: Repayment, manager: User
) -> None:
    external_id = waiting.external_id
    row(
        manager,
        RepaymentState.NOT_FOUND,
        account_id=waiting.account_id,
        external_id=external_id,
    )
    with pytest.raises(services.MayDouble):
        sending.approve(waiting, manager, agreed=False)
    assert service.asked == 0
    assert sending.approve(waiting, manager, agreed=True) and service.asked == 1


def test_the_limit_of_a_day_counts_what_is_may_be_or_may_yet_be_recorded(
    service: LoanService, asked: Asked, support: User, manager: User
) -> None:
    set_limits(day="1000")
    for number, state in enumerate(
        (RepaymentState.REFUSED, RepaymentState.NOT_SENT, RepaymentState.DECLINED)
    ):
        row(support, state, "900", account_id=f"L-{number}")
    row(support, RepaymentState.RESOLVED, "900", resolution=Resolution.NOT_RECORDED)
    row(manager, amount="900")
    row(support, amount="900", created_at=timezone.now() - timedelta(hours=25))
    row(support, amount="900", app_id="ghana")
    row(support, amount="900", currency_code="USD")
    row(support, RepaymentState.UNKNOWN, "300.50")
    row(support, RepaymentState.RECORDED, "199.50")
    assert sending.record(asked(), support, "form-1").state == RepaymentState.RECORDED
    more = sending.record(asked(amount=Decimal("0.01")), support, "form-2")
    assert (more.state, more.approval_reasons) == (RepaymentState.AWAITING, "day")


def test_two_at_once_do_not_both_stay_below_the_limit_of_a_day(
    service: LoanService, asked: Asked, support: User, manager: User
) -> None:
    set_limits(day="900")
    service.has_every_loan = True
    requests = [asked(account_id=f"L-{number}") for number in range(2)]
    rows = at_once(2, lambda n: sending.record(requests[n], support, f"form-{n}"))
    assert [one.state for one in rows].count(RepaymentState.AWAITING) == 1
    assert service.asked == 1


def test_one_that_looks_like_another_needs_approval_where_that_is_set(
    service: LoanService, asked: Asked, support: User, manager: User
) -> None:
    set_limits(look_alikes=True)
    first = sending.record(asked(), support, "form-1")
    second = sending.record(asked(), support, "form-2")
    assert (first.state, second.state) == (RepaymentState.RECORDED, RepaymentState.AWAITING)
    assert second.approval_reasons == "look-alike"


def test_a_lost_answer_is_unknown_as_ever(
    service: LoanService, waiting: Repayment, manager: User
) -> None:
    service.answer = without_committing(reset())
    sending.approve(waiting, manager)
    assert waiting.state == RepaymentState.UNKNOWN


def test_nobody_resolves_or_sets_aside_their_own(support: User, manager: User) -> None:
    own = row(manager, RepaymentState.UNKNOWN)
    with pytest.raises(services.OwnRepayment):
        services.resolve(own, Resolution.RECORDED, "I saw it there", manager)
    with pytest.raises(services.OwnRepayment):
        services.set_aside(own, "the next customer waits", manager)
    own.refresh_from_db()
    assert own.state == RepaymentState.UNKNOWN and own.set_aside_at is None
