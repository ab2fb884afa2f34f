"""A lending service whose lists a test writes page by page. It shares no code with the product."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.faults.behaviours import refusal, reply, token
from tests.faults.server import FaultServer, Wire

APP = "/v1/projects/demo/apps/kenya"
PATHS = {
    "borrowers": f"{APP}/borrowers",
    "loans": f"{APP}/loans",
    "assessments": f"{APP}/assessments",
    "events": f"{APP}/events",
    "products": "/v1/projects/demo/products",
    "assessmentTypes": "/v1/assessmentTypes",
}
# The rows of a page, and the token of the next; None on the last.
Written = tuple[Sequence[Any], str | None]


class PagedService:
    """Serves the pages that `give` was told, by their token; "" is the first."""

    def __init__(self, server: FaultServer) -> None:
        self.server = server
        server.on("POST /v1/oauth2/token", token())
        for name in PATHS:
            self.give(name, {"": ([], None)})

    def give(self, name: str, pages: Mapping[str, Written]) -> None:
        """Answer this list with these pages; a token that none has is refused."""

        def answer(wire: Wire) -> bool:
            asked = urlsplit(wire.request.path)
            query = parse_qs(asked.query)
            if asked.path != PATHS[name]:
                return refusal(404)(wire)
            page = pages.get(query.get("pageToken", [""])[0])
            if page is None:
                return refusal(400, "Invalid page token")(wire)
            return reply({name: list(page[0]), "nextPageToken": page[1]})(wire)

        self.server.on(f"GET {PATHS[name]}", answer)

    def give_empty_pages(self, name: str, count: int, then: Sequence[Any]) -> None:
        """So many pages without a row, and then a last one."""
        pages: dict[str, Written] = {}
        for number in range(count):
            pages[f"p{number}" if number else ""] = ([], f"p{number + 1}")
        self.give(name, pages | {f"p{count}": (then, None)})

    def hits(self, name: str) -> int:
        """How many pages of this list were asked for."""
        return sum(urlsplit(one.path).path == PATHS[name] for one in self.server.arrived)
