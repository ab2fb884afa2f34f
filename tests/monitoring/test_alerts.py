"""The rules for Prometheus, as its own promtool reads them: who is told when, and of what."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.processes import ROOT

RULES = ROOT / "deploy" / "alerts.yml"
PROMTOOL = shutil.which("promtool")
needs_promtool = pytest.mark.skipif(not PROMTOOL, reason="Prometheus is not installed")

# Two hosts, each minute for three hours; the clock of promtool begins with 0. A moment that moves
# with the clock is `0+60x180`, one that stands `60x180`.
ALIVE = {
    'lendingadmin_version{version="0.1.0",instance="a"}': "1x180",
    'lendingadmin_version{version="0.1.0",instance="b"}': "1x180",
    'lendingadmin_worker_beat_seconds{instance="a"}': "0+60x180",
    'lendingadmin_worker_beat_seconds{instance="b"}': "0+60x180",
}


def named(metric: str, told: str) -> dict[str, str]:
    """The same series of both hosts, as they read it from one database."""
    return {f'{metric}{{app="kenya",instance="{host}"}}': told for host in "ab"}


def requests(route: str, status: str) -> dict[str, str]:
    labels = f'{{method="GET",route="{route}",status="{status}",instance="a"}}'
    return {f"lendingadmin_requests_total{labels}": "0+6x180"}


def calls(outcome: str, a_minute: int) -> dict[str, str]:
    counted = f"0+{a_minute}x180"
    labels = f'{{operation="loans.get",outcome="{outcome}",instance="a"}}'
    return {f"lendingadmin_calls_total{labels}": counted}


def list_alerts() -> dict[str, dict[str, Any]]:
    """The rules by their names."""
    (group,) = yaml.safe_load(RULES.read_text())["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def ask(folder: Path, series: dict[str, str], minute: int, fires: dict[str, str]) -> str:
    """What promtool has against these alerts at this minute, each with its app or none, and no
    other; empty where it agrees.
    """
    rules = list_alerts()
    tests = []
    for name, rule in rules.items():
        app = fires.get(name, "")
        labels = {"severity": rule["labels"]["severity"]} | ({"app": app} if app else {})
        words = rule["annotations"]["summary"].replace("{{ $labels.app }}", app)
        alert = {"exp_labels": labels, "exp_annotations": {"summary": words}}
        expected = [alert] if name in fires else []
        tests.append({"eval_time": f"{minute}m", "alertname": name, "exp_alerts": expected})
    told = [{"series": name, "values": values} for name, values in series.items()]
    case = {"interval": "1m", "input_series": told, "alert_rule_test": tests}
    file = folder / "case.yml"
    file.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "tests": [case]}))
    done = subprocess.run(
        [str(PROMTOOL), "test", "rules", str(file)], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode == 0) == ("FAILED" not in done.stdout + done.stderr)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@needs_promtool
@pytest.mark.parametrize(
    ("series", "minute", "fires"),
    [
        pytest.param(ALIVE, 170, {}, id="all is well"),
        pytest.param({}, 1, {}, id="nothing answers, for a minute"),
        pytest.param({}, 3, {"LendingadminGone": ""}, id="nothing answers"),
        pytest.param(
            {name: told for name, told in ALIVE.items() if "version" in name},
            3,
            {"LendingadminWorkerSilent": ""},
            id="no worker has ever run",
        ),
        pytest.param(
            ALIVE | {name: "600x180" for name in ALIVE if "beat" in name},
            16,
            {"LendingadminWorkerSilent": ""},
            id="the worker stopped, one alert for two hosts",
        ),
        pytest.param(
            ALIVE | requests("/readyz", "503"), 10, {"LendingadminNotReady": ""}, id="a full disk"
        ),
        pytest.param(
            ALIVE | requests("/accounts/login/", "429"),
            15,
            {"LendingadminSignInsHeldBack": ""},
            id="sign-ins are held back",
        ),
        pytest.param(
            ALIVE | named("lendingadmin_check_due_seconds", "0x180"), 170, {}, id="no check is due"
        ),
        pytest.param(
            ALIVE | named("lendingadmin_check_due_seconds", "60x180"),
            12,
            {"LendingadminCheckLate": "kenya"},
            id="a check waits",
        ),
        pytest.param(
            ALIVE | named("lendingadmin_repayments_unknown", "2x180"),
            59,
            {},
            id="unknown, not long",
        ),
        pytest.param(
            ALIVE | named("lendingadmin_repayments_unknown", "2x180"),
            61,
            {"LendingadminRepaymentsUnknown": "kenya"},
            id="needed checking for an hour",
        ),
        pytest.param(
            ALIVE | calls("ok", 80) | calls("NotFound", 15) | calls("ServiceFault", 15),
            30,
            {},
            id="the service fails now and then",
        ),
        pytest.param(
            ALIVE | calls("ok", 70) | calls("ServiceFault", 30),
            30,
            {"LendingadminServiceFails": ""},
            id="the service fails",
        ),
        pytest.param(
            ALIVE | {'lendingadmin_requests_total{status="500",route="/"}': "0+1x180"},
            30,
            {"LendingadminFaults": ""},
            id="a fault of our own",
        ),
        pytest.param(
            ALIVE
            | named("lendingadmin_snapshot_seconds", "-172800x180")
            | named("lendingadmin_people_index_seconds", "-172800x180"),
            62,
            {"LendingadminCountOld": "kenya", "LendingadminPeopleIndexOld": "kenya"},
            id="nothing was counted or read for two days",
        ),
        pytest.param(
            ALIVE | named("lendingadmin_batch_moved_seconds", "60x180"),
            22,
            {"LendingadminBatchStuck": "kenya"},
            id="a batch stands",
        ),
        pytest.param(
            ALIVE | named("lendingadmin_bulk_papers_moved_seconds", "60x180"),
            22,
            {"LendingadminBulkPapersStuck": "kenya"},
            id="papers in bulk stand",
        ),
    ],
)
def test_who_is_told_of_what_and_when(
    tmp_path: Path, series: dict[str, str], minute: int, fires: dict[str, str]
) -> None:
    assert ask(tmp_path, series, minute, fires) == ""


@needs_promtool
def test_an_alert_that_should_not_be_is_told(tmp_path: Path) -> None:
    assert "LendingadminGone" in ask(tmp_path, ALIVE, 30, {"LendingadminGone": ""})


def test_each_alert_says_in_words_what_is_amiss_and_how_urgent_it_is() -> None:
    for name, rule in list_alerts().items():
        assert rule["labels"]["severity"] in {"page", "ticket"}, name
        assert rule["annotations"]["summary"].endswith("."), name
