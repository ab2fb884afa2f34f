"""A moment by which something must be over, on the monotonic clock."""

import time


class Deadline:
    """`seconds` from now; never moves."""

    def __init__(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that remain; 0 once it has passed."""
        return max(0.0, self._end - time.monotonic())

    @property
    def has_passed(self) -> bool:
        """Whether nothing is left."""
        return self.left == 0.0
