"""Caches of values that expire and may be lost. They store signed JSON, never code.

Django's `default` cache is in the database and has used codes and quotas. It never removes an entry
to make room for another. The `shared` cache, at the address in CACHE_URL, has values that
all processes share, such as answers of the service and totals of lists. If this address is a Redis
server, the counters of sign-ins are also there (`counters`).
"""

from django.core.cache import caches
from django.utils.connection import ConnectionProxy

shared = ConnectionProxy(caches, "shared")
