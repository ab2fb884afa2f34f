"""The errors that a rule raises about sent data."""


class Invalid(ValueError):
    """A sent value that can't be accepted; answered with 400 (spec: Errors).

    `field` is its path in the body (`contract.terms.period`); `reason` continues the sentence.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class RuleBroken(Exception):
    """A well-formed request that the state of a record does not allow; answered with 422."""


class NotFound(Exception):
    """A record that does not exist, named by its kind and id; answered with 404."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} does not exist")


class AlreadyExists(Exception):
    """A record that can't be created, because it already exists; answered with 409."""
