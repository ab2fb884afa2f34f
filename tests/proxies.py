"""The proxies of deploy/ as processes before a web process, with a certificate made for the day."""

import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.processes import ROOT
from tests.web_process import find_free_port, wait_for

HOST = "dashboard.example.com"
OPENSSL = shutil.which("openssl")
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/bin")
# A Python environment can hold one too.
CADDY = shutil.which("caddy", path=f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin")

_NGINX_MAIN = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/main.log;
events {{ worker_connections 512; }}
http {{
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/nginx.conf;
}}
"""
_NGINX_HOST = "    server 127.0.0.1:8000 max_fails=3 fail_timeout=5s;\n"
_CADDY_OPTIONS = """
{{
	admin off
	auto_https disable_redirects
	default_bind 127.0.0.1
	https_port {port}
	storage file_system {folder}
"""


@contextmanager
def run_nginx(folder: Path, web: int, *others: int, plain: int = 0) -> Iterator[int]:
    """The port where deploy/nginx.conf takes HTTPS for web processes; its files are in `folder`.

    At the port `plain` it takes HTTP.
    """
    port, main = find_free_port(), folder / "main.conf"
    hosts = [_NGINX_HOST.replace("8000", str(one)) for one in (web, *others)]
    places = {
        _NGINX_HOST: "".join(hosts),
        # The loopback's other address may be missing here; each `listen` has a port of its own.
        "    listen [::]:443 ssl;\n": "",
        "    listen [::]:80;\n": "",
        "listen 443": f"listen 127.0.0.1:{port}",
        "listen 80": f"listen 127.0.0.1:{plain or find_free_port()}",
        "/var/log/nginx": str(folder),
    }
    _write_site("nginx.conf", folder, places)
    main.write_text(_NGINX_MAIN.format(folder=folder))
    with _run(port, folder, str(NGINX), "-p", str(folder), "-c", str(main)):
        yield port


@contextmanager
def run_caddy(folder: Path, web: int) -> Iterator[int]:
    """The port where deploy/Caddyfile takes HTTPS for a web process; its files are in `folder`."""
    port = find_free_port()
    options = _CADDY_OPTIONS.format(port=port, folder=folder)
    places = {"\n{\n": options, "{$BIND:127.0.0.1}:{$PORT:8000}": f"127.0.0.1:{web}"}
    _write_site("Caddyfile", folder, places)
    with _run(port, folder, str(CADDY), "run", "--config", str(folder / "Caddyfile")):
        yield port


def _write_site(name: str, folder: Path, places: Mapping[str, str]) -> None:
    """Write a file of deploy/ with places of here for those that it names, and a certificate."""
    certify = f"req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN={HOST} -addext"
    made = ["-keyout", f"{folder}/key", "-out", f"{folder}/pem"]
    subprocess.run(
        [str(OPENSSL), *certify.split(), f"subjectAltName=DNS:{HOST}", *made],
        check=True,
        capture_output=True,
    )
    site = (ROOT / "deploy" / name).read_text()
    files = {"/etc/ssl/dashboard.pem": f"{folder}/pem", "/etc/ssl/dashboard.key": f"{folder}/key"}
    for written, here in {**files, **places}.items():
        assert written in site, written
        site = site.replace(written, here, 1)
    (folder / name).write_text(site)


@contextmanager
def _run(port: int, folder: Path, *command: str) -> Iterator[None]:
    """A proxy's process; what it says is kept in `said.log`."""
    with (folder / "said.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        wait_for(port)
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=20)


def _is_caddy_new_enough() -> bool:
    if CADDY is None:
        return False
    said = subprocess.run([CADDY, "version"], capture_output=True, text=True, check=True).stdout
    number = re.match(r"v?(\d+)\.(\d+)", said)
    return number is not None and (int(number[1]), int(number[2])) >= (2, 7)


needs_nginx = pytest.mark.skipif(not (NGINX and OPENSSL), reason="nginx is not installed")
needs_caddy = pytest.mark.skipif(
    not (OPENSSL and _is_caddy_new_enough()), reason="Caddy 2.7 or newer is not installed"
)


def connect(port: int) -> ssl.SSLSocket:
    """A browser's connection, which trusts this certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    plain = socket.create_connection(("127.0.0.1", port), timeout=10)
    return context.wrap_socket(plain, server_hostname=HOST)


def say(connection: ssl.SSLSocket, first: str, *headers: str) -> None:
    """Send the head of a request."""
    lines = (f"{first} HTTP/1.1", f"Host: {HOST}", *headers, "", "")
    connection.sendall("\r\n".join(lines).encode())


def ask(port: int, path: str, *headers: str) -> str:
    """What answers to somebody who waits a few seconds, even on a busy machine."""
    with connect(port) as connection:
        connection.settimeout(8)
        say(connection, f"GET {path}", "Connection: close", *headers)
        return b"".join(iter(lambda: connection.recv(65_536), b"")).decode()
