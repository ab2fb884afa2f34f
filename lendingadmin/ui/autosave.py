"""What is typed into a form survives a refresh of its page, and the end of a session.

The page sends what is typed; it is stored encrypted for one person and one form of one page until
the form is submitted and leads to another page, the person signs out, or SESSION_HOURS are over.

A form is named by a key and, behind a dot, the one time that it was shown.
"""

import json
import logging
import re
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.db import Error, transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.utils import timezone
from pydantic import TypeAdapter, ValidationError

from lendingadmin.encryption import Undecryptable
from lendingadmin.staff.models import User

from .access import signed_in
from .models import Draft
from .quotas import DRAFTS
from .requests import PersonRequest

logger = logging.getLogger(__name__)

Fields = dict[str, list[str]]
PURPOSE = "autosave"
# The field that the script adds to a form, so that its answer shows which form was submitted.
PARAMETER = "autosave-form"
LONGEST = 200_000
# Forms of one person of which something is stored at a time; the oldest are deleted.
MOST = 100
_NAME = re.compile(r"[0-9a-f]{64}\.[A-Za-z0-9_-]{8,32}")
# The script leaves these out by their kind; the server by their name.
_SECRET = re.compile(r"password|secret|token|csrf", re.IGNORECASE)


@signed_in(methods=("GET", "POST"), quota=DRAFTS)
def autosave(request: PersonRequest) -> HttpResponse:
    """POST stores what was typed into a form, nothing typed deletes it; GET gives it back."""
    form = (request.POST or request.GET).get("form", "")
    if not _NAME.fullmatch(form):
        raise Http404("There is no such form.")
    if request.method != "POST":
        return JsonResponse({"fields": read_saved(request.user, form)[0]})
    text = request.POST.get("fields", "")
    if len(text) > LONGEST:
        return HttpResponse(status=413)
    try:
        sent = TypeAdapter(Fields).validate_json(text)
    except ValidationError:
        return HttpResponse(status=400)
    fields = {name: values for name, values in sent.items() if not _SECRET.search(name)}
    fits = save(request.user, form, fields, add="add" in request.POST)
    return HttpResponse(status=204 if fits else 413)


def read_saved(person: User, form: str) -> tuple[Fields, datetime | None]:
    """The fields that are stored for this form, and since when; empty where nothing is."""
    row = Draft.objects.filter(**_key(person, form)).first()
    fields = _read(row).get("fields", {}) if row else {}
    return fields, row.created_at if row and fields else None


def save(person: User, form: str, fields: Fields, *, add: bool = False) -> bool:
    """Store what was typed, in place of what is stored or, with `add`, over it. False if too long.

    Raises OverQuota where the person keeps too much.

    The row is locked from reading to writing: what arrives late from a submitted form must not
    bring back what `mark_submitted` deletes at the same time.
    """
    with transaction.atomic():
        row = _lock(person, form)
        stored = _read(row)
        if stored.get("submitted") == form:
            return True
        whole = {**stored.get("fields", {}), **fields} if add else fields
        size = len(json.dumps(whole))
        if size > LONGEST:
            transaction.set_rollback(True)
            return False
        Draft.check_room(person, row.token, size)
        _write(row, {"fields": whole} if whole else {})
    return True


def mark_submitted(person: User, form: str) -> None:
    """The form was submitted: delete what was typed, and keep its name for what arrives late.

    A database that fails here must not hide from the person what the form has done.
    """
    try:
        with transaction.atomic():
            _write(_lock(person, form), {"submitted": form})
    except Error as error:
        logger.warning("what was typed could not be deleted: %s", type(error).__name__)


def delete_on_sign_out(*, user: User | None, **_: Any) -> None:
    """Delete what a person who leaves has typed; a session that ends by itself deletes nothing."""
    Draft.objects.filter(person=user, purpose=PURPOSE).delete()


def autosave_middleware(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """A form that is answered with another page was submitted."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        is_asked_first = getattr(request, "is_held_back", False)
        leads_on = request.method == "POST" and 300 <= response.status_code < 400
        leads_on = leads_on and not is_asked_first
        form = request.POST.get(PARAMETER, "") if leads_on else ""
        if _NAME.fullmatch(form) and isinstance(request.user, User):
            mark_submitted(request.user, form)
        return response

    return respond


def _key(person: User, form: str) -> dict[str, Any]:
    token = sha256(f"{person.pk}\n{form.partition('.')[0]}".encode()).hexdigest()
    return {"token": token, "person": person, "purpose": PURPOSE}


def _lock(person: User, form: str) -> Draft:
    """The form's row, made where there is none; others wait for it until the transaction ends."""
    return Draft.objects.select_for_update().get_or_create(**_key(person, form))[0]


def _read(row: Draft) -> dict[str, Any]:
    """What a row holds; nothing where it is too old, or its key is gone."""
    is_old = row.created_at < timezone.now() - Draft.KEPT_FOR
    return (
        {} if is_old or isinstance(row.entered, Undecryptable) else json.loads(row.entered or "{}")
    )


def _write(row: Draft, content: dict[str, Any]) -> None:
    if not content:
        row.delete()
        return
    row.entered, row.created_at = json.dumps(content), timezone.now()
    row.size = len(row.entered)
    row.save()
    own = Draft.objects.filter(person=row.person, purpose=PURPOSE).order_by("-created_at", "-pk")
    own.exclude(pk__in=own.values("pk")[:MOST]).delete()
