"""The notice of what is owed: what it says, when there is none, and that it counts as a contact."""

import json
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from lendingadmin.core.gateway import lending_app
from lendingadmin.core.policies.lender import LENDER
from lendingadmin.core.staff.models import User
from lendingadmin.desk.collections.barriers import SENTENCES
from lendingadmin.desk.collections.figures import count_by_person
from lendingadmin.desk.collections.models import Call, Contact
from lendingadmin.desk.collections.services import Entered, add_stop, keep_call
from lendingadmin.desk.collections.states import Outcome, StopKind
from lendingadmin.desk.papers import services
from lendingadmin.desk.papers.figures import Unfit
from lendingadmin.desk.papers.models import Paper, PaperKind
from lendingadmin.desk.papers.services import Wanted
from lendingadmin.money.repayments.states import RepaymentState
from tests.papers.conftest import PaperService, instalments
from tests.papers.test_papers import BORROWER, LOAN, fields_of, finding, lines_of, make, show
from tests.policies.setting import ALWAYS, NEVER, set_calling, set_policy
from tests.repayments.rows import row
from tests.repayments.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def hours(db: None) -> None:
    """Contacts are allowed at any hour."""
    set_calling(hours=ALWAYS, has_holidays=False)


@pytest.fixture
def late(service: PaperService, loan: str) -> str:
    """The loan of Anne Wanjiru, of which two instalments of 400 are late, one of them in part."""
    service.loans[loan] |= {"contract": instalments(400, 400, 400, first="2026-11-06")}
    service.loans[loan] |= {"paid": Decimal(100), "overdue": "700"}
    return loan


def read_content() -> dict[str, Any]:
    return dict(json.loads(Paper.objects.get().content))


def add_call(by: User, outcome: Outcome, loan: str = "", **fields: Any) -> None:
    entered = Entered("B-1", loan, "", outcome, **fields)
    keep_call(lending_app("kenya"), entered, f"call-{Call.objects.count()}", by)


@pytest.mark.parametrize("address", [LOAN, BORROWER])
def test_a_notice_says_what_is_late_until_when_and_how_to_pay_and_whom_to_tell(
    desk: Client, late: str, address: str
) -> None:
    set_policy(LENDER, name="Umoja", payment="Paybill 555000", complaints="0800 1", notice_days=5)
    page = show(desk, make(desk, address, PaperKind.NOTICE))
    assert 'data-sheet="notice"' in page and lines_of(page) == ["instalment", "instalment"]
    assert fields_of(page) == {"overdue": "700.00", "owed": "KES 700.00"}
    for words in ("13 Nov 2026", "20 Nov 2026", "300.00", "400.00", "Paybill 555000", "0800 1"):
        assert words in page
    pay_day = timezone.localdate(timezone=lending_app("kenya").zone) + timedelta(days=5)
    day = f"{pay_day.day} {pay_day:%b %Y}"
    assert day in page
    sms = read_content()["sms"]
    assert "700.00" in sms and day in sms and "Paybill 555000" in sms and len(sms) <= 160
    [paper] = Paper.objects.all()
    assert paper.once_on == timezone.localdate(timezone=lending_app("kenya").zone)


def test_a_text_that_is_too_long_leaves_out_how_to_pay(desk: Client, late: str) -> None:
    set_policy(LENDER, name="Umoja", payment="Paybill 555000, " * 10)
    make(desk, LOAN, PaperKind.NOTICE)
    assert "700.00" in (sms := read_content()["sms"]) and "Paybill" not in sms


def test_all_overdue_loans_of_a_borrower_are_on_one_notice(
    desk: Client, service: PaperService, late: str
) -> None:
    started = {"startDate": "2026-11-01T00:00:00.000Z"}
    service.add("L-2", total=Decimal("700.55"), overdue="10.55", **started)
    service.add("L-3", total=Decimal(700), **started)
    page = show(desk, make(desk, BORROWER, PaperKind.NOTICE))
    assert "L-1" in page and "L-2" in page and "L-3" not in page
    assert fields_of(page)["owed"] == "KES 710.55" and lines_of(page)[-1] == "other"


def test_a_notice_counts_as_a_call(desk: Client, late: str, officer: User) -> None:
    make(desk, LOAN, PaperKind.NOTICE)
    [call] = Call.objects.all()
    assert (call.outcome, call.account_id, call.called_by) == (Outcome.NOTICE, "L-1", officer)
    # Calls begin after the last day to pay.
    [contact] = Contact.objects.all()
    zone = lending_app("kenya").zone
    begins = timezone.localdate(timezone=zone) + timedelta(days=8)
    assert contact.last_call == call and contact.next_at.astimezone(zone).date() == begins
    assert f"papers/{Paper.objects.get().year}/1/" in desk.get(BORROWER).content.decode()
    timeline = desk.get("/apps/kenya/borrowers/B-1/timeline/").content.decode()
    assert timeline.count(str(Outcome.NOTICE.label)) == 2
    # It is no call in the figures of calls.
    today = timezone.localdate(timezone=zone)
    assert count_by_person(lending_app("kenya"), today, today) == []


def test_a_notice_uses_up_the_attempts_of_a_day(late: str, officer: User, desk: Client) -> None:
    set_calling(hours=ALWAYS, has_holidays=False, a_day=1, a_week=1)
    add_call(officer, Outcome.NO_ANSWER)
    assert finding(make(desk, LOAN, PaperKind.NOTICE)) == "later"
    assert Contact.objects.get().next_at > timezone.now() + timedelta(days=6)


def test_a_second_notice_is_too_soon(desk: Client, late: str) -> None:
    make(desk, LOAN, PaperKind.NOTICE)
    make(desk, LOAN, PaperKind.NOTICE)
    make(desk, BORROWER, PaperKind.NOTICE)
    assert Paper.objects.count() == Call.objects.count() == 1


STOPPED = [
    ("stopped", StopKind.DIED),
    ("stopped", StopKind.DO_NOT_CALL),
    ("loan-stopped", StopKind.DISPUTE),
    ("loan-stopped", StopKind.HARDSHIP),
]


@pytest.mark.parametrize(("code", "kind"), STOPPED)
def test_what_stops_calls_stops_a_notice_with_the_same_sentence(
    desk: Client, late: str, officer: User, code: str, kind: StopKind
) -> None:
    add_stop("kenya", "B-1", late, kind, officer)
    sentence = str(SENTENCES[code])
    assert sentence in desk.get("/apps/kenya/collections/calls/B-1/").content.decode()
    answer = make(desk, LOAN, PaperKind.NOTICE)
    assert finding(answer) == code and sentence in answer.content.decode()
    assert not Call.objects.exists()


def test_outside_the_calling_hours_there_is_no_notice(desk: Client, late: str) -> None:
    set_calling(hours=NEVER)
    assert finding(make(desk, LOAN, PaperKind.NOTICE)) == "closed-long"
    tomorrow = timezone.localdate(timezone=lending_app("kenya").zone).weekday() - 6
    hours: list[Any] = [None] * 7
    hours[tomorrow] = ["08:00", "09:00"]
    set_calling(hours=hours, has_holidays=False)
    answer = make(desk, LOAN, PaperKind.NOTICE)
    assert finding(answer) == "closed" and "08:00" in answer.content.decode()


def test_a_loan_in_dispute_is_left_out_of_a_notice_about_others(
    desk: Client, service: PaperService, late: str, officer: User
) -> None:
    started = {"startDate": "2026-11-01T00:00:00.000Z"}
    service.add("L-2", total=Decimal(700), overdue="10", **started)
    add_stop("kenya", "B-1", late, StopKind.DISPUTE, officer)
    page = show(desk, make(desk, BORROWER, PaperKind.NOTICE))
    assert "L-1" not in page and fields_of(page)["owed"] == "KES 10.00"


def test_a_wrong_number_takes_the_text_and_not_the_letter(
    desk: Client, late: str, officer: User
) -> None:
    add_stop("kenya", "B-1", "", StopKind.WRONG_NUMBER, officer)
    make(desk, LOAN, PaperKind.NOTICE)
    assert read_content()["sms"] == ""


def test_nothing_overdue_is_no_notice(desk: Client, service: PaperService, late: str) -> None:
    service.loans[late]["overdue"] = "0"
    assert finding(make(desk, LOAN, PaperKind.NOTICE)) == "not-overdue"
    service.loans[late] |= {"overdue": "700", "odd": {"fees": {"overdue": 1}}}
    assert finding(make(desk, LOAN, PaperKind.NOTICE)) == "unbalanced"


@pytest.mark.parametrize("state", [RepaymentState.UNKNOWN, RepaymentState.PRESUMED])
def test_a_payment_that_is_being_checked_holds_the_notice_back(
    desk: Client, late: str, support: User, state: RepaymentState
) -> None:
    row(support, state, account_id=late, borrower_id="B-1")
    assert finding(make(desk, LOAN, PaperKind.NOTICE)) == "needs-checking"


def test_of_notices_at_the_same_moment_one_is_made(
    service: PaperService, late: str, officer: User
) -> None:
    app, wanted = lending_app("kenya"), Wanted(PaperKind.NOTICE, "B-1", late, "en")

    def act(number: int) -> object:
        return services.make_paper(app, wanted, f"form-{number}", officer).number

    found = at_once(6, act)
    assert [one for one in found if not isinstance(one, Unfit)] == [1]
    assert {one.code for one in found if isinstance(one, Unfit)} <= {"once", "later"}
    assert Paper.objects.count() == Call.objects.count() == 1


def test_a_notice_that_fails_counts_as_nothing(
    late: str, officer: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, wanted = lending_app("kenya"), Wanted(PaperKind.NOTICE, "B-1", late, "en")

    def fail(*_args: object, **_fields: object) -> None:
        raise RuntimeError("the process dies before it commits")

    with monkeypatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr(services.audit, "record_about", fail)
        services.make_paper(app, wanted, "first", officer)
    assert not Paper.objects.exists() and not Contact.objects.exists()
    assert services.make_paper(app, wanted, "second", officer).number == 1
