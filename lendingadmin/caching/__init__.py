"""What is kept for a while and may be lost: signed JSON, never code.

Counters of failed sign-ins and used codes are in Django's `default` cache, in the database, where
nothing makes room for anything else. What processes share of the service's answers is in `shared`,
where CACHE_URL says.
"""

from django.core.cache import caches
from django.utils.connection import ConnectionProxy

shared = ConnectionProxy(caches, "shared")
