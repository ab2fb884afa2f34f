"""A worker process of the token tests: 16 threads that all want the token at the same moment.

Arguments: kind of store, its key, the issuer's address. Prints `ready`, waits for a line of input,
and prints the tokens, one for each thread, or the name of the error that it got instead.
"""

import os
import sys
import threading

THREADS = 16


def main(kind: str, key: str, issuer: str) -> None:
    import django

    django.setup()
    from django.db import connection

    from lendingadmin.gateway import stores
    from lendingadmin.lending.errors import LendingError
    from lendingadmin.lending.tokens import TokenSource

    store = (
        stores.RedisTokenStore(key, os.environ["CACHE_URL"])
        if kind == "redis"
        else stores.DatabaseTokenStore(key)
    )
    source = TokenSource(issuer, "account", "hush-hush", store=store)
    gate = threading.Barrier(THREADS + 1)
    values: list[str] = []

    def ask() -> None:
        gate.wait()
        try:
            values.append(source.token().value)
        except LendingError as error:
            values.append(type(error).__name__)
        finally:
            connection.close()

    threads = [threading.Thread(target=ask) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    gate.wait()
    for thread in threads:
        thread.join()
    sys.stdout.write("\n".join(values))


if __name__ == "__main__":
    main(*sys.argv[1:])
