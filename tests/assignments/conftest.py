from tests.collections.conftest import boss, desk, service

__all__ = ["boss", "desk", "service"]
