"""Starting over removes the demo's databases, and nothing else, and never under a running demo."""

from pathlib import Path

import pytest

from lendingadmin.demo.databases import InUse, held

OURS = ("demo.sqlite3", "demo.sqlite3-wal", "sandbox.sqlite3", "sandbox.sqlite3-shm")
OTHERS = ("lendingadmin.sqlite3", "demo.env", "sandbox.sqlite3.key")


@pytest.fixture
def var(tmp_path: Path) -> Path:
    for name in (*OURS, *OTHERS):
        (tmp_path / name).write_text("kept")
    return tmp_path


def _there(var: Path) -> set[str]:
    return {path.name for path in var.iterdir()} - {"demo.lock"}


def test_running_keeps_everything(var: Path) -> None:
    with held(var, fresh=False):
        assert _there(var) == {*OURS, *OTHERS}


def test_starting_over_removes_the_demos_databases_only(var: Path) -> None:
    with held(var, fresh=True):
        assert _there(var) == {*OTHERS}


def test_nothing_is_removed_under_a_running_demo(var: Path) -> None:
    for first in (False, True):
        with held(var, fresh=first):
            (var / OURS[0]).write_text("in use")
            with pytest.raises(InUse, match="stop it first"), held(var, fresh=True):
                pass
            assert (var / OURS[0]).exists()


def test_two_demos_may_share_them(var: Path) -> None:
    with held(var, fresh=False), held(var, fresh=False):
        assert _there(var) == {*OURS, *OTHERS}


def test_a_first_run_has_no_folder_yet(tmp_path: Path) -> None:
    with held(tmp_path / "var", fresh=True):
        assert (tmp_path / "var").is_dir()
