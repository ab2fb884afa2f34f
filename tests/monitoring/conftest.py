"""The proxy before the sandbox that the shared pages have, too."""

from tests.web.conftest import proxy

__all__ = ["proxy"]
