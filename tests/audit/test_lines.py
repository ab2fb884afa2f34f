"""Entries as JSON lines: one for each that is committed, and none for one that is not."""

import json
import logging
from typing import Any

import pytest
from django.db import transaction

from lendingadmin.core.audit import record
from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User

pytestmark = pytest.mark.django_db(transaction=True)


class Lines(logging.Handler):
    """Keeps what was logged."""

    def __init__(self) -> None:
        super().__init__()
        self.read = list[dict[str, Any]]()

    def emit(self, log: logging.LogRecord) -> None:
        self.read.append(json.loads(log.getMessage()))


@pytest.fixture
def lines(settings: Any) -> Any:
    settings.AUDIT_LINES = True
    handler, logger = Lines(), logging.getLogger("lendingadmin.core.audit.entries")
    logger.addHandler(handler)
    yield handler.read
    logger.removeHandler(handler)


def test_an_entry_is_a_line_once_it_is_committed(lines: Any, support: User) -> None:
    with transaction.atomic():
        entry = record(support, "x", subject="L-1", outcome="done\nnot a second line")
        assert lines == []
    (line,) = lines
    assert line["id"] == entry.pk and line["mac"] == entry.mac
    assert (line["username"], line["subject"]) == ("support", "L-1")
    assert line["at"] == entry.at.isoformat()
    assert "detail" not in line


def test_what_is_rolled_back_is_none(lines: Any) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        record(None, "x", outcome="done")
        raise ZeroDivisionError
    assert lines == [] and not Entry.objects.exists()


def test_several_at_once_are_several(lines: Any) -> None:
    Entry.objects.bulk_create(Entry(action="x", outcome=str(number)) for number in range(3))
    assert [line["outcome"] for line in lines] == ["0", "1", "2"]


def test_a_log_that_fails_undoes_nothing(lines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError

    monkeypatch.setattr("lendingadmin.core.audit.models.logger.info", fail)
    record(None, "x", outcome="done")
    assert Entry.objects.count() == 1


def test_by_default_there_are_none(lines: Any, settings: Any) -> None:
    settings.AUDIT_LINES = False
    record(None, "x", outcome="done")
    assert lines == []
