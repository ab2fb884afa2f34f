"""`make test CHANGED=1`: which areas a change touches."""

import pytest

from tests.changed import list_areas


@pytest.mark.parametrize(
    ("path", "areas"),
    [
        ("lendingadmin/desk/sheets/views.py", {"demo", "sheets"}),
        ("templates/sheets/sheet.html", {"demo", "sheets"}),
        ("tests/sheets/test_pages.py", {"sheets"}),
        ("lendingadmin/desk/statements/models.py", {"demo", "statements", "sheets", "papers"}),
        ("README.md", set()),
        ("templates/base.html", None),
        ("lendingadmin/settings.py", None),
        ("tests/conftest.py", None),
        ("requirements.lock", None),
    ],
)
def test_areas_of_a_path(path: str, areas: set[str] | None) -> None:
    assert list_areas([path]) == areas


def test_who_imports_the_area_is_tested_with_it() -> None:
    found = list_areas(["lendingadmin/money/repayments/services.py"])
    assert found is not None
    assert {"repayments", "statements", "loans", "portfolio", "sheets"} <= found
    assert not {"staff", "gateway", "audit"} & found


def test_helpers_of_tests_are_of_those_who_take_them() -> None:
    assert list_areas(["tests/repayments/test_once.py"]) == {"repayments"}
    assert "audit" in (list_areas(["tests/repayments/rows.py"]) or ())


def test_one_path_of_no_area_asks_for_all() -> None:
    assert list_areas(["lendingadmin/desk/sheets/views.py", "Makefile"]) is None
