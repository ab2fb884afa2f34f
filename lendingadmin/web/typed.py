"""What is typed into a form survives a refresh of its page, and the end of a session.

The page sends what was typed, as it is typed, and it is kept sealed for one person and one form of
one page. The page opened again finds it. It goes when the form has led on, when the person signs
out, and after twelve hours.
"""

import json
import logging
import re
import secrets
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import Any, NamedTuple

from django.db import Error, transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils import timezone

from lendingadmin.sealing import Unopened
from lendingadmin.staff.models import User

from . import onetime
from .access import signed_in
from .models import Draft
from .requests import PersonRequest

logger = logging.getLogger(__name__)

PURPOSE = "typed"
# The field that the script adds to a form, so that the page it leads to knows which one led on.
PARAMETER = "typed-as"
LONGEST = 200_000
# Forms of one person of which something is kept at a time; the oldest go.
MOST = 100

Fields = dict[str, list[str]]

_NAME = re.compile(r"([0-9a-f]{64})\.([A-Za-z0-9_-]{8,32})")
# The script leaves these out by their kind; by their names they do not get in either.
_SECRET = re.compile(r"password|secret|token|csrf", re.IGNORECASE)


class Form(NamedTuple):
    """A form of a page: `key` names it, `shown_as` the one time it was shown."""

    key: str
    shown_as: str

    def __str__(self) -> str:
        return f"{self.key}.{self.shown_as}"


def form_of(page: str, name: str) -> Form:
    """The form called `name` on a page (path and query), shown now."""
    return Form(_hash(name, page), secrets.token_urlsafe(9))


def kept_at(person: User, form: Form) -> datetime | None:
    """When something was typed into this form that is still kept."""
    row = _row(person, form)
    return row.created_at if row and _content(row).get("fields") else None


@signed_in(methods=("GET", "POST"))
def typed(request: PersonRequest) -> HttpResponse:
    """POST keeps what was typed into a form, nothing typed forgets it; GET gives it back."""
    name = _NAME.fullmatch((request.POST or request.GET).get("form", ""))
    if not name:
        raise Http404("There is no such form.")
    form = Form(*name.groups())
    if request.method != "POST":
        row = _row(request.user, form)
        return JsonResponse({"fields": _content(row).get("fields", {}) if row else {}})
    text = request.POST.get("fields", "")
    if len(text) > LONGEST:
        return HttpResponse(status=413)
    fields = _fields(text)
    if fields is None:
        return HttpResponse(status=400)
    kept = keep(request.user, form, fields, add="add" in request.POST)
    return HttpResponse(status=204 if kept else 413)


def keep(person: User, form: Form, fields: Fields, *, add: bool = False) -> bool:
    """Keep what was typed, in place of what was kept or, with `add`, over it. False if too long.

    What comes late from a form that has led on is left: it would bring back what is done.
    """
    with transaction.atomic():
        row = _row(person, form)
        content = _content(row) if row else {}
        if content.get("led_on") == form.shown_as:
            return True
        whole = {**content.get("fields", {}), **fields} if add else fields
        if len(json.dumps(whole)) > LONGEST:
            return False
        if whole:
            _store(person, form, {"fields": whole})
        elif row:
            row.delete()
    return True


def led_on(person: User, form: Form) -> None:
    """The form was sent and led on to another page: what was typed into it is done with.

    What the form was for has happened: the person is told of that, whatever the database says here.
    """
    try:
        _store(person, form, {"led_on": form.shown_as})
    except Error as error:
        logger.warning("what was typed could not be forgotten: %s", type(error).__name__)


def forget(person: User) -> None:
    """Forget whatever this person has typed."""
    Draft.objects.filter(person=person, purpose=PURPOSE).delete()


def signed_out(*, user: User | None, **_: Any) -> None:
    """Somebody left on purpose; a session that ends by itself keeps what was typed."""
    if user is not None:
        forget(user)


class TypedMiddleware:
    """A form that was sent and is answered with another page has led on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if request.method == "POST" and 300 <= response.status_code < 400:
            name = _NAME.fullmatch(request.POST.get(PARAMETER, ""))
            if name and isinstance(request.user, User):
                led_on(request.user, Form(*name.groups()))
        return response


def _store(person: User, form: Form, content: dict[str, Any]) -> None:
    entered = {"entered": json.dumps(content), "created_at": timezone.now()}
    _, is_new = Draft.objects.update_or_create(
        token=_token(person, form), person=person, purpose=PURPOSE, defaults=entered
    )
    if is_new:
        own = Draft.objects.filter(person=person, purpose=PURPOSE).order_by("-created_at", "-pk")
        own.exclude(pk__in=own.values("pk")[:MOST]).delete()


def _token(person: User, form: Form) -> str:
    """One for each person: what a browser calls a form may be anything."""
    return _hash(str(person.pk), form.key)


def _hash(*words: str) -> str:
    return sha256("\n".join(words).encode()).hexdigest()


def _row(person: User, form: Form) -> Draft | None:
    young = timezone.now() - onetime.LIFETIME
    rows = Draft.objects.filter(token=_token(person, form), person=person, purpose=PURPOSE)
    return rows.filter(created_at__gte=young).first()


def _content(row: Draft) -> dict[str, Any]:
    """What a row holds; nothing where its key is gone."""
    return {} if isinstance(row.entered, Unopened) else dict(json.loads(row.entered or "{}"))


def _fields(text: str) -> Fields | None:
    """The fields that were sent, without secrets; None for what no page sends."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    for values in found.values():
        if not (isinstance(values, list) and all(isinstance(value, str) for value in values)):
            return None
    return {name: values for name, values in found.items() if not _SECRET.search(name)}
