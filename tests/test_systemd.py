"""The units for systemd: what it says of them, and whether they start what the Procfile starts."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.web_process import ROOT, read_command

UNITS = ROOT / "deploy" / "systemd"
_PROGRAM = re.compile(r"/opt/lendingadmin/\.venv/bin/\w+")


def read_start(name: str) -> list[str]:
    """The words of what a unit starts, without the folder of its programs."""
    text = (UNITS / name).read_text().replace("\\\n", " ")
    found = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)
    assert found
    return found[1].replace("/opt/lendingadmin/.venv/bin/", "").split()


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")
def test_systemd_finds_nothing_wrong(tmp_path: Path) -> None:
    # Programs that are not there are told too, so that one stands for those of the lender's host.
    for unit in UNITS.iterdir():
        (tmp_path / unit.name).write_text(_PROGRAM.sub(sys.executable, unit.read_text()))
    command = ["systemd-analyze", "verify", "--man=no", *map(str, sorted(tmp_path.iterdir()))]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60)
    ours = [line for line in told.stderr.splitlines() if "lendingadmin" in line]
    assert (told.returncode, ours) == (0, []), told.stderr


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")
def test_a_wrong_line_is_seen(tmp_path: Path) -> None:
    unit = tmp_path / "lendingadmin-check.timer"
    unit.write_text((UNITS / unit.name).read_text().replace("minutely", "now and then"))
    (tmp_path / "lendingadmin-check.service").write_text("[Service]\nExecStart=/bin/true\n")
    command = ["systemd-analyze", "verify", "--man=no", str(unit)]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert "now and then" in told.stderr


def test_they_start_what_the_procfile_starts() -> None:
    # systemd knows no `${NAME:-value}`: the values stand in lines of their own.
    asked = re.findall(r"\$\{(\w+):-([^}]*)\}", read_command("web"))
    web = re.sub(r":-[^}]*", "", read_command("web")).split()
    assert read_start("lendingadmin-web.service") == web
    text = (UNITS / "lendingadmin-web.service").read_text()
    given = "Environment=" + " ".join(f"{name}={value}" for name, value in asked)
    assert text.index(given) < text.index("EnvironmentFile=")
    assert read_start("lendingadmin-worker.service") == read_command("worker").split()
    # Static files are collected where the web process starts.
    release, _, collect = read_command("release").partition(" && ")
    assert read_start("lendingadmin-release.service") == release.split()
    assert collect in (UNITS / "lendingadmin-web.service").read_text()


def test_a_command_by_hand_gets_what_the_units_have() -> None:
    text = (ROOT / "docs" / "operate.md").read_text()
    recipe = text[text.index("systemd-run") : text.index('manage.py "$@"')]
    options = {"User": "--uid", "Group": "--gid", "WorkingDirectory": "--working-directory"}
    same = ("EnvironmentFile", "StateDirectory", "StateDirectoryMode", "BindPaths", "UMask")
    options |= {name: f"--property={name}" for name in same}
    unit = (UNITS / "lendingadmin-release.service").read_text()
    had = dict(line.split("=", 1) for line in unit.splitlines() if re.match(r"\w+=", line))
    for name, option in options.items():
        assert f"{option}={had[name]} " in recipe, name
    assert had["ExecStart"].removesuffix("manage.py release") in recipe


def test_old_copies_go_and_young_ones_stay(tmp_path: Path) -> None:
    unit = (UNITS / "lendingadmin-backup.service").read_text()
    found = re.search(r"^ExecStartPost=find \S+ (.*)$", unit, re.MULTILINE)
    assert found
    for name, days in (("old", 32), ("young", 29)):
        (tmp_path / name).touch()
        at = time.time() - days * 86_400
        os.utime(tmp_path / name, (at, at))
    subprocess.run(["find", str(tmp_path), *found[1].split()], check=True, timeout=60)
    assert [one.name for one in tmp_path.iterdir()] == ["young"]
