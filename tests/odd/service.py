"""A lending service that gives one answer for each resource, whichever way it is asked for it."""

from typing import Any

import simplejson

from tests.faults.behaviours import reply, token
from tests.faults.server import FaultServer, Wire
from tests.odd.variants import good

_APP = "/v1/projects/demo/apps/kenya"
# Where each resource is: its list, the key of the list, and where one is got.
_LISTS = {
    "Borrower": (f"GET {_APP}/borrowers", "borrowers"),
    "Loan": (f"GET {_APP}/loans", "loans"),
    "Assessment": (f"GET {_APP}/assessments", "assessments"),
    "Event": (f"GET {_APP}/events", "events"),
    "Product": ("GET /v1/projects/demo/products", "products"),
    "AssessmentType": ("GET /v1/assessmentTypes", "assessmentTypes"),
}


class OddService:
    """Serves a good one of every resource, save what a test says otherwise."""

    def __init__(self, server: FaultServer) -> None:
        self.server = server
        self._bodies: dict[str, bytes] = {}
        server.on("POST /v1/oauth2/token", token())
        for resource, (path, _) in _LISTS.items():
            self._on(path, f"list {resource}")
            self._on(f"{path}/", resource)
        self._on(":getOffers", "Operation")
        self._on(":getOfferContracts", "list LendingContract")
        self._on("makeRepayment", "Loan")
        self.behave()

    def behave(self) -> None:
        """Answer everything as the spec has it."""
        for resource in (*_LISTS, "Operation", "LendingContract"):
            self.give(resource, good(resource))

    def give(self, resource: str, value: object) -> None:
        """Answer with this one wherever the resource is asked for, alone in its list."""
        self._bodies[resource] = self.text(value).encode()
        self.list(resource, [value])

    def list(self, resource: str, values: list[Any]) -> None:
        """Answer the list with these."""
        listed: object = values
        if resource in _LISTS:
            listed = {_LISTS[resource][1]: values, "nextPageToken": None}
        self._bodies[f"list {resource}"] = self.text(listed).encode()

    def _on(self, match: str, key: str) -> None:
        def behave(wire: Wire) -> bool:
            return reply(self._bodies[key])(wire)

        self.server.on(match, behave)

    @staticmethod
    def text(value: object) -> str:
        """JSON with every digit of a Decimal."""
        return str(simplejson.dumps(value, use_decimal=True))
