"""Functions that write every error as JSON with `error_description` (Spec: Errors)."""

import logging
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from lendingadmin.sandbox import wire
from lendingadmin.sandbox.rules.invalid import AlreadyExists, Invalid, NotFound, RuleBroken
from lendingadmin.sandbox.rules.lists import InvalidPageToken
from lendingadmin.sandbox.schemas.answers import Error

log = logging.getLogger(__name__)

WORDS = {
    400: "invalid_request",
    401: "invalid_token",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "already_exists",
    411: "length_required",
    413: "too_large",
    415: "unsupported_media_type",
    422: "failed_precondition",
    500: "internal",
    503: "unavailable",
}

_OF_RULES = {Invalid: 400, NotFound: 404, AlreadyExists: 409, RuleBroken: 422}


class Refusal(Exception):
    """Error: the request is refused with this status and sentence (`error_description`)."""

    def __init__(self, status: int, description: str, error: str = "") -> None:
        super().__init__(description)
        self.status = status
        self.description = description
        self.error = error or WORDS[status]


def answer(status: int, description: str, error: str = "") -> HttpResponse:
    """Return an error answer: `error` for programs, `error_description` for people."""
    body = Error(error=error or WORDS.get(status, "error"), error_description=description)
    response = HttpResponse(wire.write(body), status=status, content_type="application/json")
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    if status == 503:
        response["Retry-After"] = "1"
    return response


def describe(error: BaseException) -> tuple[int, str, str]:
    """Return the status, the sentence and the word for an error of a request.

    An error that is not expected is logged and has the status 500.
    """
    match error:
        case Refusal():
            return error.status, error.description, error.error
        case InvalidPageToken():
            return 400, error.description, ""
        case Invalid() | NotFound() | AlreadyExists() | RuleBroken():
            return _OF_RULES[type(error)], str(error), ""
        case ValidationError():
            return 400, _first(error.errors), ""
        case AuthenticationError():
            return 401, "The bearer token is missing", ""
        case SuspiciousOperation():
            return 400, "The request can't be understood", ""
        case OperationalError():
            return 503, "The database is busy; try again", ""
        case HttpError() if error.__cause__ is not None:
            return describe(error.__cause__)  # ninja wraps the errors of its parser
        case _:
            log.error("not foreseen", exc_info=error)
            return 500, "The service failed", ""


def install(api: NinjaAPI) -> None:
    """Register the handlers of all errors."""

    def handle(request: HttpRequest, error: Any) -> HttpResponse:
        return answer(*describe(error))

    for kind in (ValidationError, AuthenticationError, HttpError, Exception):
        api.add_exception_handler(kind, handle)


def _first(errors: list[dict[str, Any]]) -> str:
    """Return the first error of a schema as text, such as `field.path[2]: must be text`."""
    one = errors[0]
    path = ""
    for step in one["loc"][2:]:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else str(step)
    message = str(one["msg"]).removeprefix("Value error, ")
    return f"{path or 'body'}: {message}"


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return our 400 instead of Django's."""
    return answer(400, "The request can't be understood")


def no_such_path(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Return our 404 instead of Django's."""
    return answer(404, "There is nothing at this path")


def server_error(request: HttpRequest) -> HttpResponse:
    """Return our 500 instead of Django's."""
    return answer(500, "The service failed")
