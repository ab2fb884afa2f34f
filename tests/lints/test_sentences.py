"""English sentences in assertions: each ties a word of the screen to a test. Their number falls.

A test asserts on state, status, location or `data-` marks, or on a message that it imports from
where it is declared.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
# It only goes down.
CEILING = 40
_SENTENCE = re.compile(r"[A-Z“][^<>{}=/]*\w [^<>{}=/]*\w [^<>{}=/]*")


def list_sentences(tree: ast.Module) -> Iterator[str]:
    """Return the literals in assertions that begin as a sentence does, of three words or more."""
    for node in ast.walk(tree):
        for one in ast.walk(node.test) if isinstance(node, ast.Assert) else ():
            value = one.value if isinstance(one, ast.Constant) else None
            if isinstance(value, str) and _SENTENCE.match(value):
                yield value


def test_assertions_hold_no_more_sentences_than_before() -> None:
    found = [
        sentence
        for path in sorted(TESTS.rglob("test_*.py"))
        for sentence in list_sentences(ast.parse(path.read_text()))
    ]
    assert len(found) <= CEILING, f"{len(found)} sentences: assert on a mark or an imported message"


def test_a_sentence_is_told_from_a_mark() -> None:
    source = 'assert "Nothing was saved." in page and "data-state=open" in page and "L-1" in page'
    assert list(list_sentences(ast.parse(source))) == ["Nothing was saved."]
