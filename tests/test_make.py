"""What `make` runs begins at all: a proof or a bench is seldom run whole."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lendingadmin import __version__
from tests import matrix
from tests.web_process import read_command

ROOT = Path(__file__).resolve().parents[1]
DONE = subprocess.CompletedProcess([], 0, stdout="3.12.1\n")
MODULES = sorted(set(re.findall(r"-m (tests\.[\w.]+)", (ROOT / "Makefile").read_text())))


def test_make_runs_some() -> None:
    assert {"tests.proof", "tests.benchmarks.years", "tests.lighthouse", "tests.matrix"} <= set(
        MODULES
    )


@pytest.mark.parametrize("module", MODULES)
def test_it_can_be_loaded_in_a_process_of_its_own(module: str) -> None:
    script = "import runpy, sys; runpy.run_module(sys.argv[1], run_name='loaded')"
    if (ROOT / module.replace(".", "/")).is_dir():
        module += ".__main__"
    ours = {name: value for name, value in os.environ.items() if not name.startswith("DJANGO")}
    command = [sys.executable, "-c", script, module]
    loaded = subprocess.run(command, cwd=ROOT, env=ours, capture_output=True, text=True)
    assert loaded.returncode == 0, loaded.stderr


@pytest.fixture
def product(tmp_path: Path) -> Path:
    """A folder as it is cloned, whose packages are those of these tests."""
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("lendingadmin", "static", "templates"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignore)
    for name in ("manage.py", "Makefile", "Procfile", ".env.example", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    write_program(programs / "python", f'exec {sys.executable} "$@"')
    (tmp_path / ".venv" / "run.stamp").touch()
    return tmp_path


def write_program(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def run_make(folder: Path, target: str, **environ: str) -> str:
    """What make prints there, in an environment without our settings."""
    made = subprocess.run(
        ["make", target],
        cwd=folder,
        env={"PATH": os.environ["PATH"], **environ},
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert (made.returncode, made.stderr) == (0, "")
    return made.stdout


def test_installing_collects_static_files_and_says_what_comes_next(product: Path) -> None:
    for _ in range(2):
        said = run_make(product, "install")
        assert f"Installed: lendingadmin {__version__}" in said
        assert "manage.py settings --write" in said
    assert (product / "var" / "static" / "staticfiles.json").exists()
    (product / ".env").write_text("LENDING_BASE_URL=not-filled-in-yet\n")
    said = run_make(product, "install")
    assert "manage.py lending_check" in said and "settings --write" not in said


def test_another_python_than_the_one_it_was_made_by_is_refused(product: Path) -> None:
    named = ["make", "install", f"PYTHON={sys.executable}"]
    environ = {"PATH": os.environ["PATH"]}
    same = subprocess.run(named, cwd=product, env=environ, capture_output=True, text=True)
    assert (same.returncode, same.stderr) == (0, "")
    write_program(product / "python9", "echo /usr/bin/python9")
    named[-1] = "PYTHON=./python9"
    other = subprocess.run(named, cwd=product, env=environ, capture_output=True, text=True)
    assert other.returncode == 2 and "Installed" not in other.stdout
    assert "not by ./python9: remove it (rm -r .venv), then do this again." in other.stderr


def test_make_starts_what_the_procfile_starts(product: Path) -> None:
    programs = product / ".venv" / "bin"
    for name in ("gunicorn", "python"):
        write_program(programs / name, f'echo {name} "$@"')
    assert run_make(product, "worker").split() == read_command("worker").split()
    web = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", read_command("web")).replace('"', "")
    assert run_make(product, "web").split() == web.split()
    asked = run_make(product, "web", PORT="8123", BIND="0.0.0.0")
    assert "--bind 0.0.0.0:8123" in asked


def test_a_python_is_found_or_said_as_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert mine in matrix.PYTHONS and matrix.find_python(mine)
    assert matrix.find_python("3.999") is None
    assert [row.passed for row in matrix.run_on("3.999", [])] == [None]
    monkeypatch.setattr(matrix, "PYTHONS", ("3.999",))
    assert matrix.main([]) == 1  # where nothing ran nothing passed


def test_a_django_that_a_python_is_too_old_for_is_said_as_not_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    commands = []
    monkeypatch.setattr(matrix, "DJANGOS", {"99.0": "3.999"})
    monkeypatch.setattr(subprocess, "run", lambda command, **kind: commands.append(command) or DONE)
    (row,) = matrix.run_on(python, [])
    assert row.passed is None and "Django 99.0 needs Python 3.999" in row.said
    assert not [command for command in commands if "django==99.0.*" in command]


def test_the_lock_names_one_of_the_matrix_s_djangos() -> None:
    assert matrix.read_locked_line(matrix.LOCK.read_text()) in matrix.DJANGOS
