"""A worker process of the token tests: 16 threads that all want the token at the same moment.

Arguments: the client id, the issuer's address. Prints `ready`, waits for a line of input,
and prints the tokens, one for each thread, or the name of the error that it got instead.
"""

import sys
import threading

THREADS = 16


def main(client_id: str, issuer: str) -> None:
    import django

    django.setup()
    from django.db import connection

    from lendingadmin.gateway.models import DatabaseTokenStore
    from lendingadmin.lending.errors import LendingError
    from lendingadmin.lending.tokens import TokenSource

    store = DatabaseTokenStore(issuer, client_id, "platform.lending")
    source = TokenSource(issuer, client_id, "hush-hush", store=store)
    gate = threading.Barrier(THREADS + 1)
    values: list[str] = []

    def ask() -> None:
        gate.wait()
        try:
            values.append(source.get_token().value)
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
