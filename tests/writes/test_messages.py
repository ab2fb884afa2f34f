"""Each state of a write and of a repayment has one set of words and looks."""

import pytest
from heroicons.templatetags.heroicons import heroicon_micro, heroicon_outline

from lendingadmin.money.repayments import messages as repayment_messages
from lendingadmin.money.repayments.states import RepaymentState, Resolution
from lendingadmin.money.writes.messages import StateMessage, get_message
from lendingadmin.money.writes.states import WriteFound, WriteResolution, WriteState

TONES = {"", "good", "info", "warn", "bad", "odd"}
OF_REPAYMENTS = [repayment_messages.get_message(state) for state in RepaymentState]
OF_WRITES = [
    *(get_message(state) for state in WriteState),
    *(get_message(WriteState.UNKNOWN, found) for found in WriteFound),
]


@pytest.mark.parametrize("message", OF_REPAYMENTS + OF_WRITES, ids=lambda one: one.title)
def test_it_is_whole(message: StateMessage) -> None:
    assert message.chip.word and message.title and message.sentence and message.saved
    assert message.next
    assert {message.tone, message.chip.tone} <= TONES
    assert heroicon_micro(message.chip.icon) and heroicon_outline(message.icon)


@pytest.mark.parametrize("state", RepaymentState)
def test_the_chip_of_a_repayment_is_the_label_of_its_state(state: RepaymentState) -> None:
    assert repayment_messages.get_message(state).chip.word == state.label


def test_no_two_states_share_a_chip() -> None:
    assert len({message.chip for message in OF_REPAYMENTS}) == len(RepaymentState)


def test_only_what_the_service_or_a_person_says_was_saved_is_saved() -> None:
    saved = {
        state for state in RepaymentState if repayment_messages.get_message(state).saved == "yes"
    }
    assert saved == {RepaymentState.RECORDED}
    assert [state for state in WriteState if get_message(state).saved == "yes"] == ["saved"]
    resolved = repayment_messages.get_message(RepaymentState.RESOLVED, Resolution.RECORDED)
    assert resolved.answer == "yes" != resolved.saved
    resolved = get_message(WriteState.RESOLVED, resolution=WriteResolution.NOT_SAVED)
    assert resolved.answer == "no" != resolved.saved


def test_what_a_sweep_ended_is_not_said_to_be_unsent_for_certain() -> None:
    swept = repayment_messages.get_message(RepaymentState.NOT_SENT, ended_by_sweep=True)
    unsent = repayment_messages.get_message(RepaymentState.NOT_SENT)
    assert swept.answer == unsent.saved == "no" != swept.saved
    assert swept.chip == unsent.chip and swept.title != unsent.title
