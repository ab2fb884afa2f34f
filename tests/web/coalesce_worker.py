"""A worker process of the coalescing tests: three threads that all want the same at one moment.

Arguments: the service's address, the key. Each thread gives the assessment's id, or the name of
the error that it got.
"""

import sys

import django

from tests.processes import work


def main(url: str, key: str) -> None:
    django.setup()
    from lendingadmin.lending.errors import LendingError
    from lendingadmin.web import coalesce
    from tests.lending.rig import client_to

    assessments = client_to(url).app("kenya").assessments

    def ask() -> str:
        try:
            found, _ = coalesce.read(key, assessments.item, lambda: assessments.get("a-1"))
        except LendingError as error:
            return f"{type(error).__name__}:{error.error_description}"
        return str(found.assessment_id)

    work(3, ask)


if __name__ == "__main__":
    main(*sys.argv[1:])
