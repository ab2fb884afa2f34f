"""Names of code: where Django, HTTP or lending has a word for it, that is the name."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(
    path
    for path in (ROOT / "lendingadmin").rglob("*.py")
    if not {"sandbox", "migrations"} & set(path.parts)
)
# Names that this house once had for what others call register, resolve, check, presumed, redact,
# encrypt, retention, snapshot, throttled, malformed and the like.
DIALECT = {
    *("lend", "settle", "settled_by_hand", "verdict", "mint", "nonce", "likeness", "blanked"),
    *("writewords", "wording", "writepages", "led_on", "ledger", "watching", "doubt", "told"),
    *("told_at", "glance", "course", "inferred", "no_trace", "intend", "given_up", "alreadylive"),
    *("counting", "anew", "barren", "thinning", "thin", "conversation", "joint"),
    *("patience", "house", "unopened", "seal", "unseal", "sealed", "oddities", "unnamed"),
    *("in_all", "in_short", "looked", "objection", "rail", "digger", "row_of", "meant", "way"),
}


def list_names(tree: ast.Module) -> Iterator[str]:
    """What a module defines: functions, classes, arguments, variables, attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_name_is_of_the_old_dialect(path: Path) -> None:
    names = {name.strip("_").lower() for name in list_names(ast.parse(path.read_text()))}
    assert names & DIALECT == set()


def test_each_shared_fixture_is_defined_once() -> None:
    tests = ROOT / "tests"
    found = sorted(
        (node.name, path.relative_to(tests).as_posix())
        for path in tests.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name in ("desk", "page", "service")
    )
    assert found == [
        ("desk", "conftest.py"),
        ("page", "browser/conftest.py"),
        ("service", "conftest.py"),
    ]


def test_each_kind_of_name_is_read() -> None:
    source = (
        "class Thinning:\n    def told(self, way):\n        meant = 1\n        self.thin = meant\n"
    )
    names = {name.lower() for name in list_names(ast.parse(source))}
    assert names & DIALECT == {"thinning", "told", "way", "meant", "thin"}
