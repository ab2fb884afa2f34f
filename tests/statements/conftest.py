from tests.repayments.conftest import service

__all__ = ["service"]
