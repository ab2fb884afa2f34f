"""Managers hear once of what nobody has known for an hour, and mail that fails is not lost."""

import signal
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.db import connection
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from lendingadmin.core.staff.models import User
from lendingadmin.core.worker import duties
from lendingadmin.core.worker.worker import Worker
from lendingadmin.money.repayments import notifications, sending, tasks
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import RepaymentState
from tests.faults.behaviours import reset
from tests.repayments.service import LoanService, without_committing
from tests.repayments.threads import at_once
from tests.repayments.workers import soon, worker
from tests.roles import give_roles, take_roles

pytestmark = pytest.mark.django_db(transaction=True)
# The words of the mail.
MAIL = {
    "one": "Repayment {} has needed checking for an hour",
    "several": "2 repayments have needed checking for an hour",
    "line": "{} of kenya: needs checking, sent 1 h 1 min ago",
}


@pytest.fixture
def overdue(service: LoanService, support: User, asked: Callable[..., Request]) -> Repayment:
    """Unknown for 61 minutes; its next look is far off."""
    service.answer = without_committing(reset())
    repayment = sending.record(asked(external_id="TX-4711"), support, "form-1")
    unknown_for(repayment, minutes=61)
    return repayment


@pytest.fixture
def boss(manager: User) -> User:
    """A manager who has an address."""
    manager.email = "boss@example.com"
    manager.save()
    return manager


def unknown_for(repayment: Repayment, **ago: float) -> None:
    now = timezone.now()
    Repayment.objects.filter(pk=repayment.pk).update(
        sent_at=now - timedelta(**ago), next_check_at=now + timedelta(hours=1)
    )
    repayment.refresh_from_db()


def test_each_app_s_managers_hear_of_its_own(overdue: Repayment, boss: User, officer: User) -> None:
    take_roles(boss)
    give_roles(boss, "manager", apps=["kenya"])
    User.objects.filter(pk=officer.pk).update(email="ghana@example.com")
    give_roles(officer, "manager", apps=["ghana"])
    other = Repayment.objects.get(pk=overdue.pk)
    other.pk, other.app_id, other.idempotency_key = None, "ghana", uuid4()
    other.save(force_insert=True)
    assert notifications.notify_managers(timezone.now())
    told = {tuple(one.bcc): one.body for one in sent_mail()}
    assert set(told) == {("boss@example.com",), ("ghana@example.com",)}
    assert " of kenya" in told[("boss@example.com",)]
    assert " of ghana" not in told[("boss@example.com",)]
    assert " of kenya" not in told[("ghana@example.com",)]


def sent_mail() -> list[EmailMessage]:
    return list(mail.outbox)


def test_the_mail_names_number_app_time_and_page_and_nobody(
    overdue: Repayment, boss: User, settings: Any
) -> None:
    settings.DASHBOARD_URL = "https://desk.example.com"
    assert notifications.notify_managers(timezone.now())
    (message,) = sent_mail()
    assert message.subject == MAIL["one"].format(overdue)
    body = str(message.body)
    assert MAIL["line"].format(overdue) in body
    assert f"\n  https://desk.example.com/apps/kenya/repayments/{overdue.pk}/\n" in body
    sent = message.message()
    # Digits of the time it was sent at.
    del sent["Date"], sent["Message-ID"]
    whole = sent.as_string()
    for personal in ("L-1", "B-1", "TX-4711", "500", "support", "boss@example.com"):
        assert personal not in whole
    assert message.recipients() == ["boss@example.com"]


def test_it_goes_to_active_people_who_may_settle_and_have_an_address(
    overdue: Repayment, people: dict[str, User]
) -> None:
    for name, person in people.items():
        person.email = f"{name}@example.com"
        person.save()
    owner = User.objects.create_superuser("owner", "owner@example.com")
    User.objects.create_superuser("silent")
    User.objects.create_superuser("gone", "gone@example.com", is_active=False)
    notifications.notify_managers(timezone.now())
    assert sent_mail()[0].recipients() == ["manager@example.com", owner.email]


@pytest.mark.parametrize(
    ("state", "minutes", "told"),
    [
        (RepaymentState.UNKNOWN, 61, True),
        (RepaymentState.UNKNOWN, 59, False),
        (RepaymentState.NOT_FOUND, 61, True),
        (RepaymentState.PRESUMED, 61, False),
        (RepaymentState.RECORDED, 61, False),
        (RepaymentState.RESOLVED, 61, False),
        (RepaymentState.NOT_SENT, 61, False),
    ],
)
def test_what_is_told(
    state: RepaymentState, minutes: int, told: bool, overdue: Repayment, boss: User
) -> None:
    Repayment.objects.update(state=state)
    unknown_for(overdue, minutes=minutes)
    assert notifications.notify_managers(timezone.now()) is told
    overdue.refresh_from_db()
    assert (overdue.notified_at is not None) is told


def test_several_are_one_mail_and_none_is_told_twice(
    overdue: Repayment,
    boss: User,
    support: User,
    asked: Callable[..., Request],
    service: LoanService,
) -> None:
    service.account_id = "L-2"
    other = sending.record(asked(account_id="L-2"), support, "form-2")
    unknown_for(other, hours=2)
    assert notifications.notify_managers(timezone.now())
    assert not notifications.notify_managers(timezone.now())
    (message,) = sent_mail()
    assert message.subject == MAIL["several"]
    assert str(message.body).index(f"{other} ") < str(message.body).index(f"{overdue} ")


def test_of_many_workers_one_tells(overdue: Repayment, boss: User) -> None:
    now = timezone.now()
    at_once(8, lambda number: notifications.notify_managers(now + timedelta(microseconds=number)))
    assert len(sent_mail()) == 1


def test_who_is_overtaken_before_the_claim_tells_nothing(overdue: Repayment, boss: User) -> None:
    others: list[object] = []

    def overtaken(execute: Callable[..., object], sql: str, *rest: object) -> object:
        if sql.startswith("UPDATE") and not others:
            others.append(None)
            others[:] = at_once(1, lambda _: notifications.notify_managers(timezone.now()))
        return execute(sql, *rest)

    with connection.execute_wrapper(overtaken):
        assert not notifications.notify_managers(timezone.now())
    assert others == [True]
    assert len(sent_mail()) == 1


def test_a_mail_server_that_is_gone_delays_the_mail_and_not_the_looks(
    overdue: Repayment,
    boss: User,
    settings: Any,
    refused_address: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    test_backend = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", urlsplit(refused_address).port
    Repayment.objects.update(next_check_at=timezone.now())
    Worker(once=True).run()
    overdue.refresh_from_db()
    assert overdue.notified_at is None
    assert overdue.readings.filter(kind="check").count() == 1
    assert f"managers could not be notified of {overdue}: ConnectionRefusedError" in caplog.text
    settings.EMAIL_BACKEND = test_backend
    Worker(once=True).run()
    assert sent_mail() == []  # not asked again so soon
    DBTaskResult.objects.update(enqueued_at=timezone.now() - tasks.NOTIFY_EVERY)
    Worker(once=True).run()
    assert len(sent_mail()) == 1


def test_what_a_mail_server_says_of_mailboxes_is_not_logged(
    overdue: Repayment,
    boss: User,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse(_: EmailMessage) -> None:
        raise ValueError("boss@example.com has no such mailbox")

    monkeypatch.setattr(EmailMessage, "send", refuse)
    assert not notifications.notify_managers(timezone.now())
    assert "could not be notified" in caplog.text
    assert "boss" not in caplog.text
    overdue.refresh_from_db()
    assert overdue.notified_at is None


def test_where_nobody_can_be_told_it_waits_until_somebody_can(
    overdue: Repayment, manager: User, caplog: pytest.LogCaptureFixture
) -> None:
    assert not notifications.notify_managers(timezone.now())
    assert "NoManagerAddress" in caplog.text
    manager.email = "boss@example.com"
    manager.save()
    assert notifications.notify_managers(timezone.now())


def test_a_worker_that_died_before_the_mail_went_out_lets_the_next_send_it(
    overdue: Repayment, boss: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(_: EmailMessage) -> None:
        raise KeyboardInterrupt  # passes every handler of ours, as a death would

    with monkeypatch.context() as dying:
        dying.setattr(EmailMessage, "send", die)
        Worker(once=True).run()
    overdue.refresh_from_db()
    assert overdue.notified_at is not None
    DBTaskResult.objects.update(started_at=timezone.now() - duties.LOST)
    Worker(once=True).run()
    (message,) = sent_mail()
    moment = DBTaskResult.objects.get(task_path=tasks.notify.module_path).enqueued_at
    assert (
        f"<notified-{moment:%Y%m%d%H%M%S%f}-kenya@testserver>"
        == message.extra_headers["Message-ID"]
    )


def test_the_worker_writes_it_and_its_log_names_nobody(
    overdue: Repayment, boss: User, service: LoanService, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    with worker(service.server.url, log, EMAIL_URL="consolemail://", PYTHONUNBUFFERED="1") as one:
        assert soon(lambda: "managers were notified" in log.read_text())
        one.send_signal(signal.SIGTERM)
        assert one.wait(10) == 0
    text = log.read_text()
    assert text.count("Subject: ") == 1
    assert f"managers were notified of {overdue}" in text
    for personal in ("boss", "L-1", "B-1", "TX-4711"):
        assert personal not in text
