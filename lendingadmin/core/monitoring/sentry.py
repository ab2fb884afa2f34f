"""Reports of our faults to Sentry, if the operator wants them: the error and its place in the code.

A report contains no data about people, because it is built only from the fields listed below.
sentry-sdk is optional (requirements-sentry.lock).
"""

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from lendingadmin import __version__

from .request_ids import find_request_id

_OF_EVENT = ("event_id", "timestamp", "platform", "level", "logger", "release", "transaction")
_OF_FRAME = ("filename", "module", "function", "lineno", "in_app")


def init_sentry(dsn: str) -> None:
    """Start to report faults to Sentry: exceptions of views and tasks, and errors in the log.

    Raise ImproperlyConfigured if the extra is not installed, or if the DSN is not valid.
    """
    try:
        import sentry_sdk
        from sentry_sdk.integrations.django import DjangoIntegration
        from sentry_sdk.integrations.logging import LoggingIntegration
        from sentry_sdk.utils import BadDsn
    except ImportError:
        raise ImproperlyConfigured("SENTRY_DSN: install requirements-sentry.lock first") from None
    try:
        sentry_sdk.init(
            dsn=dsn,
            release=f"lendingadmin@{__version__}",
            default_integrations=False,
            auto_enabling_integrations=False,
            integrations=[
                DjangoIntegration(transaction_style="function_name", middleware_spans=False),
                LoggingIntegration(level=None),
            ],
            before_send=scrub,
            send_default_pii=False,
            include_local_variables=False,
            include_source_context=False,
            max_request_body_size="never",
            max_breadcrumbs=0,
            auto_session_tracking=False,
            send_client_reports=False,
        )
    except BadDsn:
        raise ImproperlyConfigured("SENTRY_DSN: give the address that Sentry shows") from None


def scrub(event: Any, _hint: Any) -> Any:
    """Return the part of an event that may be sent.

    The part has the kinds of errors, the places in the code, the view and the request id. It does
    not have texts of errors or of the log, addresses, headers, bodies, people or variables.
    """
    kept = {name: event[name] for name in _OF_EVENT if name in event}
    kept["tags"] = {"request_id": find_request_id()}
    raised = event.get("exception", {}).get("values", ())
    kept["exception"] = {"values": [_scrub_error(one) for one in raised]}
    return kept


def _scrub_error(error: dict[str, Any]) -> dict[str, Any]:
    frames = (error.get("stacktrace") or {}).get("frames", ())
    places = [{name: one[name] for name in _OF_FRAME if name in one} for one in frames]
    kinds = {name: error.get(name) for name in ("type", "module")}
    return {**kinds, "stacktrace": {"frames": places}}
