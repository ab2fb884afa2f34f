"""Notes about a borrower or one of the borrower's loans, with versions and mentioned people."""

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from lendingadmin.core.encryption import EncryptedTextField
from lendingadmin.core.staff.models import PersonField
from lendingadmin.lending.ids import account_id

LONGEST_ID = 255


class Note(models.Model):
    """Note of a person about a borrower, or about the borrower's loan `account_id`.

    The text is in the versions. A deleted note still has its author, the person who deleted it and
    the time, but no texts. A note that was erased, on request or by age, has no text and no
    `deleted_by`.
    """

    app_id = models.CharField(max_length=64)
    borrower_id = models.CharField(max_length=LONGEST_ID)
    account_id = models.CharField(max_length=LONGEST_ID, blank=True)
    author = PersonField(related_name="notes")
    created_at = models.DateTimeField(default=timezone.now)
    is_pinned = models.BooleanField(default=False)
    deleted_at = models.DateTimeField(null=True)
    deleted_by = PersonField(null=True, db_index=False)

    class Meta:
        indexes = [
            # For the timelines.
            models.Index(fields=["app_id", "borrower_id", "created_at"], name="note_of_borrower"),
            models.Index(
                fields=["app_id", "account_id", "created_at"],
                condition=~Q(account_id=""),
                name="note_of_loan",
            ),
            # Few rows are in this index: the notes on the pages of the borrower, the loan and a
            # review.
            models.Index(
                fields=["app_id", "borrower_id"], condition=Q(is_pinned=True), name="note_pinned"
            ),
            models.Index(
                fields=["deleted_by"],
                condition=Q(deleted_by__isnull=False),
                name="note_deleted_by",
            ),
        ]

    def __str__(self) -> str:
        return f"note-{self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("note", args=[self.app_id, self.pk])

    @property
    def trail_subject(self) -> str:
        """The account id of the loan, or of the borrower, for entries in the audit trail."""
        return self.account_id or account_id(self.borrower_id)

    @property
    def newest(self) -> "NoteVersion":
        """The version with the highest number."""
        return list(self.versions.all())[-1]


class NoteVersion(models.Model):
    """One version of a note. A change creates a new version."""

    note = models.ForeignKey(Note, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    # The key of the form, which is unique, so that a double click does not save twice.
    idempotency_key = models.CharField(max_length=64, unique=True)
    text = EncryptedTextField(blank=True, bound_to=["idempotency_key"])
    author = PersonField(db_index=False)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["note", "number"], name="note_version_once")]
        indexes = [
            # For the erasure of old texts.
            models.Index(
                fields=["created_at"], condition=~Q(text=""), name="note_version_with_text"
            ),
        ]

    def __str__(self) -> str:
        return f"version {self.number} of {self.note}"


class Mention(models.Model):
    """A person whom a note names with `@`.

    The home page shows the note until the person sees it.
    """

    note = models.ForeignKey(Note, on_delete=models.CASCADE, related_name="mentions")
    person = PersonField(db_index=False)
    seen_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["note", "person"], name="mention_once")]
        indexes = [
            models.Index(
                fields=["person", "id"], condition=Q(seen_at__isnull=True), name="mention_unseen"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.person} in {self.note}"
