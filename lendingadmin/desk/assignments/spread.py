"""How a rule spreads borrowers over officers: by hashes, so that anybody can work it out again."""

from collections.abc import Sequence
from hashlib import blake2b


def choose_officer(borrower_id: str, officer_ids: Sequence[int]) -> int | None:
    """The officer of a borrower among these, whatever their order; None where there is nobody.

    It is the one whose hash with the borrower's id is the highest. So each has a like share, and
    where one leaves or comes, nobody moves between the others.
    """
    key = borrower_id.encode()
    return max(officer_ids, key=lambda officer: _hash(key, officer), default=None)


def _hash(key: bytes, officer_id: int) -> bytes:
    return blake2b(key, digest_size=8, salt=officer_id.to_bytes(8, "big")).digest()
