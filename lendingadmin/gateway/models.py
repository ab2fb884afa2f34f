"""What the processes share about the lending service: one token, one lease, one refusal."""

from django.db import models


class ServiceToken(models.Model):
    """The service account's token, and who is renewing it just now.

    One row per service account. `sealed` is encrypted with DATA_KEYS; `serial` names the token in
    it, so that it can be dropped only if it is still that one. Times are Unix times in seconds.
    """

    key = models.CharField(max_length=64, primary_key=True)
    sealed = models.TextField(blank=True)
    serial = models.CharField(max_length=32, blank=True)
    lease_holder = models.CharField(max_length=32, blank=True)
    lease_until = models.FloatField(default=0)
    refusal = models.TextField(blank=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return f"token of {self.key[:8]}"
