"""A transaction id is the same in other case, spacing, dash or width."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments import lookalikes, sending, services
from lendingadmin.money.repayments.models import normalise_external_id
from lendingadmin.money.repayments.services import Request
from lendingadmin.money.repayments.states import RepaymentState
from tests.repayments.rows import row
from tests.repayments.service import LoanService

pytestmark = pytest.mark.django_db(transaction=True)
Asked = Callable[..., Request]

TYPED = "QX12-34AB"
SAME = (
    "qx12-34ab",
    "QX1234AB",
    "QX12 34AB",
    "QX12\u201334AB",
    "QX12\u00ad34AB",
    "\uff31\uff3812-34AB",
    "QX12/34.AB",
    "QX12\u00a034AB",
)


@pytest.mark.parametrize("code", SAME)
def test_the_same_code_is_recorded_once_on_a_loan(
    service: LoanService, support: User, asked: Asked, code: str
) -> None:
    first = sending.record(asked(external_id=TYPED), support, "form-1")
    with pytest.raises(services.DuplicateExternalId) as live:
        sending.record(asked(external_id=code, amount=Decimal(9)), support, "form-2")
    assert live.value.other == first
    assert service.asked == 1


@pytest.mark.parametrize("code", SAME)
def test_the_same_code_on_another_loan_is_a_look_alike(
    service: LoanService, support: User, asked: Asked, code: str
) -> None:
    first = sending.record(asked(external_id=TYPED), support, "form-1")
    elsewhere = asked(external_id=code, account_id="L-9", borrower_id="B-9", amount=Decimal(9))
    assert lookalikes.look_alikes(elsewhere, "form-2") == [first]


@pytest.mark.parametrize("code", SAME)
def test_sending_what_was_given_up_in_another_spelling_asks_for_the_tick(
    support: User, asked: Asked, code: str
) -> None:
    row(support, RepaymentState.NOT_FOUND, account_id="L-1", external_id=TYPED)
    with pytest.raises(services.MayDouble):
        services.create_intent(asked(external_id=code), support, "this form", agreed=False)


def test_a_code_is_sent_as_it_was_typed(service: LoanService, support: User, asked: Asked) -> None:
    sending.record(asked(external_id=" QX12\u201334ab "), support, "form-1")
    assert service.posted[0]["externalId"] == "QX12\u201334ab"


@pytest.mark.parametrize(
    ("one", "other"), [("QX1234", "QX1235"), ("-", "--"), ("a-", "b-"), ("1.5", "1.6")]
)
def test_other_codes_stay_apart(one: str, other: str) -> None:
    assert normalise_external_id(one) != normalise_external_id(other)


@given(st.text(min_size=1, max_size=255))
def test_normalising_twice_changes_nothing_and_fits_its_column(text: str) -> None:
    once = normalise_external_id(text)
    assert normalise_external_id(once) == once
    assert len(once) <= 255


@given(st.from_regex(r"[A-Za-z0-9]{1,300}", fullmatch=True))
def test_an_id_of_letters_and_figures_alone_is_the_one_with_dashes(text: str) -> None:
    assert normalise_external_id(text) == normalise_external_id(f"-{text}")
