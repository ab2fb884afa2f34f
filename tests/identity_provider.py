"""An identity provider as tests meet it: a process of its own that speaks OpenID Connect over HTTP.

It is not ours (`oidc-provider-mock`). A test says what it knows of people; it asks for no password.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import requests


class IdentityProvider(NamedTuple):
    """Where a running provider is."""

    issuer: str

    def set_person(self, sub: str, **claims: object) -> None:
        """What the provider says of somebody from now on."""
        answer = requests.put(f"{self.issuer}/users/{sub}", json=claims, timeout=10)
        answer.raise_for_status()

    def sign_in(self, address: str, sub: str) -> str:
        """Sign in on the page at this address; the address to which the provider sends back."""
        assert requests.get(address, timeout=10).ok
        answer = requests.post(address, {"sub": sub}, allow_redirects=False, timeout=10)
        return answer.headers["Location"]


@contextmanager
def running_provider() -> Iterator[IdentityProvider]:
    """A provider on a free port; stopped at the end."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "oidc_provider_mock", "--port", str(port)],
        env=os.environ | {"AUTHLIB_INSECURE_TRANSPORT": "1", "PYTHONWARNINGS": "ignore"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    provider = IdentityProvider(f"http://127.0.0.1:{port}")
    try:
        _wait(provider, process)
        yield provider
    finally:
        process.terminate()
        process.wait(timeout=15)


def _wait(provider: IdentityProvider, process: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until and process.poll() is None:
        try:
            requests.get(f"{provider.issuer}/jwks", timeout=5)
        except requests.ConnectionError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the identity provider did not start")
