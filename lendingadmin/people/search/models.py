"""Records that people opened last, and counts of their searches."""

from django.conf import settings
from django.db import models

from .kinds import KINDS

LONGEST_ID = 300


class Opened(models.Model):
    """A record that a person opened: the id and the time, without data of the record."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    app_id = models.CharField(max_length=64)
    kind = models.CharField(max_length=16)
    key = models.CharField(max_length=LONGEST_ID)
    at = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["person", "app_id", "kind", "key"], name="opened_thing_once"
            )
        ]
        indexes = [models.Index(fields=["person", "app_id", "-at"], name="opened_last")]

    def __str__(self) -> str:
        return f"{self.kind} {self.at:%H:%M:%S}"

    def get_absolute_url(self) -> str:
        return KINDS[self.kind].url(self.app_id, self.key)


class SearchCount(models.Model):
    """Number of searches that a person made in an app in one hour; the words are not saved."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    app_id = models.CharField(max_length=64)
    hour = models.DateTimeField()
    count = models.PositiveIntegerField(default=0)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["hour", "person", "app_id"], name="search_count_once_an_hour"
            )
        ]

    def __str__(self) -> str:
        return f"{self.app_id}: {self.count}"
