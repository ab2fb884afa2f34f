"""Table of cached values."""

from django.db import models


class Kept(models.Model):
    """A value under its key, as signed JSON, until it expires."""

    key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.key
