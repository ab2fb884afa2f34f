"""Two answers for a monitor, and the glossary. None of them calls the lending service."""

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from lendingadmin.display.glossary import TERMS

from .access import public, signed_in

_PLAIN = "text/plain; charset=utf-8"


@public()
def alive(request: HttpRequest) -> HttpResponse:
    """The process answers."""
    return HttpResponse("alive\n", content_type=_PLAIN)


@public()
def ready(request: HttpRequest) -> HttpResponse:
    """200 when the database answers and every migration is applied; otherwise 503 and why."""
    try:
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return _not_ready("the database does not answer")
    if waiting:
        return _not_ready(f"{len(waiting)} migrations are not applied")
    return HttpResponse("ready\n", content_type=_PLAIN)


def _not_ready(reason: str) -> HttpResponse:
    return HttpResponse(f"not ready: {reason}\n", status=503, content_type=_PLAIN)


@signed_in()
def glossary(request: HttpRequest) -> HttpResponse:
    """The glossary, by the alphabet."""
    terms = [(_(word), _(text)) for word, text in TERMS.items()]
    terms.sort(key=lambda term: term[0].casefold())
    return render(request, "glossary.html", {"terms": terms})
