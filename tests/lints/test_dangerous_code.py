"""No code, template, pattern or format is made of what comes in."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = {"sandbox", "demo", "migrations", "styleguide"}
SOURCES = sorted(
    path for path in (ROOT / "lendingadmin").rglob("*.py") if not PARTS & set(path.parts)
)
SCRIPTS = sorted((ROOT / "static" / "js").rglob("*.js"))
CALLS = {"Template", "from_string", "eval", "exec", "format_map", "loads", "fromstring"}
# Modules whose readers of XML, pickles, YAML or shells nothing here needs.
MODULES = {"xml", "lxml", "pickle", "marshal", "shelve", "yaml", "subprocess", "ldap", "ctypes"}
# Patterns that each address of the trail's histories fills with the parts of its own route.
# A spreadsheet is opened in a process of its own, with a bound of memory; pg_dump is a program; and
# lending_check reads new settings in a process of its own.
IMPORTS = {(name, "subprocess") for name in ("tables.py", "backup.py", "settings.py")}
FORMATS = {
    ("histories.py", "pattern.format(**match.kwargs, path=request.path)"),
    ("web_server.py", "_REFUSAL.format(status=status, length=len(status.phrase) + 2)"),
}
# Reading what the sender signed, encrypted or typed; each gives plain values only.
READERS = {"json", "simplejson", "tomllib", "msgspec", "signing", "signer", "msgspec.json"}


def find_dangers(tree: ast.Module, name: str) -> Iterator[str]:
    """Calls and imports by which a text could become code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None) or ""
            names = {module, *(one.name for one in node.names)}
            yield from (
                x for x in names if x.partition(".")[0] in MODULES and (name, x) not in IMPORTS
            )
        elif isinstance(node, ast.Call):
            yield from _find_in_call(node, name)


def _find_in_call(call: ast.Call, name: str) -> Iterator[str]:
    made = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    text = ast.unparse(call)
    # Without an owner it was imported, and of no module of MODULES.
    if made in CALLS and not (made == "loads" and owner in READERS | {""}):
        yield text
    # A constant name, or a literal, is ours.
    is_ours = not owner or isinstance(getattr(call.func, "value", None), ast.Constant)
    if made == "format" and not (is_ours or owner in READERS or (name, text) in FORMATS):
        yield text
    if owner == "re" and not isinstance(call.args[0], ast.Constant | ast.JoinedStr | ast.Name):
        yield text


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_text_becomes_code(path: Path) -> None:
    assert list(find_dangers(ast.parse(path.read_text()), path.name)) == []


def test_each_danger_is_seen() -> None:
    source = (
        "import pickle\nfrom xml.etree import ElementTree\nTemplate(text)\n"
        "text.format(x=1)\nre.compile(request.GET['q'])\npickle.loads(b)\n'{}'.format(1)\n"
    )
    found = set(find_dangers(ast.parse(source), "x.py"))
    assert found == {
        *("pickle", "xml.etree", "Template(text)", "text.format(x=1)"),
        *("re.compile(request.GET['q'])", "pickle.loads(b)"),
    }


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_script_speaks_to_others_or_merges_what_it_reads(path: Path) -> None:
    """Neither sockets nor messages of other windows, and no object that a text could reshape."""
    text = path.read_text()
    found = re.search(
        r"postMessage|onmessage|WebSocket|EventSource|RTCPeer|JSON\.parse|__proto__|indexedDB"
        r"|insertAdjacentHTML|outerHTML\s*=|document\.write|\.\.\.JSON",
        text,
    )
    assert not found, found
    # What is filled under names that a page gives is a Map, or has no prototype.
    filled = set(re.findall(r"\b(\w+)\[\w+\]\s*=[^=]", text))
    bare = {x for x in filled if not re.search(rf"{x} = Object\.create\(null\)", text)}
    assert not bare, bare
