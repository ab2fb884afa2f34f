"""What the web process of the Procfile listens to and believes."""

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
