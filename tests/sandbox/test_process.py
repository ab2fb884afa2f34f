"""The sandbox as a process: start, stop, and what it leaves on disk."""

import signal
import socket
import stat
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.sandbox.calling import (
    Caller,
    ago,
    millis_ago,
    new_assessment,
    new_event,
    repayment,
    sms,
)
from tests.sandbox_process import ROOT, SandboxProcess, build_command, running_sandbox


def refused(folder: Path, **options: object) -> list[str]:
    """The lines that a sandbox says which does not start."""
    found = subprocess.run(
        build_command(folder / "sandbox.sqlite3", **options),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert found.returncode != 0
    return found.stderr.strip().splitlines()


def test_a_port_in_use_gives_one_clear_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        (line,) = refused(tmp_path, port=port)
    assert f"127.0.0.1:{port}" in line
    assert "in use" in line


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", "http"),
        ("token_seconds", "1h"),
        ("processing_seconds", "-1"),
        ("processing_seconds", "nan"),
        ("processing_seconds", "86401"),
        ("offer_seconds", "1h"),
        ("client", "a:b:everything"),
    ],
)
def test_a_malformed_option_is_named(tmp_path: Path, name: str, value: str) -> None:
    said = refused(tmp_path, **{name: value})[-1]
    assert f"--{name.replace('_', '-')}" in said
    assert not list(tmp_path.iterdir())


def test_a_file_that_holds_no_key_is_named(tmp_path: Path) -> None:
    path = tmp_path / "sandbox.sqlite3.key"
    path.write_text("secret")
    (line,) = refused(tmp_path)
    assert str(path) in line and "secret" not in line


def test_another_key_than_the_datas_is_said_at_the_start(tmp_path: Path) -> None:
    with running_sandbox(tmp_path) as first:
        Caller(first, "app").borrower("b")
    (tmp_path / "sandbox.sqlite3.key").unlink()
    (line,) = refused(tmp_path)
    assert "another key" in line


def test_a_restart_keeps_data_and_tokens(tmp_path: Path) -> None:
    with running_sandbox(tmp_path) as first:
        caller = Caller(first, "app")
        before = caller.borrower("b")
    with running_sandbox(tmp_path) as second:
        caller.base_url = second.base_url
        assert caller.get("/borrowers/b").body == before
        token = str(caller.session.headers["Authorization"]).removeprefix("Bearer ").encode()
        for file in tmp_path.iterdir():
            assert token not in file.read_bytes(), file


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_stops_cleanly(tmp_path: Path, how: signal.Signals, capfd: Any) -> None:
    with running_sandbox(tmp_path) as started:
        started.process.send_signal(how)
        assert started.process.wait(timeout=10) == 0
    with pytest.raises(requests.ConnectionError):
        requests.get(started.base_url, timeout=2)
    assert "Traceback" not in capfd.readouterr().err


def test_it_starts_within_two_seconds_once_migrated(tmp_path: Path) -> None:
    with running_sandbox(tmp_path):
        pass
    best = 9.9
    for _ in range(5):  # other tests may be busy on this machine
        began = time.monotonic()
        with running_sandbox(tmp_path):
            best = min(best, time.monotonic() - began)
        if best < 2:
            break
    assert best < 2


def test_personal_data_is_encrypted_before_it_is_stored(
    sandbox: SandboxProcess, caller: Caller
) -> None:
    secrets = {
        "surname": "Wanjikuqqq",
        "phoneNumber": "+254700111222333",
        "emailAddress": "quite@private.example",
    }
    caller.borrower("b", individual=secrets, company={"contact": "Company Qqqperson"})
    caller.call("PATCH", "/borrowers/b", {"identity": {"paper": "ID-qqq-77"}})
    caller.loan()
    sent = repayment(5, notes="paid by cousin Qqqotieno", externalId="MPESA-qqq-1")
    assert caller.post("/loans/l:makeRepayment", sent).status == 200
    words = [*secrets.values(), "WANJIKUQQQ", "Company Qqqperson", "ID-qqq-77", "Qqqotieno",
             "MPESA-qqq-1"]  # fmt: skip
    folder = sandbox.database.parent
    files = [file for file in folder.iterdir() if file.is_file()]
    assert {file.name for file in files} >= {"sandbox.sqlite3", "sandbox.sqlite3-wal"}
    for file in files:
        content = file.read_bytes()
        for word in words:
            assert word.encode() not in content, (file.name, word)
    # The test can see what is there: the account id is stored in the open.
    assert any(b"term-6-months" in file.read_bytes() for file in files)


def test_what_events_tell_is_encrypted_before_it_is_stored(
    sandbox: SandboxProcess, lender: Caller
) -> None:
    moment = millis_ago(hours=1)
    place = {"timestamp": moment, "latLng": "-1.29876543,36.81234567"}
    friend = {"addressName": "+254799888777666", "addressType": "telephone"}
    data = [
        {"kind": "lending.example/sms", "values": [sms("You have received Ksh9 from Qqqsender")]},
        {"kind": "x/contact", "values": [{"name": "Qqqfriend", "primaryAddress": friend}]},
        {"kind": "x/device/location", "values": [place]},
        {"kind": "x/device/app", "values": [{"timestamp": moment, "package": "com.qqqapp"}]},
    ]
    created = lender.post("/events", new_event(data=data))
    assert created.status == 200
    assert lender.post("/assessments", new_assessment()).status == 200
    words = ["Qqqsender", "Qqqfriend", "+254799888777666", "-1.29876543", "com.qqqapp"]
    assert all(word in created.text for word in words)
    contents = [file.read_bytes() for file in sandbox.database.parent.iterdir() if file.is_file()]
    for word in words:
        assert not any(word.encode() in content for content in contents), word
    # The test can see what is there: the event's id is stored in the open.
    assert any(created.body["eventId"].encode() in content for content in contents)


def test_the_key_can_be_read_by_its_owner_alone(sandbox: SandboxProcess) -> None:
    key = sandbox.database.with_name("sandbox.sqlite3.key")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600


def test_a_single_loan_comes_within_20_ms(caller: Caller) -> None:
    caller.borrower()
    caller.loan(startDate=ago(days=200))
    best = 1.0
    for _ in range(20):
        began = time.monotonic()
        caller.get("/loans/l")
        best = min(best, time.monotonic() - began)
    assert best < 0.020
