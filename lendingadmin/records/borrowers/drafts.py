"""Draft of an edit: the record when the form was opened, and the entered data."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from django.http import QueryDict

from lendingadmin.lending.codec import decode, encode
from lendingadmin.money.writes import idempotency
from lendingadmin.web.requests import PersonRequest

PURPOSE = "borrowers.patch"

Raw = Mapping[str, object]


@dataclass(frozen=True, repr=False)
class Draft:
    """Draft of an edit. `base` is the record to change, and `shown` are the form's initial values.

    They differ only if the edit was moved to a newer version of the record. `sent` is the form as
    last submitted. `patch` has the changes that the form makes; it is empty until the form is
    valid.
    """

    app_id: str
    borrower_id: str
    base: Raw
    shown: Raw
    sent: str = ""
    patch: Raw = field(default_factory=dict)

    @property
    def entered(self) -> QueryDict | None:
        """The form as last submitted; None before that."""
        return QueryDict(self.sent, encoding="utf-8") if self.sent else None

    def keep(self, request: PersonRequest, idempotency_key: str) -> None:
        """Save the draft, encrypted, under the form's idempotency key. May raise OverQuota."""
        idempotency.save_draft(
            request,
            PURPOSE,
            idempotency_key,
            {
                "app_id": self.app_id,
                "borrower_id": self.borrower_id,
                "base": encode(self.base).decode(),
                "shown": encode(self.shown).decode(),
                "sent": self.sent,
                "patch": encode(self.patch).decode(),
            },
        )

    def carried_over(self, now: Raw) -> "Draft":
        """Return a draft that makes the same changes to `now`, the current record."""
        shown = {**now, **self.patch}
        mine, person = self.patch.get("individual"), now.get("individual")
        before = self.base.get("individual")
        if isinstance(mine, Mapping) and isinstance(person, Mapping):
            old = before if isinstance(before, Mapping) else {}
            changed = {key: value for key, value in mine.items() if old.get(key) != value}
            shown["individual"] = {**person, **changed}
        return replace(self, base=now, shown=shown, sent="", patch={})


def taken_up(
    request: PersonRequest, app_id: str, borrower_id: str, idempotency_key: str
) -> Draft | None:
    """Return the person's draft for this borrower and idempotency key; None if there is none."""
    kept = idempotency.load_draft(request, PURPOSE, idempotency_key) if idempotency_key else None
    if kept is None or (kept["app_id"], kept["borrower_id"]) != (app_id, borrower_id):
        return None
    base, shown, patch = (_object(kept[name]) for name in ("base", "shown", "patch"))
    return Draft(app_id, borrower_id, base, shown, kept["sent"], patch)


def _object(text: str) -> Raw:
    value = decode(text.encode())
    return value if isinstance(value, Mapping) else {}
