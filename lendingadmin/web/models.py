"""What forms keep between their steps."""

from django.conf import settings
from django.db import models

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
    as JSON: the service's words in it may be personal.
    """

    class State(models.TextChoices):
        """What is known of it; SENT is also what a process that died leaves behind."""

        SENT = "sent", "sent, no answer yet"
        SAVED = "saved", "saved"
        NOT_SAVED = "no", "not saved"
        UNKNOWN = "unknown", "unknown"

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
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [
            models.Index(fields=["person", "-created_at"], name="write_of_person"),
            models.Index(fields=["app_id", "operation", "subject"], name="write_of_subject"),
            models.Index(
                fields=["app_id", "borrower_id"],
                condition=~models.Q(borrower_id=""),
                name="write_of_borrower",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.operation} {self.state}"
