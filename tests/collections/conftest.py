from datetime import time
from typing import Any

import pytest

from lendingadmin.desk.collections.rules import ContactAttempts, ContactHours
from tests.collections.service import CallService

ALWAYS = ContactHours(frozenset(range(7)), time(0), time(23, 59, 59, 999999))
NEVER = ContactHours(frozenset(), time(8), time(19))
make_service = CallService


@pytest.fixture(autouse=True)
def hours(settings: Any) -> None:
    """People are called at any hour, twice a day."""
    settings.CONTACT_HOURS = {"kenya": ALWAYS}
    settings.CONTACT_ATTEMPTS = {"kenya": ContactAttempts(2, 5)}
    settings.CONTACT_HOLIDAYS, settings.CONTACT_CLOSED = False, {}
