"""Screens, documents and docstrings are plain English.

They start with the thing or the verb, never with Who or What, and none of the words stops a reader.
A sentence on a screen has at most 20 words.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lints.screen_texts import list_screen_texts

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "lendingadmin"
SOURCES = sorted(path for path in PACKAGE.rglob("*.py") if "migrations" not in path.parts)
DOCUMENTS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not {".venv", "node_modules", "var"} & set(path.relative_to(ROOT).parts)
)
CLAUSE = re.compile(r"(Who|What|Whose|Whom|Which)\b")
RIDDLES = re.compile(
    r"\b(stands?(?!-)|stood|beside|whole|told|untold|reckon\w*|meanwhile|by now|lately|anew|afresh"
    r"|by (it|them)sel(f|ves)|bears?|void|laps(es?|ed)|ke(eps?|pt)|let go|so many|of it|put right"
    r"|taken back|who(so)?ever|somebody|nobody|lest)\b",
    re.IGNORECASE,
)
# Right where they are: a promise is kept, numbers are whole, and these are lending's or Django's.
ALLOWED = re.compile(
    r"kept$|partly kept|promise is kept|whole (numbers?|milliseconds)|stand\s+in"
    r"|keep your own proof|keep checking|keep their officer|nobody will call|less than the whole"
    r"|Keep a Changelog",
    re.IGNORECASE,
)
# A question to the person at the counter, as they would ask it.
QUESTIONS = ("Who paid?",)
LONGEST = 20
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)
VALUES = re.compile(r"%\(\w+\)s|{{.*?}}|{\w+}|`[^`]*`")


def find_riddles(text: str) -> list[str]:
    """Return the words of a text that make a reader stop; values put into it are no words."""
    return [found[0] for found in RIDDLES.finditer(ALLOWED.sub("", VALUES.sub("X", text)))]


def is_clause(text: str) -> bool:
    return bool(CLAUSE.match(text)) and not text.startswith(QUESTIONS)


def list_long_sentences(text: str) -> list[str]:
    """Return the sentences of a text on a screen that have too many words."""
    sentences = re.split(r"(?<=[.!?:;])\s+", VALUES.sub("X", text))
    return [one for one in sentences if len(one.split()) > LONGEST]


def list_strings(source: str) -> Iterator[str]:
    """The strings of a module that have at least three words, without its docstrings."""
    tree = ast.parse(source)
    docs = {
        ast.get_docstring(node, clean=False)
        for node in ast.walk(tree)
        if isinstance(node, DOCUMENTED)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if text not in docs and len(text.split()) > 2:
                yield text


def list_prose(source: str) -> Iterator[tuple[bool, str]]:
    """The comments and docstrings of a module, and which of the two each is."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield False, token.string
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, DOCUMENTED):
            yield True, ast.get_docstring(node) or ""


def read_document(path: Path) -> list[tuple[int, str]]:
    """Return the lines of prose of a page, each with its number: no code and no names."""
    text = re.sub(
        r"^```.*?^```", lambda code: "\n" * code[0].count("\n"), path.read_text(), flags=re.S | re.M
    )
    text = re.sub(r"`[^`\n]*`|\]\([^)]*\)", "", text)
    return list(enumerate(text.splitlines(), 1))


# Words that operators write into their statements.
OTHERS = PACKAGE / "desk" / "statements" / "reading" / "meanings.py"


@pytest.mark.parametrize(
    "path",
    [path for path in SOURCES if path != OTHERS],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_strings(path: Path) -> None:
    found = [text for text in list_strings(path.read_text()) if find_riddles(text)]
    assert found == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_docstrings_and_comments(path: Path) -> None:
    prose = list(list_prose(path.read_text()))
    assert [
        text for is_doc, text in prose if find_riddles(text) or (is_doc and is_clause(text))
    ] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documents(path: Path) -> None:
    lines = read_document(path)
    assert [one for one in lines if find_riddles(one[1])] == []
    assert [
        one for one in lines if is_clause(re.sub(r"^#+ ", "", one[1])) and one[1][0] == "#"
    ] == []


def test_screens() -> None:
    texts = list(list_screen_texts(ROOT))
    assert len(texts) > 2000
    assert [one for one in texts if find_riddles(one[1]) or is_clause(one[1])] == []
    assert [one for one in texts if list_long_sentences(one[1])] == []


def test_it_tells_riddles_from_plain_words() -> None:
    odd = "It stands beside the whole list, by itself."
    assert find_riddles(odd) == ["stands", "beside", "whole", "by itself"]
    plain = "Understand the outstanding amount. The promise is kept. A whole number."
    assert not find_riddles(plain)
    assert is_clause("Whom to") and not is_clause("Who paid?") and not is_clause("Whatever")
    assert list_long_sentences("Short. " + "word " * 21) and not list_long_sentences("word " * 20)
    source = '"""Lest."""\nclass A:\n    """Anew."""\n    x = 1  # whoever\n    y = "afresh"\n'
    assert sum(bool(find_riddles(text)) for _, text in list_prose(source)) == 3
