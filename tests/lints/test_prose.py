"""Docstrings and comments are plain English: none of the words that make a reader stop."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "lendingadmin").rglob("*.py"))
RIDDLES = re.compile(
    r"\b(whoever|whosoever|anew|afresh|lest|leads on|what is told)\b", re.IGNORECASE
)


def list_prose(source: str) -> Iterator[str]:
    """The comments and docstrings of a module."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_it_is_plain(path: Path) -> None:
    assert [text for text in list_prose(path.read_text()) if RIDDLES.search(text)] == []


def test_each_kind_of_prose_is_read() -> None:
    source = '"""Lest."""\nclass A:\n    """Anew."""\n    x = 1  # whoever\n    y = "afresh"\n'
    assert sum(bool(RIDDLES.search(text)) for text in list_prose(source)) == 3
