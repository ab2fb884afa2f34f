"""HTTP API (Spec: Endpoints). /openapi.json and the page /docs describe it."""

from typing import Any

from django.http import HttpRequest
from ninja.parser import Parser
from ninja.renderers import BaseRenderer

from lendingadmin.sandbox import wire
from lendingadmin.sandbox.api import (
    assessments,
    borrowers,
    catalogue,
    errors,
    events,
    loans,
    offers,
    tokens,
)
from lendingadmin.sandbox.api.document import DescribedAPI
from lendingadmin.sandbox.rules.invalid import Invalid


class JsonParser(Parser):
    """Parser of JSON bodies, with numbers as Decimals."""

    def parse_body(self, request: HttpRequest) -> dict[str, object]:
        """Return the body. Raise Refusal (415) or Invalid (400) if it is not a JSON object."""
        if request.content_type != "application/json":
            raise errors.Refusal(415, "Content-Type must be application/json")
        body = wire.read_sent(request.body)
        if not isinstance(body, dict):
            raise Invalid("body", "must be a JSON object")
        return body


class JsonRenderer(BaseRenderer):
    """Renderer of JSON answers, with all digits of Decimals."""

    media_type = "application/json"

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> bytes:
        """Return the bytes of an answer."""
        return wire.write(data)


api = DescribedAPI(
    title="Lending Service (sandbox)",
    version="v1",
    parser=JsonParser(),
    renderer=JsonRenderer(),
    urls_namespace="sandbox",
)
errors.install(api)
api.add_router("", tokens.router)
api.add_router("", catalogue.router)
api.add_router("", offers.router)  # before borrowers: an id there would match `{id}:getOffers`
api.add_router("", borrowers.router)
api.add_router("", loans.router)
api.add_router("", assessments.router)
api.add_router("", events.router)
