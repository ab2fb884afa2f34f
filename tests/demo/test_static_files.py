"""Static files are collected when one of them changed, and only then."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders

from lendingadmin.demo.preparing import collect_static


@pytest.fixture
def source(tmp_path: Path, settings: Any) -> Iterator[Path]:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "one.css").write_text("p {}")
    settings.STATICFILES_DIRS = [folder]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATIC_ROOT = tmp_path / "static"
    finders.get_finder.cache_clear()
    yield folder
    finders.get_finder.cache_clear()


@pytest.fixture
def target(source: Path) -> Path:
    collect_static()
    return source.parent / "static"


def test_the_first_time_there_is_something_to_do(source: Path) -> None:
    assert collect_static()
    assert (source.parent / "static" / "one.css").read_text() == "p {}"


def test_the_second_time_there_is_not(target: Path) -> None:
    assert not collect_static()


def test_a_changed_file_is_collected_again(source: Path, target: Path) -> None:
    (source / "one.css").write_text("b {}")
    os.utime(source / "one.css", ns=(1, 1))
    assert collect_static()
    assert (target / "one.css").read_text() == "b {}"


def test_a_file_of_another_size_is_collected_again(source: Path, target: Path) -> None:
    before = (source / "one.css").stat().st_mtime_ns
    (source / "one.css").write_text("p { color: red }")
    os.utime(source / "one.css", ns=(before, before))
    assert collect_static()


def test_a_file_that_went_is_gone(source: Path, target: Path) -> None:
    (source / "two.css").write_text("b {}")
    (source / "one.css").unlink()
    assert collect_static()
    assert [path.name for path in target.iterdir()] == ["two.css"]


def test_a_collecting_that_was_cut_short_is_done_again(source: Path, target: Path) -> None:
    target.with_name("static.mark").unlink()
    assert collect_static()


def test_a_folder_that_was_removed_is_made_again(source: Path, target: Path) -> None:
    (target / "one.css").unlink()
    target.rmdir()
    assert collect_static()
    assert (target / "one.css").exists()
