"""A worker process of the token tests: 16 threads that all want the token at the same moment.

Arguments: the client id, the issuer's address. Each thread gives its token, or the name of the
error that it got instead.
"""

import sys

import django

from tests.processes import work


def main(client_id: str, issuer: str) -> None:
    django.setup()
    from lendingadmin.core.gateway.models import DatabaseTokenStore
    from lendingadmin.lending.errors import LendingError
    from lendingadmin.lending.tokens import TokenSource

    store = DatabaseTokenStore(issuer, client_id, "platform.lending")
    source = TokenSource(issuer, client_id, "hush-hush", store=store)

    def ask() -> str:
        try:
            return source.get_token().value
        except LendingError as error:
            return type(error).__name__

    work(16, ask)


if __name__ == "__main__":
    main(*sys.argv[1:])
