"""The answers for monitors, which a middleware gives first, and the glossary.

These views do not call the lending service.
"""

import logging
from collections.abc import Iterable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from prometheus_client import CONTENT_TYPE_LATEST

from lendingadmin.core.monitoring import readiness
from lendingadmin.core.monitoring.metrics import render as render_metrics
from lendingadmin.web.display.glossary import TERMS

from .access import public, signed_in
from .middleware import GetResponse

logger = logging.getLogger(__name__)


@public()
def alive(request: HttpRequest) -> HttpResponse:
    """Respond that the process is running."""
    return _answer_plainly(["alive"])


@public()
def ready(request: HttpRequest) -> HttpResponse:
    """Return 200 if this host can serve people; otherwise 503 with the reasons.

    The 200 also names warnings. The log has a line when the state changes.
    """
    faults = readiness.find_faults()
    is_news = readiness.note_faults(faults)
    if is_news:
        logger.warning("readiness: %s", "; ".join(faults) or "ready")
    if not faults:
        return _answer_plainly(readiness.spell_ready())
    answer = _answer_plainly((f"not ready: {fault}" for fault in faults), status=503)
    # If this attribute is True, the response is not logged. A load balancer asks every few seconds.
    answer._has_been_logged = not is_news  # type: ignore[attr-defined]
    return answer


@public()
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the figures for monitors if the request has METRICS_TOKEN; else 401.

    If METRICS_TOKEN is not set, return 404.
    """
    if not settings.METRICS_TOKEN:
        return _answer_plainly(["there is no METRICS_TOKEN"], status=404)
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not constant_time_compare(given, settings.METRICS_TOKEN):
        return _answer_plainly(["METRICS_TOKEN is needed"], status=401)
    return HttpResponse(render_metrics(), content_type=CONTENT_TYPE_LATEST)


def _answer_plainly(lines: Iterable[str], status: int = 200) -> HttpResponse:
    text = "".join(f"{line}\n" for line in lines)
    # No later middleware sets the length. With a length the text is sent in one part, not in
    # chunks.
    headers = {"Content-Length": str(len(text)), "Cache-Control": "no-store"}
    plain = "text/plain; charset=utf-8"
    return HttpResponse(text, status=status, content_type=plain, headers=headers)


@signed_in()
def glossary(request: HttpRequest) -> HttpResponse:
    """Show the glossary in alphabetical order."""
    terms = [(_(word), _(text)) for word, text in TERMS.items()]
    terms.sort(key=lambda term: term[0].casefold())
    return render(request, "glossary.html", {"terms": terms})


_PROBES = {"/healthz": alive, "/readyz": ready, "/metrics": metrics}


class ProbesMiddleware:
    """Answer health probes before the host name is checked, and before any other middleware.

    A load balancer uses the address of the machine, which is not in ALLOWED_HOSTS.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        view = _PROBES.get(request.path_info)
        return view(request) if view else self.get_response(request)
