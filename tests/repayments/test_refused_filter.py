"""A filter of the journal that can't be applied shows no rows, and says why."""

import pytest

from lendingadmin.core.staff.models import User
from tests.conftest import ClientOf
from tests.repayments.rows import row

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "query", ["state=nonsense", "since=2026-02-31", "by=never", "currency=EURO"]
)
def test_no_row_is_shown_and_the_filter_says_why(
    client_of: ClientOf, support: User, query: str
) -> None:
    row(support, external_id="TX-SHOWN")
    desk = client_of(support)
    assert "TX-SHOWN" in desk.get("/apps/kenya/repayments/").content.decode()
    page = desk.get(f"/apps/kenya/repayments/?{query}").content.decode()
    assert "TX-SHOWN" not in page
    assert "errorlist" in page
    assert 'data-finding="filter-refused"' in page
    assert 'data-finding="no-match"' not in page
    answer = desk.get(f"/apps/kenya/repayments/export.csv?{query}")
    assert answer.headers["Location"] == f"/apps/kenya/repayments/?{query}"
