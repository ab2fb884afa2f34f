"""What tests of writes share with those of all pages."""

from tests.web.conftest import proxy

__all__ = ["proxy"]
