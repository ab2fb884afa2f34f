"""Every action that is recorded has its words, and no words are for nothing."""

import ast
from pathlib import Path

import pytest

import lendingadmin
from lendingadmin.core.audit.messages import (
    ACTIONS,
    describe_action,
    describe_outcome,
    describe_saved,
)
from lendingadmin.core.audit.models import Entry
from lendingadmin.lending.operations import OPERATIONS

HOUSE = Path(lendingadmin.__file__).parent
WRITES = {one.name for one in OPERATIONS.values() if one.method != "GET"}
# A POST that only calculates: nothing is written, so nothing is recorded.
READS = {"borrowers.getOfferContracts"}


def list_strings() -> set[str]:
    """The text constants of all modules that record something, or name an action for one."""
    found = set()
    for file in HOUSE.rglob("*.py"):
        if {"sandbox", "migrations"} & set(file.parts) or file.name == "messages.py":
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


def test_no_words_are_for_an_action_that_nobody_records() -> None:
    assert set(ACTIONS) - WRITES - list_strings() == set()


def test_every_write_of_the_service_has_its_words() -> None:
    assert WRITES - READS - set(ACTIONS) == set()


def list_recorded() -> set[str]:
    """The actions that calls of `record` name by a text or by a constant of their module."""
    found = set()
    for file in HOUSE.rglob("*.py"):
        if "sandbox" in file.parts:
            continue
        tree = ast.parse(file.read_text())
        constants = {
            target.id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or len(node.args) < 2:
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name not in ("record", "_record"):
                continue
            action = node.args[1]
            value = (
                action.value
                if isinstance(action, ast.Constant)
                else constants.get(getattr(action, "id", ""))
            )
            found |= {value} if isinstance(value, str) else set()
    return found


def test_every_recorded_action_has_its_words() -> None:
    recorded = list_recorded()
    assert len(recorded) > 10
    assert recorded - set(ACTIONS) == set()


def test_no_two_actions_have_the_same_words() -> None:
    assert len(set(ACTIONS.values())) == len(ACTIONS)


@pytest.mark.parametrize(
    ("action", "outcome", "saved", "words"),
    [
        ("loans.makeRepayment", "recorded", "yes", ("Recorded a repayment", "Recorded", "")),
        ("sign-in", "done", "", ("Signed in", "Done", "")),
        ("sign-in", "refused", "", ("Tried to sign in", "Refused", "")),
        ("people", "added", "", ("Added a person", "Added", "")),
        ("people", "changed", "", ("Changed a person's account", "Changed", "")),
        ("loans.delete", "no", "no", ("Deleted a loan", "No", "Nothing was saved.")),
        (
            "x",
            "not_sent",
            "unknown",
            ("x", "Not sent", "We don't know yet whether this action was saved."),
        ),
    ],
)
def test_words(action: str, outcome: str, saved: str, words: tuple[str, str, str]) -> None:
    entry = Entry(action=action, outcome=outcome, saved=saved)
    assert (describe_action(entry), describe_outcome(entry), describe_saved(entry)) == words
