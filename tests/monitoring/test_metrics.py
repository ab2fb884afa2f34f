"""What monitors count: over processes, without ids, and only for who brings the token."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from lendingadmin import __version__
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.gateway.models import DatabaseTokenStore
from lendingadmin.core.monitoring import metrics
from lendingadmin.core.staff.models import User
from lendingadmin.core.worker import duties
from lendingadmin.desk.papers.models import BulkPapers
from lendingadmin.desk.statements.models import Allocation, Batch, StatementFile, StatementLine
from lendingadmin.lending.tokens import TokenState
from lendingadmin.money.repayments.models import Repayment
from lendingadmin.money.repayments.states import RepaymentState
from lendingadmin.people.index.models import BorrowerIndex
from lendingadmin.people.index.tokens import name_key
from tests.faults import behaviours as do
from tests.faults.server import FaultServer
from tests.plans import scans_of, watched_queries
from tests.processes import ROOT
from tests.repayments.rows import row

ROLE = "officer"
TOKEN = "a-token-of-monitors"
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]
_DEPLOY = ROOT / "deploy"


def read(text: str) -> Samples:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scrape() -> Samples:
    answer = Client().get(
        "/metrics", headers={"Authorization": f"Bearer {TOKEN}", "Host": "10.0.0.7:8000"}
    )
    assert answer.status_code == 200
    return read(answer.content.decode())


@pytest.fixture
def with_token(settings: Any, db: None) -> None:
    settings.METRICS_TOKEN = TOKEN


@pytest.mark.parametrize("given", ["", "Bearer ", "Bearer another", "Basic x", TOKEN[:-1]])
def test_without_the_token_nothing_is_told(with_token: None, given: str) -> None:
    answer = Client().get("/metrics", headers={"Authorization": given})
    assert (answer.status_code, b"lendingadmin_" in answer.content) == (401, False)


def test_without_the_setting_there_is_no_page(db: None) -> None:
    answer = Client().get("/metrics", headers={"Authorization": "Bearer "})
    assert (answer.status_code, b"lendingadmin_" in answer.content) == (404, False)


def test_requests_and_calls_are_counted(
    with_token: None, app: LendingApp, proxy: FaultServer, desk: Client
) -> None:
    before = scrape()
    desk.get(f"/apps/{app.app_id}/loans/L-254700000001/")
    proxy.on("/loans/L-254700000001", do.refusal(500))
    desk.get(f"/apps/{app.app_id}/loans/L-254700000001/")
    after = scrape()

    def risen(name: str, **labels: str) -> float:
        key = name, tuple(sorted(labels.items()))
        return after.get(key, 0.0) - before.get(key, 0.0)

    route = "/apps/<slug:app_id>/loans/<key:account_id>/"
    asked = {"method": "GET", "route": route}
    assert risen("lendingadmin_requests_total", status="404", **asked) == 1
    assert risen("lendingadmin_requests_total", status="502", **asked) == 1
    assert risen("lendingadmin_request_own_seconds_count", route=route) == 2
    calls = {"operation": "loans.get"}
    assert risen("lendingadmin_calls_total", outcome="NotFound", **calls) == 1
    assert risen("lendingadmin_calls_total", outcome="ServiceFault", **calls) == 1
    assert risen("lendingadmin_call_seconds_count", **calls) == 2
    assert "254700000001" not in repr(after)


def test_what_stands_in_the_tables_is_read_when_asked(with_token: None, support: User) -> None:
    duties.note_beat()
    due = timezone.now() - timedelta(minutes=7)
    made = row(support, RepaymentState.UNKNOWN)
    Repayment.objects.filter(pk=made.pk).update(next_check_at=due)
    found = scrape()
    kenya = (("app", "kenya"),)
    assert found["lendingadmin_repayments_unknown", kenya] == 1
    assert found["lendingadmin_repayments_unknown", (("app", "ghana"),)] == 0
    assert found["lendingadmin_check_due_seconds", kenya] == pytest.approx(due.timestamp())
    assert found["lendingadmin_check_due_seconds", (("app", "ghana"),)] == 0
    beat = datetime.fromtimestamp(found["lendingadmin_worker_beat_seconds", ()], UTC)
    assert timezone.now() - beat < timedelta(seconds=30)
    assert found["lendingadmin_version", (("version", __version__),)] == 1


def test_the_index_of_people_has_its_age(with_token: None, settings: Any) -> None:
    began = timezone.now() - timedelta(hours=3)
    name = name_key(settings.PEOPLE_KEYS[0])
    BorrowerIndex.objects.create(app_id="kenya", key_name=name, complete_at=began)
    BorrowerIndex.objects.create(app_id="ghana", key_name=name)
    found = scrape()
    kenya, ghana = (("app", "kenya"),), (("app", "ghana"),)
    assert found["lendingadmin_people_index_seconds", kenya] == pytest.approx(began.timestamp())
    assert ("lendingadmin_people_index_seconds", ghana) not in found


def test_batches_have_their_states_and_what_is_to_go(with_token: None, support: User) -> None:
    moved = timezone.now() - timedelta(minutes=20)
    for number, state in enumerate(("recording", "paused", "ready", "done")):
        file = StatementFile.objects.create(
            app_id="kenya", token=f"token-{number}", digest=f"digest-{number}", created_by=support
        )
        batch = Batch.objects.create(file=file, state=state, created_by=support, heartbeat_at=moved)
        for position in (1, 2, 3):
            line = StatementLine.objects.create(
                file=file, position=position, number=position, kind="payment", amount=5
            )
            Allocation.objects.create(
                batch=batch,
                line=line,
                position=position,
                amount=5,
                finding="fine",
                decision="accepted" if position > 1 else "open",
                repayment=row(support, account_id=f"L-{number}") if position == 3 else None,
            )
    with watched_queries() as queries:
        found = scrape()
    assert connection.vendor != "sqlite" or scans_of(queries) == []
    kenya, ghana = ("app", "kenya"), ("app", "ghana")
    states = {
        state: found["lendingadmin_batches", (kenya, ("state", state))]
        for state in ("checking", "ready", "awaiting", "recording", "paused")
    }
    assert states == {"checking": 0, "ready": 1, "awaiting": 0, "recording": 1, "paused": 1}
    assert found["lendingadmin_batch_rows_to_go", (kenya,)] == 2
    assert found["lendingadmin_batch_rows_to_go", (ghana,)] == 0
    last = found["lendingadmin_batch_moved_seconds", (kenya,)]
    assert last == pytest.approx(moved.timestamp())
    assert found["lendingadmin_batch_moved_seconds", (ghana,)] == 0


def test_papers_in_bulk_have_the_time_of_their_last_step(with_token: None, support: User) -> None:
    now = timezone.now()
    for minutes, state in ((30, "done"), (20, "running"), (10, "running"), (40, "paused")):
        BulkPapers.objects.create(
            app_id="kenya",
            kind="statement",
            language="en",
            day=now.date(),
            state=state,
            heartbeat_at=now - timedelta(minutes=minutes),
            idempotency_key=f"k-{minutes}",
            created_by=support,
        )
    with watched_queries() as queries:
        found = scrape()
    assert connection.vendor != "sqlite" or scans_of(queries) == []
    last = found["lendingadmin_bulk_papers_moved_seconds", (("app", "kenya"),)]
    assert last == pytest.approx((now - timedelta(minutes=20)).timestamp())
    assert found["lendingadmin_bulk_papers_moved_seconds", (("app", "ghana"),)] == 0


def test_exports_are_counted_while_they_are_sent(with_token: None, boss: Client) -> None:
    def read_now() -> tuple[float, float]:
        found = scrape()
        under_way = found["lendingadmin_exports_under_way", ()]
        return under_way, found["lendingadmin_export_rows_total", ()]

    someone = User.objects.create_user("somebody")
    for number in range(3):
        row(someone, account_id=f"L-{number}")
    before = read_now()
    answer = boss.get("/apps/kenya/repayments/export.csv")
    assert read_now() == (before[0] + 1, before[1])
    assert b"".join(answer.streaming_content).count(b"\n") == 4
    assert read_now() == (before[0], before[1] + 3)


def test_a_token_that_is_fetched_is_counted(with_token: None) -> None:
    before = scrape()
    store = DatabaseTokenStore("https://issuer.example", "client", "scope")
    fetched = replace(TokenState(), token="t-1")
    assert store.swap(TokenState(), fetched)
    assert not store.swap(TokenState(), fetched)  # another was quicker
    name = "lendingadmin_token_refreshes_total", ()
    assert scrape()[name] == before[name] + 1


_DIE = """
import os
import django
django.setup()
from lendingadmin.core.monitoring import metrics
metrics.EXPORTS.inc()
if os.environ["DIES"] == "yes":
    os._exit(9)
print(metrics.generate_latest(metrics.make_shared()).decode())
"""


@pytest.mark.drill
def test_what_a_killed_process_sent_is_under_way_no_longer(tmp_path: Path) -> None:
    environ = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "PROMETHEUS_MULTIPROC_DIR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{tmp_path / 'empty.sqlite3'}",
    }

    def run(dies: str) -> Any:
        given = environ | {"DIES": dies}
        command = [sys.executable, "-c", _DIE]
        return subprocess.run(command, env=given, cwd=ROOT, capture_output=True, text=True)

    assert run("yes").returncode == 9
    assert len(list(tmp_path.glob("gauge_livesum_*.db"))) == 1
    assert read(run("no").stdout)["lendingadmin_exports_under_way", ()] == 1


_COUNT = """
import django
django.setup()
from lendingadmin.core.monitoring import metrics
for _ in range(3):
    metrics.REQUESTS.labels("GET", "/somewhere/", "200").inc()
    metrics.OWN_SECONDS.labels("/somewhere/").observe(0.02)
print(metrics.generate_latest(metrics.make_shared()).decode())
"""


@pytest.mark.drill
def test_all_processes_of_a_host_count_together(tmp_path: Path) -> None:
    """What a process counted that has ended is still counted."""
    files = tmp_path / "metrics"
    files.mkdir()
    environ = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "PROMETHEUS_MULTIPROC_DIR": str(files),
        "DATABASE_URL": f"sqlite:///{tmp_path / 'empty.sqlite3'}",
    }
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", _COUNT],
            env=environ,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
    labels = (("method", "GET"), ("route", "/somewhere/"), ("status", "200"))
    found = read(done.stdout)
    assert found["lendingadmin_requests_total", labels] == 6


def count_each_once() -> str:
    """All metrics as a monitor reads them, with each counter and histogram in it."""
    metrics.REQUESTS.labels("GET", "/x/", "200").inc()
    metrics.OWN_SECONDS.labels("/x/").observe(0.1)
    metrics.CALLS.labels("x", "ok").inc()
    metrics.CALL_SECONDS.labels("x").observe(0.1)
    return metrics.render().decode()


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["alerts.yml", "grafana.json"])
def test_the_files_for_monitors_name_only_what_there_is(name: str) -> None:
    text = (_DEPLOY / name).read_text()
    named = set(re.findall(r"lendingadmin_\w+", text))
    rendered = count_each_once()
    known = set(re.findall(r"^lendingadmin_\w+", rendered, re.MULTILINE))
    known |= set(re.findall(r"^# TYPE (lendingadmin_\w+)", rendered, re.MULTILINE))
    assert named and named <= known


@pytest.mark.django_db
def test_the_documents_name_each_metric_and_each_alert_and_no_other() -> None:
    rows = (ROOT / "docs" / "monitor.md").read_text()
    described = set(re.findall(r"^\| `(lendingadmin_\w+)`", rows, re.MULTILINE))
    rendered = count_each_once()
    kinds = re.findall(r"^# TYPE (lendingadmin_\w+) (?!unknown)", rendered, re.MULTILINE)
    assert described == {name for name in kinds if not name.endswith("_created")}
    alerts = set(re.findall(r"alert: (\w+)", (_DEPLOY / "alerts.yml").read_text()))
    for document in ("monitor.md", "at-night.md"):
        text = (ROOT / "docs" / document).read_text()
        assert set(re.findall(r"`(Lendingadmin\w+)`", text)) == alerts, document


def test_a_method_that_is_none_makes_no_series_of_its_own(with_token: None) -> None:
    Client().generic("INVENTED", "/accounts/login/")
    told = {dict(labels).get("method") for name, labels in scrape() if "requests_total" in name}
    assert "other" in told and "INVENTED" not in told


_BEGIN = """
import sys
from pathlib import Path
import django
from django.conf import settings
sys.argv, settings.METRICS_DIR = ["manage.py", sys.argv[1]], Path(sys.argv[2])
settings.METRICS_TOKEN = "given"
django.setup()
"""


@pytest.mark.drill
@pytest.mark.parametrize(("command", "has_files"), [("worker_check", False), ("db_worker", True)])
def test_a_command_that_ends_soon_leaves_no_file(
    tmp_path: Path, command: str, has_files: bool
) -> None:
    environ = os.environ | {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'empty.sqlite3'}",
    }
    arguments = [sys.executable, "-c", _BEGIN, command, str(tmp_path / "metrics")]
    subprocess.run(arguments, env=environ, cwd=ROOT, check=True)
    assert bool(list(tmp_path.glob("metrics/*.db"))) == has_files
