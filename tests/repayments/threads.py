"""Many at once."""

import threading
from collections.abc import Callable

from django.db import connection


def at_once(count: int, act: Callable[[int], object]) -> list[object]:
    """Run the act in so many threads that start together; an exception is a result too."""
    results: list[object] = []
    start = threading.Barrier(count)

    def run(number: int) -> None:
        start.wait()
        try:
            results.append(act(number))
        except Exception as error:
            results.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
