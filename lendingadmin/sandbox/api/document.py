"""OpenAPI document: ninja's description of each operation, with additions from the spec.

ninja reads parameters, bodies and answers from the code. The guard of a path names an operation.
For this operation, the module adds errors, scopes, the permission, and the names of path parameters
from the spec.
"""

import re
from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from ninja import NinjaAPI
from ninja.openapi.docs import Swagger
from ninja.openapi.schema import REF_TEMPLATE, OpenAPISchema
from ninja.operation import Operation
from ninja.schema import NinjaGenerateJsonSchema
from pydantic.alias_generators import to_camel

from lendingadmin.sandbox.access import ALL, LENDING, READ, WRITE
from lendingadmin.sandbox.api.examples import EXAMPLES
from lendingadmin.sandbox.api.guard import Bearer
from lendingadmin.sandbox.rules.ids import LONGEST
from lendingadmin.sandbox.schemas.answers import Error

TOKEN_PATH = "/v1/oauth2/token"  # noqa: S105 - an address
_STATUSES = {
    200: "OK",
    204: "Done; nothing is answered.",
    400: "What was sent can't be understood; the description begins with the field.",
    401: "The bearer token is missing, unknown or expired.",
    403: "The token's scope or the client's permission is not enough; both are named.",
    404: "There is no such project, app or record.",
    409: "The record exists.",
    411: "A body came without its length.",
    413: "The body is too large.",
    415: "The body is not said to be of the right type.",
    422: "Well understood, but the record's state forbids it.",
    503: "The database is busy; try again.",
}
_ALWAYS = (400, 401, 411, 413, 503)
_SCOPES = {
    ALL: "Everything of the platform but loans, assessments and creating events.",
    LENDING: "All lending operations.",
    READ: "Lending operations that read.",
    WRITE: "Lending operations that write.",
}
_SCHEMES = {
    "oauth2": {
        "type": "oauth2",
        "flows": {"clientCredentials": {"tokenUrl": TOKEN_PATH, "scopes": _SCOPES}},
    },
    "bearer": {"type": "http", "scheme": "bearer", "description": "A token of the issuer."},
}
# Content Security Policy of the page: a browser loads nothing from another host.
_POLICY = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
_FORM = {
    "type": "object",
    "required": ["client_id", "client_secret", "grant_type", "scope"],
    "properties": {
        "client_id": {"type": "string"},
        "client_secret": {"type": "string"},
        "grant_type": {"type": "string", "const": "client_credentials"},
        "scope": {"type": "string", "description": f"One or more of {', '.join(_SCOPES)}."},
    },
}
_ERROR = Error.model_json_schema(schema_generator=NinjaGenerateJsonSchema, mode="serialization")
View = Callable[..., HttpResponse]
_PLACEHOLDER = re.compile(r"{(\w+)}")


class Document(OpenAPISchema):
    """The complete OpenAPI document."""

    def get_paths(self) -> dict[str, Any]:
        """Return the operations by path; path parameters have their names from the spec."""
        return {
            _PLACEHOLDER.sub(lambda found: f"{{{to_camel(found[1])}}}", path): methods
            for path, methods in super().get_paths().items()
        }

    def operation_details(self, operation: Operation) -> dict[str, Any]:
        """Return the description of an operation, with its permission or the issuer's form."""
        details: dict[str, Any] = super().operation_details(operation)
        guard = _find_guard(operation)
        if guard is None:
            content = {"application/x-www-form-urlencoded": {"schema": _FORM}}
            details["requestBody"] = {"required": True, "content": content}
            details["operationId"] = "token"
        else:
            slash = operation.path.rpartition("/")[2] == guard.operation.partition(".")[2]
            details["operationId"] = guard.operation + (".slash" if slash else "")
            needed = f"Needs the permission `{guard.need.permission}`."
            if guard.operation in EXAMPLES:
                body = details["requestBody"]["content"]["application/json"]
                body["examples"] = {"one": {"value": EXAMPLES[guard.operation]}}
            details["description"] = f"{details.get('description', '')}\n\n{needed}".strip()
        return details

    def operation_parameters(self, operation: Operation) -> list[dict[str, Any]]:
        """Return the parameters. Path parameters have the spec's names and our limits."""
        parameters: list[dict[str, Any]] = super().operation_parameters(operation)
        for one in parameters:
            if one["in"] == "path":
                one["name"] = to_camel(one["name"])
                one["schema"] = {"type": "string", "minLength": 1, "maxLength": LONGEST}
        return parameters

    def operation_security(self, operation: Operation) -> list[dict[str, Any]] | None:
        """Return the accepted scopes; one of them is enough. Return None for the token issuer."""
        guard = _find_guard(operation)
        if guard is None:
            return None
        self.securitySchemes |= _SCHEMES
        return [{"oauth2": [scope]} for scope in guard.need.scopes] + [{"bearer": []}]

    def responses(self, operation: Operation) -> dict[int, dict[str, Any]]:
        """Return descriptions of the answer and of every possible error."""
        described: dict[int, dict[str, Any]] = super().responses(operation)
        errors = {status for status in described if status >= 400} | {*_ALWAYS}
        if _find_guard(operation):
            errors.add(403)
            errors |= {404} if "{" in operation.path else set()
        if operation.methods != ["GET"] and 204 not in described:
            errors.add(415)
        self.add_schema_definitions({"Error": _ERROR})
        content = {"application/json": {"schema": {"$ref": REF_TEMPLATE.format(model="Error")}}}
        described |= {status: {"content": content} for status in sorted(errors)}
        for status, one in described.items():
            one["description"] = _STATUSES[status]
        return described

    def add_schema_definitions(self, definitions: dict[str, Any]) -> None:
        """Add the definitions. Raise ValueError if two different schemas have one name."""
        for name, schema in definitions.items():
            if self.schemas.setdefault(name, schema) != schema:
                raise ValueError(f"two schemas are named {name}")


class DescribedAPI(NinjaAPI):
    """API with a complete document. Its page loads nothing from another host."""

    def __init__(self, **options: Any) -> None:
        # Otherwise Swagger UI would send the document's address to a validator on the Internet.
        super().__init__(
            docs=Swagger({"validatorUrl": "none"}),
            docs_url="/docs",
            docs_decorator=_by_policy,
            **options,
        )

    def get_content_type(self) -> str:
        """Return the type without a charset, because JSON is UTF-8."""
        return "application/json"

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> Document:
        """Return the document of all operations."""
        return Document(self, path_prefix or "")


def _by_policy(view: View) -> View:
    def call(*args: Any, **options: Any) -> HttpResponse:
        response = view(*args, **options)
        response["Content-Security-Policy"] = _POLICY
        return response

    return call


def _find_guard(operation: Operation) -> Bearer | None:
    return next((one for one in operation.auth_callbacks if isinstance(one, Bearer)), None)
