"""What tests of writes share with those of all pages."""

from tests.ui.conftest import proxy

__all__ = ["proxy"]
