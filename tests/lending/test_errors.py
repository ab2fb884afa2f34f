"""Which error a status means, what it carries, and whether anything may have been saved."""

import pytest

from lendingadmin.lending import errors
from lendingadmin.lending.errors import (
    InvalidId,
    NotSent,
    Saved,
    Throttled,
    Unreachable,
    error_for_status,
)
from lendingadmin.lending.operations import OPERATIONS

_SAID_NO = {400, 401, 403, 404, 422, 429}
_CLASSES = {
    400: errors.BadRequest,
    401: errors.TokenRefused,
    403: errors.NotAllowed,
    404: errors.NotFound,
    409: errors.Conflict,
    413: errors.BadRequest,
    415: errors.BadRequest,
    422: errors.BadRequest,
    429: errors.RateLimited,
}
_ALL = [*range(300, 600), 600, 999]


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=list(OPERATIONS))
def test_saved_is_exactly_what_the_design_says(operation) -> None:
    reads = {"borrowers.getOfferContracts"} | {
        name for name, one in OPERATIONS.items() if one.method == "GET"
    }
    for status in _ALL:
        said_no = status in _SAID_NO or (status == 409 and operation.name.endswith(".create"))
        expected = Saved.NO if said_no or operation.name in reads else Saved.UNKNOWN
        assert error_for_status(operation, status).saved is expected, status


@pytest.mark.parametrize("status", _ALL)
def test_every_status_has_a_class(status: int) -> None:
    error = error_for_status(OPERATIONS["loans.makeRepayment"], status)
    assert type(error) is _CLASSES.get(status, errors.ServiceFault)
    assert error.status == status


def test_an_error_carries_what_people_and_logs_need() -> None:
    said = "Jane may not"
    error = error_for_status(
        OPERATIONS["loans.makeRepayment"],
        403,
        error_description=said,
        request_id="r-1",
    )
    assert isinstance(error, errors.NotAllowed)
    assert error.scopes == ("platform.lending", "platform.lending:write")
    assert error.permission == "lending.loans.makeRepayment"
    assert (error.operation, error.request_id) == ("loans.makeRepayment", "r-1")
    assert error.error_description == said
    assert "Jane" not in str(error) + repr(error)
    assert str(error) == f"loans.makeRepayment: 403: {error.message}"


def test_rate_limits_carry_their_time() -> None:
    error = error_for_status(OPERATIONS["loans.list"], 429, retry_after=7.0)
    assert isinstance(error, errors.RateLimited)
    assert error.retry_after == 7.0


def test_what_was_never_sent_saved_nothing() -> None:
    unsent = (Unreachable(), Throttled(), NotSent(), InvalidId())
    assert {error.saved for error in unsent} == {Saved.NO}
    assert isinstance(InvalidId(), ValueError)
    assert NotSent("Too late.").message == "Too late."


@pytest.mark.parametrize(
    "kind",
    [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, Exception)],
    ids=lambda kind: kind.__name__,
)
def test_every_class_has_a_sentence_for_people(kind: type[errors.LendingError]) -> None:
    message = kind().message
    assert message.endswith(".") and message[0].isupper()
    assert not {"HTTP", "JSON", "socket", "exception"} & set(message.replace(".", "").split())


@pytest.mark.parametrize(
    "kind", ["BadRequest", "NotAccepted", "NotAllowed", "NotFound", "RateLimited"]
)
def test_what_was_refused_was_not_saved_whoever_says_so(kind: str) -> None:
    assert getattr(errors, kind)(operation="events.list").saved == errors.Saved.NO
