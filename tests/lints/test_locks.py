"""The .lock files, which are what is installed, fit the lists that people read and change."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Each lock, and the lists that it is made of, as it names them itself.
LOCKS = {
    "requirements.lock": ["requirements.txt"],
    "requirements-sentry.lock": ["requirements-sentry.txt"],
    "tests/requirements.lock": [
        *("tests/requirements.txt", "tests/../requirements.txt"),
        "tests/../requirements-sentry.txt",
    ],
    "tests/tools.lock": ["tests/tools.txt"],
}
HASH = re.compile(r"sha256:[0-9a-f]{64}")


class Locked(NamedTuple):
    """One package of a lock: `name[extra]==version`, its hashes, what needs it."""

    pin: str
    hashes: list[str]
    needed_by: list[str]


def read_list(text: str) -> set[str]:
    """The pins of a list, with names as a lock writes them."""
    lines = (line.partition("#")[0].strip().lower() for line in text.splitlines())
    return {line.replace("_", "-") for line in lines if line and not line.startswith("-")}


def read_lock(text: str) -> list[Locked]:
    rows: list[Locked] = []
    for line in text.splitlines():
        if not line.startswith((" ", "#")):
            pin = re.split(r" [;\\]", line)[0]
            rows.append(Locked(pin.replace(", ", ","), [], []))
        elif rows and line.startswith("    --hash="):
            rows[-1].hashes.append(line.strip(" \\").removeprefix("--hash="))
        elif rows:
            name = line.strip().removeprefix("#").strip().removeprefix("via").strip()
            rows[-1].needed_by.extend([name] if name else [])
    return rows


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_fits_its_lists(lock: str) -> None:
    rows = read_lock((ROOT / lock).read_text())
    for path in LOCKS[lock]:
        locked = {row.pin for row in rows if f"-r {path}" in row.needed_by}
        assert locked == read_list((ROOT / path).read_text()), f"{lock}: run make lock"


@pytest.mark.parametrize("lock", LOCKS)
def test_each_package_of_a_lock_has_one_version_and_hashes(lock: str) -> None:
    rows = read_lock((ROOT / lock).read_text())
    assert rows
    for pin, hashes, _ in rows:
        assert re.fullmatch(r"[a-z0-9-]+(\[[a-z,-]+\])?==[\w.+!]+", pin), pin
        assert hashes and all(HASH.fullmatch(one) for one in hashes), pin


def test_the_tests_run_on_what_the_product_runs_on() -> None:
    tested = read_lock((ROOT / "tests/requirements.lock").read_text())
    hashes = {row.pin: row.hashes for row in tested}
    for row in read_lock((ROOT / "requirements.lock").read_text()):
        assert hashes.get(row.pin) == row.hashes, f"{row.pin}: run make lock"


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_place_to_install_from(lock: str) -> None:
    text = (ROOT / lock).read_text()
    assert not re.search(r"://|--(extra-)?index|--find-links|--trusted", text)


def test_a_lock_is_read_line_by_line() -> None:
    text = "# made\na-b[c, d]==1.0 ; sys_platform == 'win32' \\\n    --hash=sha256:0f \\\n"
    text += "    --hash=sha256:1f\n    # via\n    #   -r list.txt\n    #   other\n"
    text += "d==2\n    # via a-b\n"
    assert read_lock(text) == [
        Locked("a-b[c,d]==1.0", ["sha256:0f", "sha256:1f"], ["-r list.txt", "other"]),
        Locked("d==2", [], ["a-b"]),
    ]
    assert read_list("# all\n-r x\nA_b[c]==1.0   # why\n") == {"a-b[c]==1.0"}
