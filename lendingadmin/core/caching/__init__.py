"""Caches of values that expire and may be lost. They hold signed JSON, never code.

Used codes and quotas are in Django's `default` cache, in the database. No entry there is removed to
make room for another entry. The service's answers that processes share are in `shared`, at the
address in CACHE_URL. The counters of sign-ins are also there if that address is of Redis
(`counters`).
"""

from django.core.cache import caches
from django.utils.connection import ConnectionProxy

shared = ConnectionProxy(caches, "shared")
