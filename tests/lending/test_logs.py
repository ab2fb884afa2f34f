"""Addresses hold ids and filters of people: no line of any library carries one into a log."""

import io
import logging
from collections.abc import Iterator

import pytest

from tests.faults import behaviours as do
from tests.faults.server import FaultServer
from tests.lending.rig import client_to

PHONE = "254700000001"
BROKEN_HEADERS = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nno header at all\r\n\r\n{}"


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> Iterator[io.StringIO]:
    """What comes to the handlers of the settings, also where a library is set to tell everything.

    pytest's own handler would not do: it listens inside of loggers that pass nothing on, too.
    """
    for name in ("", "urllib3", "urllib3.connection", "urllib3.connectionpool", "requests"):
        caplog.set_level(logging.DEBUG, logger=name)
    lines = io.StringIO()
    handler = logging.StreamHandler(lines)
    logging.getLogger().addHandler(handler)
    yield lines
    logging.getLogger().removeHandler(handler)


def test_headers_that_cannot_be_parsed_bring_no_address_into_the_log(
    heard: io.StringIO, fault_server: FaultServer
) -> None:
    fault_server.on("/borrowers/", do.raw(BROKEN_HEADERS))
    client_to(fault_server.url).app("kenya").borrowers.get(PHONE)
    assert fault_server.hits(PHONE) == 1
    assert PHONE not in heard.getvalue()


def test_nor_does_a_filter_nor_a_connection_that_breaks(
    heard: io.StringIO, fault_server: FaultServer
) -> None:
    fault_server.on("/loans", do.reset(), do.reply({"loans": [], "nextPageToken": None}))
    client_to(fault_server.url).app("kenya").loans.list(filters={"borrowerId": PHONE})
    assert fault_server.hits(PHONE) == 2
    assert PHONE not in heard.getvalue()
