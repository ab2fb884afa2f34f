"""What forms keep between their steps."""

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone

from lendingadmin.sealing import SealedTextField


class Draft(models.Model):
    """What a person entered in the first step of a form, kept sealed until the last step used it.

    `token` is what makes the form's one-use token unique.
    """

    token = models.CharField(max_length=64, primary_key=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    purpose = models.CharField(max_length=64)
    entered = SealedTextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    def __str__(self) -> str:
        return f"draft for {self.purpose}"


class Write(models.Model):
    """One write that a form led to, committed before the call, under the form's one-use token.

    Repayments have a ledger of their own. `card` is the error card of a write that did not succeed,
    as JSON: the service's words in it may be personal. `meant` is what was to be saved, as JSON,
    kept as long as it may be compared or entered again. `found` is a conclusion from evidence; it
    stands beside the state and never changes it.
    """

    class State(models.TextChoices):
        """What is known of it; SENT is also what a process that died leaves behind."""

        SENT = "sent", "sent, no answer yet"
        SAVED = "saved", "saved"
        NOT_SAVED = "no", "not saved"
        UNKNOWN = "unknown", "unknown"
        SETTLED = "settled", "settled by a person"

    class Found(models.TextChoices):
        """What the service shows of a write whose answer is missing."""

        THERE = "there", "found"
        DIFFERS = "differs", "found otherwise"
        CANDIDATES = "maybe", "found what it may be"
        NOT_SEEN = "absent", "not found so far"

    class Verdict(models.TextChoices):
        """What a person says became of it."""

        SAVED = "saved", "It was saved"
        NOT_SAVED = "no", "It was not saved"

    token = models.CharField(max_length=64, primary_key=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="writes"
    )
    app_id = models.CharField(max_length=64, blank=True)
    operation = models.CharField(max_length=100)
    subject = models.CharField(max_length=300, blank=True)
    # Whose loan it makes, where the subject does not say it.
    borrower_id = models.CharField(max_length=300, blank=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.SENT)
    url = models.CharField(max_length=1000, blank=True)
    card = SealedTextField(blank=True)
    meant = SealedTextField(blank=True)
    # Where a person may take up what was entered.
    again_at = models.CharField(max_length=1000, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    found = models.CharField(max_length=8, choices=Found.choices, blank=True)
    looks_taken = models.PositiveIntegerField(default=0)
    next_look_at = models.DateTimeField(null=True)
    settled_as = models.CharField(max_length=8, choices=Verdict.choices, blank=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    settled_at = models.DateTimeField(null=True)
    settled_reason = SealedTextField(blank=True)

    class Meta:
        indexes = [
            models.Index(fields=["person", "-created_at"], name="write_of_person"),
            models.Index(fields=["app_id", "operation", "subject"], name="write_of_subject"),
            models.Index(
                fields=["app_id", "borrower_id"],
                condition=~models.Q(borrower_id=""),
                name="write_of_borrower",
            ),
            models.Index(
                fields=["app_id", "created_at"],
                condition=models.Q(state__in=("sent", "unknown")),
                name="write_in_doubt",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.operation} {self.state}"

    def get_absolute_url(self) -> str:
        return reverse("write", args=[self.app_id, self.token])

    @property
    def is_open(self) -> bool:
        """Whether its outcome is not known yet."""
        return self.state in (self.State.SENT, self.State.UNKNOWN)


class Look(models.Model):
    """What the service showed of a write whose answer is missing, at one moment.

    `found` is empty where it could not be told, and `why` says why not. `links` are records that
    it leads to, as pairs of words and address.
    """

    write = models.ForeignKey(Write, on_delete=models.CASCADE, related_name="looks")
    taken_at = models.DateTimeField(default=timezone.now)
    found = models.CharField(max_length=8, choices=Write.Found.choices, blank=True)
    why = SealedTextField(blank=True)
    links = models.JSONField(default=list)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.found or 'nothing told'} at {self.taken_at:%H:%M:%S}"
