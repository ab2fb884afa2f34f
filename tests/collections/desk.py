"""What people do at the desk: count, press Next, note how a call ended."""

import re
from typing import Any

from django.test import Client

from tests.portfolio.conftest import counted, read_page, words

COLLECTIONS = "/apps/kenya/collections/"
__all__ = ["COLLECTIONS", "counted", "list_wrong", "note_call", "press_next", "read_page", "words"]


def press_next(client: Client, queue: str = "late-1-7") -> str:
    """Press Next; the id of the borrower it leads to, or the address of any other page."""
    answer = client.post(f"{COLLECTIONS}{queue}/next")
    assert answer.status_code == 302
    found = re.fullmatch(rf"{COLLECTIONS}calls/([^/]+)/", answer["Location"])
    return found[1] if found else answer["Location"]


def note_call(client: Client, borrower_id: str, outcome: str, **fields: str) -> Any:
    """Note how a call ended, with the token and loan of the form that is open; the answer."""
    address = f"{COLLECTIONS}calls/{borrower_id}/"
    form = read_page(client, address)
    token = re.search(r'name="token" value="([^"]+)"', form)
    loan = re.search(r'<option value="([^"]+)"', form)
    usual = {"token": token[1] if token else "", "loan": loan[1] if loan else ""}
    return client.post(address, {"outcome": outcome, **usual, **fields})


def list_wrong(answer: Any) -> dict[str, list[str]]:
    """The codes of the errors of the form, by field; the page has each beside its field."""
    found = answer.context["form"].errors.as_data()
    for name in found:
        assert f'id="id_{name}_error"' in answer.content.decode()
    return {name: [one.code for one in errors] for name, errors in found.items()}
