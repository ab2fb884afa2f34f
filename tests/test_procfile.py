"""What the web process of the Procfile listens to and believes."""

import http.client
import time
import urllib.error
import urllib.request

from tests.web_process import run_web_process


def ask(address: str) -> str:
    """What answers to somebody who says that they came by HTTPS; empty where nothing listens."""
    request = urllib.request.Request(address, headers={"X-Forwarded-Proto": "https"})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return str(answer.read().decode())
    except urllib.error.URLError:
        return ""


def test_it_listens_to_this_machine_alone_and_believes_no_header() -> None:
    with run_web_process() as port:
        assert ask(f"http://127.0.0.1:{port}/") == "http"
        # Linux answers to the whole of 127.0.0.0/8 where somebody listens on every address.
        assert ask(f"http://127.0.0.2:{port}/") == ""


def test_a_connection_that_a_proxy_keeps_is_still_there_when_it_is_used_again() -> None:
    """Proxies keep one for up to a minute; sent on one that was just closed, a request is lost."""
    with run_web_process() as port:
        kept = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        for pause in (0, 3):
            time.sleep(pause)
            kept.request("GET", "/")
            answer = kept.getresponse()
            assert answer.read() and answer.headers["Connection"] != "close"
