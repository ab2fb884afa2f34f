"""The client of the Lending Service, all of its 19 operations. It knows no web framework.

    tokens = TokenSource(auth_url, client_id, client_secret)
    client = LendingClient(base_url, project_id, tokens)
    loan = client.app("kenya").loans.get("L-1")

Values are in `values`, errors in `errors`, the facts of each operation in `operations`.
"""

from lendingadmin.lending.client import AppClient, LendingClient
from lendingadmin.lending.errors import LendingError, Saved
from lendingadmin.lending.operations import OPERATIONS, Operation
from lendingadmin.lending.pages import Page
from lendingadmin.lending.tokens import TokenSource

from .parallel import read_in_parallel

__all__ = [
    "OPERATIONS",
    "AppClient",
    "LendingClient",
    "LendingError",
    "Operation",
    "Page",
    "Saved",
    "TokenSource",
    "read_in_parallel",
]
