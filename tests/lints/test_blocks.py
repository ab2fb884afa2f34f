"""A name that a template sets within a block is used only there, because it ends with the block."""

import re
from pathlib import Path

import pytest

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
_EDGE = re.compile(r"{% (block|endblock)\b[^%]*%}")
_SET = re.compile(r"{% (?:translate|url|[a-z_]+)\b[^%]* as (\w+) %}")


def list_blocks(source: str) -> list[tuple[int, int]]:
    """Return the first and the last character of each block."""
    found, opened = [], list[int]()
    for edge in _EDGE.finditer(source):
        if edge[1] == "block":
            opened.append(edge.start())
        else:
            found.append((opened.pop(), edge.end()))
    return found


def list_lost(source: str) -> set[str]:
    """Return the names that are set within a block and used outside it."""
    blocks, places = list_blocks(source), dict[str, list[tuple[int, int]]]()
    for one in _SET.finditer(source):
        around = [block for block in blocks if block[0] < one.start() < block[1]]
        scope = min(around, key=lambda block: block[1] - block[0], default=(0, len(source)))
        places.setdefault(one[1], []).append(scope)
    return {
        name
        for name, scopes in places.items()
        for use in re.finditer(rf"{{{{ {name}\b", source)
        if not any(first < use.start() < last for first, last in scopes)
    }


@pytest.mark.parametrize(
    "path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: str(path.relative_to(TEMPLATES))
)
def test_no_name_is_used_after_its_block(path: Path) -> None:
    assert list_lost(path.read_text()) == set()


def test_a_name_used_after_its_block_is_found() -> None:
    head = '{% block head %}{% translate "Since" as label %}{{ label }}{% endblock head %}'
    assert list_lost(head) == set()
    assert list_lost(head + "{{ label }}") == {"label"}
    assert list_lost('{% translate "Since" as label %}' + head + "{{ label }}") == set()
