"""`manage.py settings --write`: what it asks, makes, writes, keeps and never shows."""

import io
import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import environ
import pytest
from django.core.management import CommandError, call_command

from lendingadmin.core.gateway import env_file
from lendingadmin.core.gateway.env_file import KEYS, QUESTIONS, read_values, render
from lendingadmin.core.gateway.management.commands import settings as command
from tests.example import EXAMPLE, read_settings
from tests.processes import ROOT
from tests.sandbox_process import SandboxProcess

SECRET = "s3cret of the account"
ANSWERS = {one.name: EXAMPLE[one.name] for one in QUESTIONS} | {"LENDING_CLIENT_SECRET": SECRET}


@pytest.fixture(autouse=True)
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that were run in processes of their own, which all end well."""
    ran: list[str] = []

    def run(words: Sequence[str], **_: Any) -> Any:
        ran.append(words[-1])
        return subprocess.CompletedProcess(words, 0)

    monkeypatch.setattr(subprocess, "run", run)
    return ran


@pytest.fixture
def nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for one in QUESTIONS:
        monkeypatch.delenv(one.name, raising=False)


@pytest.fixture
def write(
    tmp_path: Path, nothing_is_set: None, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., str]:
    """A function that runs the command with answers in the order of its prompts."""

    def run(answers: Sequence[str] = (), *arguments: str) -> str:
        waiting: Iterator[str] = iter(answers)
        said = io.StringIO()

        def ask(prompt: str) -> str:
            said.write(prompt)
            try:
                return next(waiting)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", ask)
        monkeypatch.setattr(command, "getpass", ask)
        path = str(tmp_path / ".env")
        call_command("settings", "--write", "--file", path, *arguments, stdout=said, stderr=said)
        assert not list(waiting)
        return said.getvalue()

    return run


def test_seven_answers_make_a_file_with_which_the_dashboard_starts(
    write: Callable[..., str], tmp_path: Path, checked: list[str]
) -> None:
    said = write(list(ANSWERS.values()))
    path = tmp_path / ".env"
    values = read_values(path)
    assert values.items() >= ANSWERS.items()
    assert len(ANSWERS) == 7 and len(path.read_text().splitlines()) <= 20
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and list(tmp_path.iterdir()) == [path]
    found = read_settings(values)
    assert (found["LENDING_CLIENT_SECRET"], found["DASHBOARD_URL"]) == (
        SECRET,
        ANSWERS["DASHBOARD_URL"],
    )
    assert checked == ["lending_check"]
    assert not [value for value in (SECRET, *map(values.get, KEYS)) if str(value) in said]


def test_each_file_has_keys_of_its_own(write: Callable[..., str], tmp_path: Path) -> None:
    keys = set()
    for _ in range(2):
        write(list(ANSWERS.values()))
        values = read_values(tmp_path / ".env")
        keys |= {values[name] for name in KEYS}
        (tmp_path / ".env").unlink()
    assert len(keys) == 2 * len(KEYS)


@pytest.mark.parametrize("name", [one.name for one in QUESTIONS if one.reader is not str])
def test_an_answer_that_settings_would_refuse_is_asked_for_again(
    name: str, write: Callable[..., str], tmp_path: Path
) -> None:
    words = next(one.words for one in QUESTIONS if one.name == name)
    answers = list(ANSWERS.values())
    place = list(ANSWERS).index(name)
    said = write([*answers[:place], "", "it's none", *answers[place:]])
    assert said.count(words) == 3
    assert read_values(tmp_path / ".env")[name] == ANSWERS[name]


def test_a_password_of_the_database_is_asked_for_apart(
    write: Callable[..., str], tmp_path: Path
) -> None:
    answers = [*ANSWERS.values()][:-1]
    said = write([*answers, "postgres://desk@db:5432/lending", "a/b@c"])
    address = "postgres://desk:a%2Fb%40c@db:5432/lending"  # pragma: allowlist secret
    assert read_values(tmp_path / ".env")["DATABASE_URL"] == address
    again = write([""] * 7, "--replace")
    assert read_values(tmp_path / ".env")["DATABASE_URL"] == address
    assert "a%2Fb" not in said + again and SECRET not in again


def test_a_file_that_is_there_stays(write: Callable[..., str], tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("mine\n")
    with pytest.raises(CommandError, match="--replace"):
        write(list(ANSWERS.values()))
    assert (tmp_path / ".env").read_text() == "mine\n"


def test_who_stops_half_way_has_written_nothing(write: Callable[..., str], tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Nothing was written"):
        write(list(ANSWERS.values())[:3])
    assert list(tmp_path.iterdir()) == []


def test_replaced_it_keeps_keys_and_other_lines_and_drops_what_nobody_reads(
    write: Callable[..., str], tmp_path: Path
) -> None:
    earlier = dict(ANSWERS) | {name: make() for name, make in KEYS.items()}
    del earlier["AUDIT_KEYS"]  # it is the first of DATA_KEYS then
    more = {"EMAIL_URL": "smtp+tls://mail.example.com", "OIDC_NAME": "Umoja $ account"}
    more |= {"SECOND_MANAGER": "off"}  # a migration still takes it over
    old = {"ALLOWED_HOSTS": "desk.example.com", "SECRET_KEY_FALLBACKS": "an-older-key"}
    lines = [f"{name}={env_file.quote(value)}" for name, value in (earlier | more | old).items()]
    (tmp_path / ".env").write_text("\n".join(lines))
    write([""] * 6 + ["sqlite:////tmp/own.sqlite3"], "--replace")
    assert read_values(tmp_path / ".env") == earlier | more | {
        "DATABASE_URL": "sqlite:////tmp/own.sqlite3",
        "SECRET_KEY": f"{earlier['SECRET_KEY']},an-older-key",
    }


def test_without_questions_all_that_is_missing_or_wrong_is_said(
    write: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ANSWERS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("LENDING_PROJECT_ID")
    monkeypatch.setenv("LENDING_APPS", "kenya")
    with pytest.raises(CommandError) as raised:
        write((), "--no-input")
    named = [line.partition(":")[0] for line in str(raised.value).splitlines()]
    assert named == ["LENDING_PROJECT_ID", "LENDING_APPS"]
    assert list(tmp_path.iterdir()) == [] and SECRET not in str(raised.value)


def test_in_containers_the_database_has_a_password_and_no_address(
    write: Callable[..., str], tmp_path: Path
) -> None:
    write([*ANSWERS.values()][:-1], "--containers")
    values = read_values(tmp_path / ".env")
    assert "DATABASE_URL" not in values
    assert values["POSTGRES_PASSWORD"].isalnum() and len(values["POSTGRES_PASSWORD"]) > 40
    write([""] * 6, "--containers", "--replace")
    assert read_values(tmp_path / ".env") == values


@pytest.mark.parametrize("value", ["plain", "two words", "a$b", 'a"b', "a#b", "a\\b", "ä=,:/@"])
def test_a_value_is_read_as_it_was_written(value: str, tmp_path: Path) -> None:
    env_file.write(tmp_path / "own", render(ANSWERS | {"LENDING_CLIENT_SECRET": value}))
    assert read_values(tmp_path / "own")["LENDING_CLIENT_SECRET"] == value
    with patch.dict(os.environ, clear=True):
        environ.Env.read_env(tmp_path / "own")
        assert os.environ["LENDING_CLIENT_SECRET"] == value


@pytest.mark.parametrize("value", ["it's", "two\nlines"])
def test_a_value_that_no_reader_takes_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match="single quote"):
        env_file.quote(value)


@pytest.mark.drill
def test_a_stranger_s_first_file_is_tried_at_the_service(
    sandbox: SandboxProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()  # of what the processes above do
    given = {
        "PATH": os.environ["PATH"],
        "LENDING_BASE_URL": sandbox.base_url,
        "LENDING_CLIENT_ID": sandbox.client_id,
        "LENDING_CLIENT_SECRET": sandbox.client_secret,
        "LENDING_PROJECT_ID": sandbox.project_id,
        "LENDING_APPS": "kenya:KES:Africa/Nairobi",
        "DASHBOARD_URL": "https://desk.example.org",
        "DATABASE_URL": f"sqlite:///{tmp_path}/own.sqlite3",
    }
    arguments = ["settings", "--write", "--no-input", "--file", str(tmp_path / ".env")]
    words = [sys.executable, "manage.py", *arguments]

    def run(given: dict[str, str]) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(words, cwd=ROOT, env=given, capture_output=True, text=True)

    done = run(given)
    assert done.returncode == 0, done.stderr
    assert "All is well." in done.stdout and command.NEXT in done.stdout
    assert sandbox.client_secret not in done.stdout + done.stderr
    (tmp_path / ".env").unlink()
    done = run(given | {"LENDING_CLIENT_SECRET": "another"})
    assert done.returncode == 1 and (tmp_path / ".env").exists()
    assert "LENDING_AUTH_URL" in done.stderr and "Traceback" not in done.stderr
