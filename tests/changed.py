"""What of the tests a change needs: `make test CHANGED=1` runs these alone.

They are the tests without a database, those of the areas that the change touches, and those of each
area that imports one of them. Where a file changed that belongs to no area, all tests are run.
"""

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
_PROSE = (".md", ".png")
_IMPORT = re.compile(r"^\s*from ([\w.]+) import (\w+(?:, \w+)*|\()", re.MULTILINE)
# Floors whose folders are areas; `web` is one itself.
_FLOORS = (["core"], ["office"], ["people"], ["money"], ["records"], ["desk"])
_ROOMS = {("people", "index"): ["people_index"], ("web", "display"): ["display"]}


def list_changed(since: str) -> list[str]:
    """Return the paths that differ from a revision; `1` stands for the last commit.

    Where nothing is uncommitted, the last commit itself is the change.
    """
    told = _run_git("diff", "--name-only", "HEAD" if since == "1" else since)
    told += _run_git("ls-files", "--others", "--exclude-standard")
    return told or _run_git("diff", "--name-only", "HEAD~1")


def _run_git(*arguments: str) -> list[str]:
    told = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return told.stdout.splitlines()


def find_area(path: str) -> str:
    """Return the area that a path belongs to, by the name of its tests' folder; empty for none."""
    top, *folders = path.split("/")[:-1] or [""]
    if top == "lendingadmin":
        folders = _ROOMS.get(tuple(folders[:2]), folders[folders[:1] in _FLOORS :])
    return folders[0] if folders and (ROOT / "tests" / folders[0]).is_dir() else ""


def list_areas(paths: Iterable[str]) -> set[str] | None:
    """Return the areas whose tests these paths can break; None for all of them."""
    paths = [path for path in paths if not path.endswith(_PROSE)]
    of_tests = {find_area(path) for path in paths if path.startswith("tests/")}
    found = {find_area(path) for path in paths if not path.startswith("tests/")}
    if "" in found | of_tests:
        return None
    users = _read_users("lendingadmin")
    while more := {user for area in found for user in users.get(area, ())} - found:
        found |= more
    # What tests take from the tests of another area.
    shared = {find_area(path) for path in paths if re.match(r"tests/\w+/(?!test_)", path)}
    takers = _read_users("tests")
    return found.union(of_tests, *(takers.get(area, set()) for area in shared))


def _read_users(top: str) -> dict[str, set[str]]:
    """Return by area which others import it, below a folder at the top."""
    users: dict[str, set[str]] = {}
    for path in (ROOT / top).rglob("*.py"):
        user = find_area(path.relative_to(ROOT).as_posix())
        for module, names in _IMPORT.findall(path.read_text()):
            for name in names.split(", "):
                used = f"{module.replace('.', '/')}/{name}/"
                if used.startswith(f"{top}/"):
                    users.setdefault(find_area(used), set()).add(user)
    return {area: found - {"", area} for area, found in users.items()}


def is_needed(item: pytest.Item, areas: set[str]) -> bool:
    """Return whether a test can be broken by a change of these areas, or costs next to nothing."""
    fixtures = getattr(item, "fixturenames", ())
    uses_database = item.get_closest_marker("django_db") or {"db", "transactional_db"} & {*fixtures}
    return not uses_database or find_area(item.path.relative_to(ROOT).as_posix()) in areas
