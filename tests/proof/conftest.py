import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lendingadmin.core.staff.models import User
from tests.conftest import ClientOf
from tests.proof.clock import Clock, moving_clock
from tests.proof.desk import InProcess
from tests.proof.hostile import Hostile
from tests.proof.short import short_waits


@pytest.fixture
def clock() -> Iterator[Clock]:
    with moving_clock() as moving:
        yield moving


@pytest.fixture
def hostile(tmp_path: Path, settings: Any) -> Iterator[Hostile]:
    """The dashboard is pointed at the hostile service, and waits for it only briefly."""
    with Hostile(tmp_path, loans=3000, hang=0.4, late=600) as running, short_waits():
        settings.LENDING_BASE_URL = settings.LENDING_AUTH_URL = running.url
        logging.disable(logging.WARNING)  # thousands of calls: what fails would drown in them
        yield running
        logging.disable(logging.NOTSET)


@pytest.fixture
def manager_desk(client_of: ClientOf, manager: User) -> InProcess:
    return InProcess(client_of(manager), manager)
