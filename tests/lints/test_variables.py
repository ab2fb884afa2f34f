"""docs/configure.md, .env.example and the code agree on every environment variable."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from lendingadmin.core.env import REMOVED
from lendingadmin.core.gateway.env_file import KEYS, QUESTIONS, render
from lendingadmin.demo import environment

ROOT = Path(__file__).resolve().parents[2]
# The only places that may read the environment; a variable read anywhere else would hide.
READERS = {
    "lendingadmin/settings.py",
    "lendingadmin/demo/environment.py",
    "lendingadmin/demo/settings.py",
    "lendingadmin/demo/management/commands/demo.py",
    "lendingadmin/demo/preparing.py",
}
# Django's own, about code rather than about a place.
# The second one is set by metrics.py itself, for the library that it imports then. The third one is
# set by the demo for its own processes.
NOT_CONFIGURATION = {"DJANGO_SETTINGS_MODULE", "PROMETHEUS_MULTIPROC_DIR", "DEMO_PASSWORD"}
MOST, MOST_AT_FIRST = 40, 15
VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")


@lru_cache
def _source() -> dict[str, ast.Module]:
    paths = sorted((ROOT / "lendingadmin").rglob("*.py"))
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in paths}


def _is_environment(node: ast.expr) -> bool:
    """Whether an expression is `env`, `environ`, `os.environ`, `given` or a reader made of one."""
    if isinstance(node, ast.Attribute):
        return node.attr in ("environ", "getenv", "Env") or _is_environment(node.value)
    readers = ("env", "environ", "read", "read_by_app", "given", "getenv")
    return isinstance(node, ast.Name) and node.id in readers


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


def _read_by_containers() -> set[str]:
    asked = re.findall(r"(?<!\$)\$\{([A-Z_]+)", (ROOT / "compose.yaml").read_text())
    return {*asked, *re.findall(r"\{\$([A-Z_]+)", (ROOT / "deploy/Caddyfile").read_text())}


def read_table(until: str = "") -> list[list[str]]:
    """The rows of the tables, or of those before the heading `until`."""
    text = (ROOT / "docs/configure.md").read_text()
    lines = (text.partition(f"\n## {until}")[0] if until else text).splitlines()
    rows = [line.strip("|").split("|") for line in lines if re.match(r"\| `[A-Z_]+` \|", line)]
    return [[cell.strip() for cell in row] for row in rows]


def _names_in_table(until: str = "") -> list[str]:
    return [row[0].strip("`") for row in read_table(until)]


def test_they_are_few() -> None:
    assert len(set(_names_in_table())) <= MOST
    first = set(_names_in_table("Sign-in"))
    assert 0 < len(first) <= MOST_AT_FIRST


def test_none_that_was_removed_is_read() -> None:
    assert not REMOVED.keys() & set(_names_in_table())


def test_the_tables_name_every_variable_that_is_read() -> None:
    read = _read_by_code() | _read_by_procfile() | _read_by_containers()
    missing = read - set(_names_in_table())
    assert not missing, f"docs/configure.md lacks {sorted(missing)}"


def test_the_tables_name_no_variable_that_nobody_reads() -> None:
    read = _read_by_code() | _read_by_procfile() | _read_by_containers()
    idle = set(_names_in_table()) - read
    assert not idle, f"nobody reads {sorted(idle)}"


def test_each_row_of_the_readme_is_complete_and_stands_once() -> None:
    names = _names_in_table()
    assert len(names) == len(set(names))
    for name, *cells in read_table():
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
read_by_app("M_N", str)
other("NOT_READ")
"""
    assert set(_reads(ast.parse(ways))) == {"A_B", "C_D", "E_F", "G_H", "I_J", "K_L", "M_N"}


def read_example() -> dict[str, str]:
    lines = (ROOT / ".env.example").read_text().splitlines()
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name: value.strip("'") for name, _, value in pairs}


def _read_by_settings() -> set[str]:
    return set(_reads(_source()["lendingadmin/settings.py"]))


def test_the_example_is_what_the_command_writes() -> None:
    assert render(read_example()) == (ROOT / ".env.example").read_text()
    assert set(read_example()) == {one.name for one in QUESTIONS} | set(KEYS)


def test_the_example_sets_what_is_required() -> None:
    required = {row[0].strip("`") for row in read_table() if row[2] == "required"}
    assert required < set(read_example()) <= _read_by_settings()


def test_the_demo_sets_every_variable_of_the_dashboard(tmp_path: Path) -> None:
    environ = {"LENDING_BASE_URL": "https://lending.example.com"}
    environment.prepare(environ, tmp_path)
    assert not _read_by_settings() - set(environ)


def test_the_demo_sets_nothing_that_nobody_reads(tmp_path: Path) -> None:
    environ: dict[str, str] = {}
    environment.prepare(environ, tmp_path)
    read = _read_by_code() | _read_by_procfile() | NOT_CONFIGURATION
    assert not set(environ) - read
