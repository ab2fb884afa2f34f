"""Functions that add entries to the audit trail."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Required, TypedDict, TypeVar, Unpack

from django.conf import settings
from django.db import models, transaction
from django.http import HttpRequest
from django.utils.translation import override

from lendingadmin.core.audit.origin import describe_operator, read_origin
from lendingadmin.core.encryption import bind

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from lendingadmin.core.audit.models import Entry
    from lendingadmin.core.staff.models import User

Row = TypeVar("Row", bound=models.Model)

SYSTEM = "system"
LONGEST_URL = 300


class EntryTexts(TypedDict, total=False):
    """Texts of an entry, except the person and the action. A text that is missing is empty."""

    outcome: Required[str]
    app_id: str
    subject: str
    saved: str
    request_id: str
    detail: str
    url: str


def record(
    actor: "HttpRequest | User | AnonymousUser | None", action: str, **texts: Unpack[EntryTexts]
) -> "Entry":
    """Append one entry and return it; `build_entry` describes its content.

    All entries have one order, so no other entry is added until the caller's transaction ends. Call
    this function after the transaction has changed, or locked, all of its rows. Otherwise two
    transactions may block each other: one has added an entry and waits for a row, and the other has
    locked this row and waits to add an entry.
    """
    entry = build_entry(actor, action, **texts)
    entry.save()
    return entry


def record_all(entries: "Sequence[Entry]") -> None:
    """Append entries of `build_entry` together, in this order. The rules of `record` apply."""
    from lendingadmin.core.audit.models import Entry

    Entry.objects.bulk_create(entries)


def record_about(
    row: Any,
    by: "User | None",
    action: str,
    outcome: str,
    *,
    detail: str = "",
) -> "Entry":
    """Append an entry about one of our rows and return it. The rules of `record` apply.

    The app and the page come from the row. The subject is the row's `trail_subject`, or `str(row)`
    if the row has none.
    """
    has_page = hasattr(row, "get_absolute_url")
    return record(
        by,
        action,
        app_id=row.app_id,
        subject=getattr(row, "trail_subject", str(row)),
        outcome=outcome,
        saved="yes",
        detail=detail,
        url=row.get_absolute_url() if has_page else "",
    )


def build_entry(
    actor: "HttpRequest | User | AnonymousUser | None", action: str, **texts: Unpack[EntryTexts]
) -> "Entry":
    """Return an entry that is not stored yet.

    `actor` is the request or the person; None means the system itself (a command). `action` is the
    name of a permission, or a word of the dashboard (`sign-in`). `outcome` is the result in one or
    two words. `saved` is `yes`, `no` or `unknown` for a write to the service. `request_id` is the
    id that the service gave to the request. `subject` and `detail` must contain no secret and no
    personal content: a reason that a person entered is stored encrypted with the record, and `url`
    is the address of the record's page. A text that is too long for its column is cut; a `url` that
    is too long is left out. The address and the browser are those of the request, or of the
    person's current request.
    """
    # Django loads this package before its models may be imported.
    from lendingadmin.core.audit.models import Entry
    from lendingadmin.core.staff.models import User

    person = getattr(actor, "user", None) if isinstance(actor, HttpRequest) else actor
    known = person if isinstance(person, User) else None
    with override(settings.LANGUAGE_CODE):
        role = known.role if known else ""
    origin = read_origin(actor if isinstance(actor, HttpRequest) else known)
    url = texts.get("url", "")
    values = {
        **texts,
        "username": known.username if known else SYSTEM if actor is None else "",
        "role": role,
        "action": action,
        "url": url if len(url) <= LONGEST_URL else "",
        "address": origin.address,
        "browser": origin.browser,
    }
    return Entry(
        user=known,
        # PostgreSQL refuses NUL in text.
        **{
            field.name: str(values[field.name]).replace("\x00", "")[: field.max_length]
            for field in Entry._meta.fields
            if field.name in values
        },
    )


def record_command(command: str, *, app_id: str = "", detail: str = "") -> "Entry":
    """Append an entry for a server command that changed something, with the operator's name."""
    detail = "; ".join(filter(None, (detail, describe_operator())))
    texts: EntryTexts = {"subject": command, "outcome": "done", "saved": "yes", "detail": detail}
    return record(None, "command", **(texts | {"app_id": app_id}))


def transition(
    row: Row,
    starts: "models.QuerySet[Row]",
    changes: Mapping[str, Any],
    *,
    by: "User | None",
    action: str,
    outcome: str,
    detail: str = "",
) -> bool:
    """Change a row if the stored row is still in `starts`, and record the change in the trail.

    Return True if the row was changed. One query checks and changes the row (compare-and-swap). The
    object `row` in memory does not change.
    """
    with transaction.atomic():
        is_changed = bool(starts.filter(pk=row.pk).update(**bind(row, **changes)))
        if is_changed:
            record_about(row, by, action, outcome, detail=detail)
    return is_changed
