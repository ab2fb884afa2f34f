"""Finds the words of a module that a person reads and that are not marked for translation."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy", "pgettext"}
# What these are called with is for who runs or writes the house, or is no text of its own.
_NOT_SHOWN = {"debug", "info", "warning", "error", "exception", "critical", "log", "getLogger"}
# These take names of fields, patterns, types, or what an error or a task is called in the log.
_NOT_TEXT = {
    *("split", "compile", "Ref", "cast", "raw", "execute", "__init__"),
    *("list_places", "hide_error_words", "_tell"),
}
_MARKUP = re.compile(r"</?\w[^>]*>|[\w-]+=\"[^\"]*\"")
_SHOWN_KEYWORDS = {"label", "help_text", "empty_label", "empty_value"}
_WORDS = re.compile(r"[A-Za-z]{2,}[,.;:]? [A-Za-z]")
_LETTERS = re.compile(r"[A-Za-z]{2,}")
_CHOICES = {"TextChoices", "IntegerChoices"}


class Unmarked(NamedTuple):
    """A text in the source: the number of its line, and what it says, `{}` for what is put in."""

    line: int
    text: str


def find_unmarked(source: str) -> list[Unmarked]:
    """The texts that are not marked: two words or more, or a label however short."""
    finder = _Finder()
    finder.visit(ast.parse(source))
    return finder.found


class _Finder(ast.NodeVisitor):
    """Walks past what is marked, logged, raised to who writes code, or documentation."""

    def __init__(self) -> None:
        self.found: list[Unmarked] = []

    def visit_Call(self, node: ast.Call) -> None:
        """The arguments, unless of a mark or a log; each label among them, however short."""
        owner, _, name = ast.unparse(node.func).rpartition(".")
        if name in MARKS | _NOT_TEXT or (name in _NOT_SHOWN and owner != "messages"):
            return
        for keyword in node.keywords:
            if keyword.arg in _SHOWN_KEYWORDS:
                self._keep(keyword.value, _LETTERS)
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Only what a form says of a wrong value is read by people."""
        if isinstance(node.exc, ast.Call) and ast.unparse(node.exc.func).endswith(
            "ValidationError"
        ):
            self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        """A text that stands alone documents."""
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """A choice's label is the last of its tuple."""
        if {ast.unparse(base).rpartition(".")[2] for base in node.bases} & _CHOICES:
            for value in _list_choices(node):
                self._keep(value, _LETTERS)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """What an object calls itself is for who writes code."""
        if node.name not in ("__str__", "__repr__"):
            self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> None:
        """What is asserted is told to who writes code."""

    def visit_Constant(self, node: ast.Constant) -> None:
        """A text by itself."""
        self._keep(node, _WORDS)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """A text with values in it is one text; what is put in is looked at for itself."""
        self._keep(node, _WORDS)
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.visit(part.value)

    def _keep(self, node: ast.expr, pattern: re.Pattern[str]) -> None:
        text = _read_text(node)
        one = Unmarked(node.lineno, text)
        words = _MARKUP.sub("", text)
        is_text = pattern.search(words.replace("{}", "it")) and _LETTERS.search(words)
        if is_text and one not in self.found:
            self.found.append(one)


def _list_choices(node: ast.ClassDef) -> Iterator[ast.expr]:
    for one in node.body:
        if isinstance(one, ast.Assign) and isinstance(one.value, ast.Tuple):
            yield one.value.elts[-1]


def _read_text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = (one.value if isinstance(one, ast.Constant) else "{}" for one in node.values)
        return "".join(map(str, parts))
    return ""
