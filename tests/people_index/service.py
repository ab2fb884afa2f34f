"""A lending service whose list of borrowers or assessments a test decides.

It shares no code with the product.
"""

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.faults.behaviours import refusal, reply, token
from tests.faults.server import FaultServer, Wire

APP = "GET /v1/projects/demo/apps/kenya"
LIST = f"{APP}/borrowers?"


def borrower(number: int, surname: str = "Kamau", **fields: Any) -> dict[str, Any]:
    """A borrower as the service shows one."""
    person = {"surname": surname, "othernames": "Ann", "phoneNumber": f"+2547000{number:05}"}
    return {"borrowerId": f"B-{number}", "individual": person, **fields}


class PeopleService:
    """Serves `people` in pages of two, and each by its id; the token is a place.

    `before` is called with the place of each page that is asked for, and may change the list;
    `hidden` are ids that the list leaves out although they are there.
    """

    collection, id_name = "borrowers", "borrowerId"

    def __init__(self, server: FaultServer, people: list[Any]) -> None:
        self.server, self.people = server, people
        self.before: Callable[[int], None] = lambda place: None
        self.hidden: set[str] = set()
        self.tokens_hold = True
        server.on("POST /v1/oauth2/token", token())
        server.on(f"{APP}/{self.collection}?", self._list)
        server.on(f"{APP}/{self.collection}/", self._one)

    @property
    def pages(self) -> int:
        """How many pages were asked for."""
        return self.server.hits(f"{APP}/{self.collection}?")

    def _list(self, wire: Wire) -> bool:
        place = int(parse_qs(urlsplit(wire.request.path).query).get("pageToken", ["0"])[0])
        if place and not self.tokens_hold:
            return refusal(400, "Invalid page token")(wire)
        self.before(place)
        shown = [one for one in self.people if self._id_of(one) not in self.hidden]
        end = place + 2
        more = str(end) if end < len(shown) else None
        return reply({self.collection: shown[place:end], "nextPageToken": more})(wire)

    def _one(self, wire: Wire) -> bool:
        key = unquote(urlsplit(wire.request.path).path.rpartition("/")[2])
        found = next((one for one in self.people if self._id_of(one) == key), None)
        return (refusal(404) if found is None else reply(json.dumps(found)))(wire)

    def _id_of(self, one: Any) -> object:
        return one.get(self.id_name) if isinstance(one, dict) else None
