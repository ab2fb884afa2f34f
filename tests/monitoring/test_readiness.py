"""What the probes say: whether this host serves, what waits elsewhere, and to whoever asks."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone
from redis.exceptions import ConnectionError as RedisGone

from lendingadmin.core.encryption import bind
from lendingadmin.core.monitoring import canary, readiness
from lendingadmin.core.monitoring.models import Canary
from lendingadmin.core.staff.models import User
from lendingadmin.core.worker import duties
from lendingadmin.core.worker.models import Heartbeat
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState
from tests.repayments.rows import row

ANOTHER_KEY = "YW5vdGhlci1ob3N0cy1rZXktYW5vdGhlci1ob3N0LTA="  # pragma: allowlist secret


@pytest.fixture(autouse=True)
def a_worker_beats(db: None) -> None:
    duties.note_beat()


def ask() -> tuple[int, str]:
    answer = Client().get("/readyz")
    return answer.status_code, answer.content.decode()


def test_a_host_that_serves() -> None:
    assert ask() == (200, "ready\n")


def test_a_version_before_serves_on_the_database_of_the_next() -> None:
    """What docs/upgrade.md says of going back: nothing here looks for migrations it has not."""
    MigrationRecorder(connection).record_applied("repayments", "9999_of_the_next_version")
    assert ask() == (200, "ready\n")
    applied = MigrationRecorder(connection).applied_migrations()
    call_command("release", verbosity=0)
    assert MigrationRecorder(connection).applied_migrations() == applied


def test_both_probes_answer_whatever_the_host_is_called() -> None:
    for path in ("/healthz", "/readyz"):
        for name in ("10.1.2.3:8000", "not a host", ""):
            assert Client().get(path, headers={"Host": name}).status_code == 200
    assert Client().get("/accounts/login/", headers={"Host": "10.1.2.3:8000"}).status_code == 400


def test_migrations_that_wait_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    known = readiness.list_migrations()
    monkeypatch.setattr(readiness, "list_migrations", lambda: known | {("loans", "9999_next")})
    assert ask() == (503, "not ready: 1 migrations are not applied\n")


def test_columns_that_wait_are_no_silent_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> str:
        raise DatabaseError("no such column: people_mac")

    known = readiness.list_migrations()
    monkeypatch.setattr(readiness, "list_migrations", lambda: known | {("monitoring", "9999")})
    monkeypatch.setattr(canary, "find_fault", refuse)
    assert ask() == (503, "not ready: 1 migrations are not applied\n")


def test_without_a_database_nothing_else_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(readiness, "MigrationRecorder", refuse)
    assert ask() == (503, "not ready: the database does not answer\n")


def test_a_cache_that_is_gone_is_warned_of_and_the_host_serves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Gone:
        def ping(self) -> None:
            raise RedisGone

    monkeypatch.setattr(readiness, "shared", Gone())
    assert ask() == (200, "ready\nwarning: the cache does not answer; nothing is shared\n")
    # No worker is worse for it.
    assert readiness.find_warnings() == []


def test_static_files_that_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Uncollected:
        hashed_files: dict[str, str] = {}

    monkeypatch.setattr(readiness, "staticfiles_storage", Uncollected())
    assert ask() == (503, "not ready: the static files are not collected\n")


def test_a_host_with_other_keys_is_not_ready(settings: Any) -> None:
    canary.write_canary()
    own = settings.DATA_KEYS
    settings.DATA_KEYS = (ANOTHER_KEY,)
    assert ask() == (503, "not ready: DATA_KEYS decrypt nothing in this database\n")
    # It must not make itself right.
    canary.write_canary()
    assert ask()[0] == 503
    settings.DATA_KEYS = (ANOTHER_KEY, *own)
    assert ask() == (200, "ready\n")
    settings.SECRET_KEY = "another host's"
    assert ask() == (503, "not ready: SECRET_KEY is not the one that this database is used with\n")


@pytest.mark.parametrize("setting", ["PEOPLE_KEYS", "AUDIT_KEYS"])
def test_keys_that_encrypt_nothing_are_compared_too(settings: Any, setting: str) -> None:
    canary.write_canary()
    own = getattr(settings, setting)
    setattr(settings, setting, (ANOTHER_KEY,))
    canary.write_canary()
    not_ready = f"not ready: {setting} are not those that this database is used with\n"
    assert ask() == (503, not_ready)
    # A new one in front of the old one is the database's after the next migrate.
    setattr(settings, setting, (ANOTHER_KEY, *own))
    assert ask() == (200, "ready\n")
    canary.write_canary()
    setattr(settings, setting, (ANOTHER_KEY,))
    assert ask() == (200, "ready\n")
    # A host that was not told of it yet.
    setattr(settings, setting, own)
    assert ask() == (503, not_ready)
    call_command("release", "--new-secret-key", verbosity=0)
    assert ask() == (200, "ready\n")


def test_a_database_of_the_version_before_says_nothing_of_them(settings: Any) -> None:
    canary.write_canary()
    Canary.objects.update(people_mac="", audit_mac="")
    settings.AUDIT_KEYS = settings.PEOPLE_KEYS = (ANOTHER_KEY,)
    assert ask() == (200, "ready\n")


def test_a_new_key_is_taken_over_by_the_next_migrate(settings: Any) -> None:
    canary.write_canary()
    settings.DATA_KEYS = (ANOTHER_KEY, *settings.DATA_KEYS)
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "the next one"
    canary.write_canary()
    settings.DATA_KEYS, settings.SECRET_KEY_FALLBACKS = settings.DATA_KEYS[:1], []
    assert ask() == (200, "ready\n")
    assert Canary.objects.count() == 1


def test_a_secret_key_that_leaked_is_left_out_at_once(settings: Any) -> None:
    canary.write_canary()
    settings.SECRET_KEY = "the next one"
    assert ask()[0] == 503
    call_command("release", "--new-secret-key", verbosity=0)
    assert ask() == (200, "ready\n")
    settings.DATA_KEYS = (ANOTHER_KEY,)
    settings.SECRET_KEY = "of a host that is another's"
    canary.renew()
    assert ask()[0] == 503


def test_a_worker_that_is_silent_is_warned_of_and_the_host_serves() -> None:
    Heartbeat.objects.update(beat_at=timezone.now() - duties.LATE - timedelta(seconds=1))
    status, said = ask()
    assert status == 200
    assert said.startswith("ready\nwarning: no worker has beaten since 20")
    with pytest.raises(CommandError, match="no worker has beaten"):
        call_command("worker_check")
    duties.run_duties()
    assert ask() == (200, "ready\n")
    Heartbeat.objects.all().delete()
    assert ask() == (200, "ready\nwarning: no worker has run yet\n")


def test_a_check_that_waits_too_long_is_warned_of(support: User) -> None:
    made = row(support, RepaymentState.UNKNOWN)
    for minutes, is_late in ((4, False), (6, True)):
        due = timezone.now() - timedelta(minutes=minutes)
        Repayment.objects.filter(pk=made.pk).update(next_check_at=due)
        said = ask()[1]
        assert ("warning: a repayment has waited to be checked since" in said) is is_late
    with pytest.raises(CommandError, match="has waited to be checked"):
        call_command("worker_check")
    Repayment.objects.filter(pk=made.pk).update(**bind(made, next_check_at=None))
    call_command("worker_check")


def test_a_beat_is_written_down_now_and_then(django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        duties.note_beat()
    Heartbeat.objects.update(beat_at=timezone.now() - timedelta(seconds=31))
    duties.note_beat()
    assert timezone.now() - Heartbeat.objects.get().beat_at < timedelta(seconds=5)


def refuse_writes(
    execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any
) -> Any:
    """The database of a full disk: it reads, and writes nothing."""
    if sql.startswith(("INSERT", "UPDATE", "DELETE")):
        raise OperationalError("database or disk is full")
    return execute(sql, params, many, context)


def test_a_full_disk_is_not_ready() -> None:
    with connection.execute_wrapper(refuse_writes):
        assert ask() == (503, "not ready: the database takes no writes; its disk may be full\n")
    assert ask() == (200, "ready\n")


def test_a_reason_is_logged_once_for_each_change(caplog: pytest.LogCaptureFixture) -> None:
    ask()
    caplog.clear()
    with connection.execute_wrapper(refuse_writes):
        for _ in range(5):
            ask()
    said = [one.name for one in caplog.records]
    assert sorted(said) == ["django.request", "lendingadmin.requests", "lendingadmin.web.views"]
    ask()
    ask()
    assert [one.name for one in caplog.records] == [*said, "lendingadmin.web.views"]


def test_a_clock_that_is_off_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has the clock of its host")
    real = timezone.now
    monkeypatch.setattr(readiness.timezone, "now", lambda: real() + timedelta(seconds=90))
    assert "warning: the clock of this host is +90 seconds off" in ask()[1]


def test_release_refuses_other_keys(settings: Any) -> None:
    canary.write_canary()
    settings.DATA_KEYS = (ANOTHER_KEY,)
    for options in ([], ["--new-secret-key"]):
        with pytest.raises(CommandError, match="DATA_KEYS"):
            call_command("release", *options, verbosity=0)
