"""Checks of ports: whether a text is a port number, and whether the port is free."""

import errno
import socket


class PortError(Exception):
    """Error: a port cannot be used. The text names the variable to change."""


def port_number(name: str, text: str) -> int:
    """Read a port from the variable `name`. The next port must also exist.

    Raise PortError for any other text.
    """
    if not text.isdecimal() or not 0 < int(text) < 65535:
        raise PortError(f"{name}={text} is not a port. Give a number from 1 to 65534.")
    return int(text)


def require_free(host: str, port: int) -> None:
    """Raise PortError if the port is in use, or if this account may not open the port."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError as error:
            other = f"choose another: make run PORT={port + 10 if port < 65000 else 8010}"
            words = f"Port {port} of {host} cannot be opened ({error.strerror}); {other}"
            if error.errno == errno.EADDRINUSE:
                words = f"Port {port} is in use. Stop the program that uses it, or {other}"
            elif error.errno == errno.EACCES:
                words = (
                    f"Port {port} can only be opened by the administrator of this machine; {other}"
                )
            raise PortError(words) from error
