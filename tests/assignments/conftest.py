from tests.collections.conftest import hours, make_service

__all__ = ["hours", "make_service"]
