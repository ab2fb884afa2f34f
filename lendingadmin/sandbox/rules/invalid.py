"""How a rule says that what was sent breaks it."""


class Invalid(ValueError):
    """A sent value that can't be accepted; answered with 400 (spec: Errors).

    `field` is its path in the body (`contract.terms.period`); `reason` reads on from it.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field = field
        self.reason = reason


class RuleBroken(Exception):
    """A well-formed request that the state of a record does not allow; answered with 422."""
