"""`--part K/N`: each exhaustive test is in one part, and the parts together are the whole."""

from itertools import chain
from types import SimpleNamespace
from typing import Any

import pytest

from tests.conftest import part_of

TESTS = list(range(10))


def ask(part: str) -> Any:
    return SimpleNamespace(getoption={"--part": part}.__getitem__)


@pytest.mark.parametrize("count", [1, 3, 4, 11])
def test_each_test_is_in_one_part(count: int) -> None:
    parts = [TESTS[part_of(ask(f"{number}/{count}"))] for number in range(1, count + 1)]
    assert sorted(chain.from_iterable(parts)) == TESTS


@pytest.mark.parametrize("part", ["0/4", "5/4", "-1/4", "2", "", "two/4"])
def test_there_is_no_other(part: str) -> None:
    with pytest.raises(pytest.UsageError):
        part_of(ask(part))
