"""Tables of the audit trail. Entries are only added; no code changes or removes an entry."""

import json
import logging
from collections.abc import Sequence
from typing import Any, NoReturn

from django.conf import settings
from django.db import models, transaction
from django.db.models.functions import Upper
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from lendingadmin.core.audit import chain

#: The handler of this logger writes only the message, without time and level (settings.LOGGING).
logger = logging.getLogger("lendingadmin.core.audit.entries")


class AppendOnly(Exception):
    """Error: an attempt to change or remove an entry of the audit trail."""


class EntryQuerySet(models.QuerySet["Entry"]):
    """Query that reads and adds entries.

    A method that would change or remove entries raises AppendOnly. Each new entry is chained to the
    one before it (chain.py).
    """

    def update(self, **_values: Any) -> NoReturn:
        raise AppendOnly("entries of the audit trail cannot be changed")

    def bulk_update(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise AppendOnly("entries of the audit trail cannot be changed")

    def update_or_create(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise AppendOnly("entries of the audit trail cannot be changed")

    def bulk_create(self, objs: Any, *args: Any, **kwargs: Any) -> list["Entry"]:
        if kwargs.get("update_conflicts"):
            raise AppendOnly("entries of the audit trail cannot be changed")
        entries = list(objs)
        # Without a savepoint: within the caller's transaction this costs no query.
        with transaction.atomic(savepoint=False):
            _chain(entries)
            added = super().bulk_create(entries, *args, **kwargs)
            _log_on_commit(added)
            return added

    def delete(self) -> NoReturn:
        raise AppendOnly("entries of the audit trail cannot be removed")


class Entry(models.Model):
    """One action of a person, as it was known at that moment.

    `username` and `role` are copies, because names and roles change; `user` is the person's row.
    All three are empty if the person was not signed in. For an action of the dashboard itself,
    `username` is `system`.
    """

    at = models.DateTimeField(default=timezone.now, editable=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+", editable=False
    )
    username = models.CharField(max_length=150, blank=True, editable=False)
    role = models.CharField(max_length=150, blank=True, editable=False)
    action = models.CharField(max_length=100, editable=False)
    app_id = models.CharField(max_length=100, blank=True, editable=False)
    subject = models.CharField(max_length=300, blank=True, editable=False)
    outcome = models.CharField(max_length=100, editable=False)
    saved = models.CharField(max_length=10, blank=True, editable=False)
    request_id = models.CharField(max_length=200, blank=True, editable=False)
    detail = models.CharField(max_length=1000, blank=True, editable=False)
    # The address of the page with the record. The record has the details that the trail leaves out.
    url = models.CharField(max_length=300, blank=True, editable=False)
    # Origin of the action: the client's IP address, and its User-Agent, cut to this length.
    address = models.CharField(max_length=45, blank=True, editable=False)
    browser = models.CharField(max_length=200, blank=True, editable=False)
    # Links this entry to the entry before it (chain.py).
    mac = models.CharField(max_length=64, blank=True, editable=False)

    objects = EntryQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = _("entries")
        default_permissions = ()
        # One index for each filter of the page, in the order of the page.
        indexes = [
            models.Index(fields=["at", "id"], name="audit_at"),
            models.Index(Upper("username"), "at", "id", name="audit_person"),
            models.Index(fields=["action", "at", "id"], name="audit_action"),
            models.Index(fields=["app_id", "at", "id"], name="audit_app"),
            # The next two are for the history of one record: by its id, with which the subject
            # begins, and by the address of its page.
            models.Index(
                fields=["subject", "at", "id"],
                opclasses=["varchar_pattern_ops", "", ""],
                name="audit_record",
            ),
            models.Index(fields=["url", "at", "id"], name="audit_url"),
            # For one action on one record. On PostgreSQL only these operators serve “begins with”
            # in every collation of the database.
            models.Index(
                fields=["app_id", "action", "subject"],
                opclasses=["", "", "varchar_pattern_ops"],
                name="audit_subject",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.username or '?'} {self.action} {self.outcome}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Add this entry to the chain. Raise AppendOnly if the entry is already stored."""
        if not self._state.adding:
            raise AppendOnly("entries of the audit trail cannot be changed")
        # Without this, a new object with an old row's id would overwrite that row.
        kwargs["force_insert"] = True
        with transaction.atomic(savepoint=False):
            _chain([self])
            super().save(*args, **kwargs)
            _log_on_commit([self])

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise AppendOnly("entries of the audit trail cannot be removed")


class SuspectedRestore(models.Model):
    """A suspicion that the database was restored to an earlier moment without notice.

    While a suspicion is open, nothing is sent to the service. A suspicion is resolved by the
    command `restored`, or by a person who says that the database was not restored.
    """

    found_at = models.DateTimeField(default=timezone.now)
    resolved_at = models.DateTimeField(null=True, db_index=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"suspected-restore-{self.pk}"


def _chain(entries: Sequence[Entry]) -> None:
    """Lock the chain until the transaction ends, and give new entries their macs."""
    chain.lock_chain()
    previous = Entry.objects.order_by("-pk").values_list("mac", flat=True).first() or ""
    for entry in entries:
        entry.mac = previous = chain.compute_mac(previous, entry)


def _log_on_commit(entries: Sequence[Entry]) -> None:
    """Log each entry after it is committed, if AUDIT_LINES is on: one line of ASCII JSON.

    The lines are for a log host that the dashboard's people cannot reach. An entry that was rolled
    back is not logged.
    """

    def log() -> None:
        for entry in entries:
            content = {field.attname: getattr(entry, field.attname) for field in entry._meta.fields}
            content["at"] = entry.at.isoformat()
            logger.info(json.dumps({name: value for name, value in content.items() if value}))

    if settings.AUDIT_LINES:
        # `robust`, because an error of the log must not look like a failed commit.
        transaction.on_commit(log, robust=True)
