"""What a state is called is written once, where the state is declared."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from lendingadmin.money.repayments.states import RepaymentState, Resolution
from lendingadmin.money.writes.states import WriteFound, WriteResolution, WriteState
from lendingadmin.records.offers.models import OfferState

ROOT = Path(__file__).resolve().parents[2]
STATES = (OfferState, RepaymentState, Resolution, WriteFound, WriteResolution, WriteState)
LABELS = {str(label).lower() for states in STATES for label in states.labels}
# A single word, such as "saved", is said of many things; two are the name of a state.
PLAIN = {label for label in LABELS if " " in label}
# The navigation knows no area, and an area bears the name; the glossary explains each by its name.
DECLARING = ("records/offers/models.py", "money/repayments/states.py", "money/writes/states.py")
ALLOWED = {
    "web/navigation.py": {"needs checking"},
    "web/display/glossary.py": PLAIN,
}
_MARKED = re.compile(r"""(?:{% translate |_\()("[^"]*"|'[^']*')""")


def find_labels(words: Iterator[str], labels: set[str]) -> list[str]:
    return [one for one in words if one.strip(" .").lower() in labels]


def list_constants(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_each_label_is_declared_once() -> None:
    found = [
        label
        for module in DECLARING
        for label in find_labels(list_constants(ROOT / "lendingadmin" / module), PLAIN)
    ]
    assert sorted(found, key=str.lower) == sorted(set(found), key=str.lower)
    assert {label.lower() for label in found} == PLAIN


def test_no_other_module_writes_one() -> None:
    package = ROOT / "lendingadmin"
    again = {}
    for module in package.rglob("*.py"):
        name = str(module.relative_to(package))
        if not {"migrations", "sandbox"} & set(module.parts) and name not in DECLARING:
            found = find_labels(list_constants(module), PLAIN - ALLOWED.get(name, set()))
            again |= {name: found} if found else {}
    assert not again, "take the label from its state"


@pytest.mark.parametrize("folder", ["", "repayments"])
def test_no_template_writes_one(folder: str) -> None:
    """Those of repayments say not even the single words of their states."""
    templates = ROOT / "templates"
    labels = {str(one).lower() for one in RepaymentState.labels} if folder else PLAIN
    again = {}
    for path in (templates / folder).rglob("*.html"):
        marked = (one[1:-1] for one in _MARKED.findall(path.read_text()))
        found = find_labels(marked, labels)
        again |= {str(path.relative_to(templates)): found} if found else {}
    assert not again, "say {{ …|repayment_state }}"
