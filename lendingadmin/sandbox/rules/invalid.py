"""Errors that a rule raises about the data of a request."""


class Invalid(ValueError):
    """Error: a value in the request is not accepted; the answer has the status 400 (Spec: Errors).

    `field` is the path of the value in the body (`contract.terms.period`). `reason` continues the
    sentence.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class RuleBroken(Exception):
    """Error: the state of a record does not allow a request; the answer has the status 422."""


class NotFound(Exception):
    """Error: there is no such record; the answer has the status 404 and names kind and id."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} does not exist")


class AlreadyExists(Exception):
    """Error: the record exists already; the answer has the status 409."""
