"""A worker process of the coalescing tests: three threads that all want the same at one moment.

Arguments: the service's address, the key. Prints `ready`, waits for a line of input, and prints
what each thread got: the assessment's id, or the name of the error.
"""

import sys
import threading

THREADS = 3


def main(url: str, key: str) -> None:
    import django

    django.setup()
    from django.db import connection

    from lendingadmin.lending.errors import LendingError
    from lendingadmin.ui import coalesce
    from tests.lending.rig import client_to

    assessments = client_to(url).app("kenya").assessments
    gate = threading.Barrier(THREADS + 1)
    values: list[str] = []

    def ask() -> None:
        gate.wait()
        try:
            found, _ = coalesce.read(key, assessments.item, lambda: assessments.get("a-1"))
            values.append(str(found.assessment_id))
        except LendingError as error:
            values.append(f"{type(error).__name__}:{error.error_description}")
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
