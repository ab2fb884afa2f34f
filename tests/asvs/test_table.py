"""The table of OWASP ASVS 5.0.0, levels 1 and 2, is whole, and each test that it names is there.

`requirements.csv` says of each requirement what it asks, in our words, and one of three: it is met,
and which tests or which rules of ruff show it; it is not applicable, and why; it is not met, and
what is missing. Ids and levels are those of the published list; its words are at
https://owasp.org/www-project-application-security-verification-standard/.
"""

import ast
import csv
import functools
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("requirements.csv")
COLUMNS = ["id", "level", "asks", "verdict", "tests", "reason"]
MET, VERDICTS = "met", {"met", "not applicable", "not met"}
# The level of each requirement of a section, in the order of their numbers. Those of level 3 are
# no part of the table.
SECTIONS = """
1.1 22      1.2 1111122223     1.3 112222222223   1.4 222   1.5 123
2.1 122     2.2 112            2.3 12223          2.4 23
3.1 3       3.2 113            3.3 12223          3.4 11222233         3.5 11122333
3.6 3       3.7 22333
4.1 12233   4.2 23333          4.3 22             4.4 1222
5.1 2       5.2 112333         5.3 113            5.4 222
6.1 122     6.2 111111112222   6.3 11223333       6.4 112233           6.5 22222333
6.6 2223    6.7 33             6.8 2222
7.1 222     7.2 1111           7.3 22             7.4 11222            7.5 223       7.6 22
8.1 1233    8.2 1123           8.3 133            8.4 23
9.1 111     9.2 1222
10.1 22     10.2 223           10.3 22223         10.4 1111122222233333
10.5 22222  10.6 22            10.7 222
11.1 2233   11.2 22233         11.3 11233         11.4 1222            11.5 23       11.6 23
11.7 33
12.1 12233  12.2 11            12.3 22223
13.1 2333   13.2 222223        13.3 2233          13.4 1222233
14.1 22     14.2 12223333      14.3 122
15.1 12233  15.2 12233         15.3 1222222       15.4 3333
16.1 2      16.2 22222         16.3 2222          16.4 222             16.5 2223
17.1 23     17.2 22223333      17.3 22
"""


def list_ids() -> dict[str, str]:
    """Each id with its level."""
    words = SECTIONS.split()
    return {
        f"{section}.{number}": level
        for section, levels in zip(words[::2], words[1::2], strict=True)
        for number, level in enumerate(levels, start=1)
        if level != "3"
    }


def read_rows() -> list[dict[str, str]]:
    with TABLE.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file, strict=True)
        assert reader.fieldnames == COLUMNS
        return list(reader)


ROWS = read_rows()


@functools.cache
def list_tests(path: Path) -> frozenset[str]:
    """The tests of a module, those of a class behind its name: `TestVoid::test_used_twice`."""
    if not path.is_file():
        return frozenset()
    return frozenset(_walk(ast.parse(path.read_text(encoding="utf-8")).body))


def _walk(body: list[ast.stmt], prefix: str = "") -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield f"{prefix}{node.name}"
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            yield from _walk(node.body, f"{prefix}{node.name}::")


def exists(name: str, ruff: Mapping[str, Any]) -> bool:
    """Whether `tests/a/test_b.py::test_c` is there, or `make check` asks for `ruff:S102`."""
    if rule := re.fullmatch(r"ruff:([A-Z]+\d+)", name):
        chosen = any(rule[1].startswith(one) for one in ruff["select"])
        return chosen and not any(rule[1].startswith(one) for one in ruff["ignore"])
    path, _, test = name.partition("::")
    return path.startswith("tests/") and test in list_tests(ROOT / path)


def read_ruff() -> Mapping[str, Any]:
    """Which of its rules ruff applies to the product."""
    lint: Mapping[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]
    return lint["lint"]  # type: ignore[no-any-return]


def test_the_list_has_70_requirements_of_level_1_and_183_of_level_2() -> None:
    levels = list(list_ids().values())
    assert (levels.count("1"), levels.count("2"), len(levels)) == (70, 183, 253)


def test_each_requirement_stands_once_in_the_order_of_the_list() -> None:
    found = [(row["id"], row["level"]) for row in ROWS]
    wanted = list(list_ids().items())
    assert (set(wanted) - set(found), set(found) - set(wanted)) == (set(), set())
    assert found == wanted


def test_each_row_says_what_is_asked_and_gives_a_verdict() -> None:
    for row in ROWS:
        assert None not in row.values(), row["id"]
        assert 3 <= len(row["asks"].split()) <= 18, row["id"]
        assert row["verdict"] in VERDICTS, row["id"]


def test_what_is_met_has_its_tests_and_all_else_its_reason() -> None:
    ruff = read_ruff()
    for row in ROWS:
        names = row["tests"].split()
        if row["verdict"] == MET:
            assert names and len(names) == len(set(names)), row["id"]
            assert [name for name in names if not exists(name, ruff)] == [], row["id"]
            assert not row["reason"], row["id"]
        else:
            assert len(row["reason"].split()) >= 4, row["id"]
            assert not names, row["id"]


@pytest.mark.parametrize(
    ("name", "is_there"),
    [
        ("tests/asvs/test_table.py::test_what_is_there_is_told_from_what_is_not", True),
        ("tests/staff/test_setup_links.py::TestVoid::test_used_twice", True),
        ("tests/staff/test_setup_links.py::test_used_twice", False),
        ("tests/asvs/test_table.py::test_nothing", False),
        ("tests/asvs/test_table.py::read_rows", False),
        ("tests/asvs/test_table.py", False),
        ("tests/asvs/test_nowhere.py::test_nothing", False),
        ("../tests/asvs/test_table.py::test_nothing", False),
        ("ruff:S102", True),
        ("ruff:S603", False),
        ("ruff:ANN001", False),
    ],
)
def test_what_is_there_is_told_from_what_is_not(name: str, is_there: bool) -> None:
    assert exists(name, read_ruff()) == is_there
