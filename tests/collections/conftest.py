import pytest

from tests.collections.service import CallService
from tests.policies.setting import ALWAYS, set_calling

make_service = CallService


@pytest.fixture(autouse=True)
def hours(db: None) -> None:
    """People are called at any hour, twice a day."""
    set_calling(hours=ALWAYS, has_holidays=False)
