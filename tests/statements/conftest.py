"""What all tests of statements share."""

from collections.abc import Iterator
from datetime import date

import pytest

from lendingadmin.desk.statements.reading import days

from .desk import DeskService

make_service = DeskService
# The generators write days of the autumn of 2026.
_WRITTEN = date(2026, 11, 29)


@pytest.fixture(autouse=True, scope="session")
def old_days() -> Iterator[None]:
    """The days of these files stay as recent as they were when they were written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(days, "OLD", days.OLD + max(date.today() - _WRITTEN, date.resolution * 0))
        yield
