"""What is kept for a while and may be lost: signed JSON, never code.

Used codes and quotas are in Django's `default` cache, in the database, where nothing makes room for
anything else. What processes share of the service's answers is in `shared`, where CACHE_URL says,
and so are counters of sign-ins where that is Redis (`counters`).
"""

from django.core.cache import caches
from django.utils.connection import ConnectionProxy

shared = ConnectionProxy(caches, "shared")
