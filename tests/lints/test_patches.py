"""Tests set public names alone: a private one may go without a test noticing."""

import ast
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def list_patched(tree: ast.Module) -> list[str]:
    """Return the private names that a module sets by `setattr` or `patch`."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in (
            "setattr",
            "patch",
        ):
            words = [one.value for one in node.args if isinstance(one, ast.Constant)]
            names = [word.rpartition(".")[2] for word in words if isinstance(word, str)]
            found += [name for name in names if name.startswith("_") and name[1:2] != "_"]
    return found


def test_no_test_sets_a_private_name() -> None:
    found = {
        f"{path.relative_to(TESTS)}: {name}"
        for path in TESTS.rglob("*.py")
        for name in list_patched(ast.parse(path.read_text()))
    }
    assert not found
