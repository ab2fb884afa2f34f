"""Storage for forms between their steps."""

from datetime import timedelta

from django.conf import settings
from django.db import models
from django.db.models import Min, Sum
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.core.encryption import EncryptedTextField
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.retention import Table

from .quotas import OverQuota


class Draft(models.Model):
    """Input from the first step of a form, saved encrypted until the last step has used it.

    `token` is the form's idempotency key, `size` is the length of the text in `entered`.
    """

    KEPT_FOR = timedelta(hours=settings.SESSION_HOURS)
    # The most text in the drafts of one person, in characters. The changes and offers of a day have
    # about ten million.
    MOST_KEPT = 50_000_000

    token = models.CharField(max_length=64, primary_key=True)
    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    purpose = models.CharField(max_length=64)
    entered = EncryptedTextField(blank=True, bound_to=["token"])
    size = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        # From this index, the database adds up the sizes of a person's drafts without reading long
        # texts.
        indexes = [models.Index(fields=["person", "token", "size"], name="draft_size")]

    def __str__(self) -> str:
        return f"draft for {self.purpose}"

    @classmethod
    def check_room(cls, person: User, token: str, size: int) -> None:
        """Raise OverQuota if this draft would exceed the person's limit for all drafts.

        No draft is deleted to make room, because a person may still need it. Unfinished drafts are
        deleted at the age KEPT_FOR.
        """
        others = cls.objects.filter(person=person).exclude(token=token)
        if (others.aggregate(kept=Sum("size"))["kept"] or 0) + size <= cls.MOST_KEPT:
            return
        oldest = others.aggregate(at=Min("created_at"))["at"] or timezone.now()
        left = oldest + cls.KEPT_FOR - timezone.now()
        raise OverQuota(
            _("You have too many unfinished forms. Finish some of your open forms first."),
            max(60, int(left.total_seconds())),
        )


TABLES = [
    Table(
        gettext_noop("unfinished forms"),
        "ui.Draft",
        find_over=lambda: models.Q(created_at__lt=timezone.now() - Draft.KEPT_FOR),
    )
]
