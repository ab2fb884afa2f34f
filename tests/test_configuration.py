"""README.md's table, .env.example and the code agree on every environment variable."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

from lendingadmin.demo import environment

ROOT = Path(__file__).resolve().parent.parent
# The only places that may read the environment; a variable read anywhere else would hide.
READERS = {
    "lendingadmin/settings.py",
    "lendingadmin/sandbox/settings.py",
    "lendingadmin/demo/environment.py",
    "lendingadmin/demo/management/commands/demo.py",
    "lendingadmin/demo/preparing.py",
}
# Django's own, about code rather than about a place.
NOT_CONFIGURATION = {"DJANGO_SETTINGS_MODULE"}
VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")


@lru_cache
def _source() -> dict[str, ast.Module]:
    paths = sorted((ROOT / "lendingadmin").rglob("*.py"))
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in paths}


def _is_environment(node: ast.expr) -> bool:
    """Whether an expression is `env`, `environ`, `os.environ`, `given` or a reader made of one."""
    if isinstance(node, ast.Attribute):
        return node.attr in ("environ", "getenv", "Env") or _is_environment(node.value)
    return isinstance(node, ast.Name) and node.id in ("env", "environ", "read", "given", "getenv")


def _reads(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        named: ast.expr | None = None
        if isinstance(node, ast.Call) and node.args and _is_environment(node.func):
            named = node.args[0]
        elif isinstance(node, ast.Subscript) and _is_environment(node.value):
            named = node.slice
        if isinstance(named, ast.Constant) and VARIABLE.fullmatch(str(named.value)):
            yield str(named.value)


def _read_by_code() -> set[str]:
    found = {name for tree in _source().values() for name in _reads(tree)}
    return found - NOT_CONFIGURATION


def _read_by_procfile() -> set[str]:
    return set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "Procfile").read_text()))


def _table() -> list[list[str]]:
    lines = (ROOT / "README.md").read_text().splitlines()
    rows = [line.strip("|").split("|") for line in lines if re.match(r"\| `[A-Z_]+` \|", line)]
    return [[cell.strip() for cell in row] for row in rows]


def _names_in_table() -> list[str]:
    return [row[0].strip("`") for row in _table()]


def test_the_readme_names_every_variable_that_is_read() -> None:
    missing = (_read_by_code() | _read_by_procfile()) - set(_names_in_table())
    assert not missing, f"README.md's table lacks {sorted(missing)}"


def test_the_readme_names_no_variable_that_nobody_reads() -> None:
    idle = set(_names_in_table()) - _read_by_code() - _read_by_procfile()
    assert not idle, f"nobody reads {sorted(idle)}"


def test_each_row_of_the_readme_is_complete_and_stands_once() -> None:
    names = _names_in_table()
    assert len(names) == len(set(names))
    for name, *cells in _table():
        assert len(cells) == 3, name
        assert cells[0] and cells[1], f"{name} lacks its meaning or its default"


def test_the_environment_is_read_in_its_places_only() -> None:
    elsewhere = {
        path: names
        for path, tree in _source().items()
        if path not in READERS and (names := set(_reads(tree)) - NOT_CONFIGURATION)
    }
    assert not elsewhere


def test_the_search_finds_each_way_of_reading() -> None:
    ways = """
read("A_B", str)
env.db_url("C_D", default="")
os.environ["E_F"]
os.environ.get("G_H")
os.getenv("I_J")
environ.Env().str(name)
env("K_L")
other("NOT_READ")
"""
    assert set(_reads(ast.parse(ways))) == {"A_B", "C_D", "E_F", "G_H", "I_J", "K_L"}


def _example() -> dict[str, str]:
    lines = (ROOT / ".env.example").read_text().splitlines()
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name: value for name, _, value in pairs}


def _read_by_settings() -> set[str]:
    return set(_reads(_source()["lendingadmin/settings.py"]))


def test_the_example_sets_every_variable_of_the_dashboard_and_no_other() -> None:
    assert set(_example()) == _read_by_settings()


def test_the_demo_sets_every_variable_of_the_dashboard_and_the_sandbox(tmp_path: Path) -> None:
    environ = {"LENDING_BASE_URL": "https://lending.example.com", "HTTPS": "on"}
    environment.prepare(environ, tmp_path)
    sandbox = set(_reads(_source()["lendingadmin/sandbox/settings.py"]))
    assert not (_read_by_settings() | sandbox) - set(environ)


def test_the_demo_sets_nothing_that_nobody_reads(tmp_path: Path) -> None:
    environ: dict[str, str] = {}
    environment.prepare(environ, tmp_path)
    assert not set(environ) - _read_by_code()


def _start(environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    # Started elsewhere, so that a .env file of whoever runs this plays no part.
    code = (
        "import environ; environ.Env.read_env = lambda *a, **k: None\nimport lendingadmin.settings"
    )
    return subprocess.run(
        [sys.executable, "-c", code],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environ},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_example_starts() -> None:
    assert _start(_example()).returncode == 0


def test_a_missing_variable_stops_the_start_by_name() -> None:
    environ = _example()
    del environ["LENDING_PROJECT_ID"]
    assert "LENDING_PROJECT_ID is not set" in _start(environ).stderr


def test_a_malformed_variable_stops_the_start_by_name_and_no_secret_is_repeated() -> None:
    secret = "not-a-key-but-secret-all-the-same"
    stderr = _start(_example() | {"DATA_KEYS": secret}).stderr
    assert "DATA_KEYS: key 1 is not 32 bytes" in stderr
    assert secret not in stderr


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("EMAIL_URL", "submission://user:geheim@mail:587"),
        ("EMAIL_URL", "smtp+tls://user:geheim@mail:many"),
        ("EMAIL_URL", "smtp+tls://"),
        ("EMAIL_URL", "mail.example.com"),
        ("EMAIL_FROM", "desk"),
        ("DASHBOARD_URL", "dashboard.example.com"),
    ],
)
def test_mail_that_could_not_go_out_stops_the_start_by_name(name: str, text: str) -> None:
    stderr = _start(_example() | {name: text}).stderr
    assert f"{name}: " in stderr.splitlines()[-1]
    assert "geheim" not in stderr


def test_the_readme_s_examples_of_mail_start() -> None:
    examples = {row[0].strip("`"): row[3].strip("`") for row in _table()}
    mail = {name: examples[name] for name in ("EMAIL_URL", "EMAIL_FROM", "DASHBOARD_URL")}
    assert _start(_example() | mail).returncode == 0
