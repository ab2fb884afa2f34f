"""Ports: one clear line for each that cannot be used."""

import socket
from collections.abc import Iterator

import pytest

from lendingadmin.demo.ports import PortError, port_number, require_free


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(("text", "number"), [("1", 1), ("8000", 8000), ("65534", 65534)])
def test_a_port_number(text: str, number: int) -> None:
    assert port_number("PORT", text) == number


@pytest.mark.parametrize("text", ["", "0", "65535", "-1", "8o00", "80.0", "²"])
def test_what_is_no_port_number_names_the_variable(text: str) -> None:
    with pytest.raises(PortError, match=r"PORT=.* not a port"):
        port_number("PORT", text)


def test_a_taken_port_is_told_with_the_variable_to_change(taken: int) -> None:
    with pytest.raises(PortError, match=rf"Port {taken} is in use.*make run PORT=") as refusal:
        require_free("127.0.0.1", taken)
    assert "\n" not in str(refusal.value)


def test_a_free_port_is_left_free(taken: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        free = server.getsockname()[1]
    require_free("127.0.0.1", free)
    require_free("127.0.0.1", free)


def test_an_address_of_another_machine_is_told() -> None:
    with pytest.raises(PortError, match=r"192\.0\.2\.1"):
        require_free("192.0.2.1", 8000)
