"""Fields that the forms of events have in common."""

from typing import Any

from lendingadmin.ui.moments import MomentField


class SecondField(MomentField):
    """A day and time to the second, in the lender's zone: two events may be a second apart."""

    def __init__(self, **options: Any) -> None:
        super().__init__(seconds=True, **options)
