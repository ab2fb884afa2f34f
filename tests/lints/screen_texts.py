"""The texts that a person may see: those marked in templates and in modules."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

_MARKS = {"_", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext", "gettext_noop"}
_TRANSLATED = re.compile(r"""{%\s*translate\s+(?:"([^"]*)"|'([^']*)')|\b_\("([^"]*)"\)""")
_BLOCK = re.compile(r"{%\s*blocktranslate.*?%}(.*?){%\s*endblocktranslate\s*%}", re.DOTALL)
_PLURAL = re.compile(r"{%\s*plural\s*%}")


def list_screen_texts(root: Path) -> Iterator[tuple[str, str]]:
    """Yield each marked text with its file, its white space folded."""
    for path in sorted((root / "lendingadmin").rglob("*.py")):
        for text in _list_in_module(ast.parse(path.read_text())):
            yield str(path.relative_to(root)), " ".join(text.split())
    for path in sorted((root / "templates").rglob("*.*")):
        source = path.read_text()
        texts = ["".join(one) for one in _TRANSLATED.findall(source)]
        texts += [part for block in _BLOCK.findall(source) for part in _PLURAL.split(block)]
        for text in texts:
            yield str(path.relative_to(root)), " ".join(text.split())


def _list_in_module(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
            for value in node.args if name in _MARKS else ():
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.value
