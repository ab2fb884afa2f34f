"""Times in the nights in which clocks are changed: offered twice, or refused, in the same words."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib import import_module
from pkgutil import walk_packages
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django import forms
from django.utils import timezone

import lendingadmin
from lendingadmin.records.borrowers import fields
from lendingadmin.records.borrowers.wirefields import WireField
from lendingadmin.web.display.times import instants, offset_words, typed_moment
from lendingadmin.web.fields import moment_field
from lendingadmin.web.moments import MomentField

BERLIN = ZoneInfo("Europe/Berlin")
TWICE, NEVER = "2025-10-26T02:30", "2026-03-29T02:30"
SUMMER, WINTER = (
    datetime(2025, 10, 26, 0, 30, tzinfo=UTC),
    datetime(2025, 10, 26, 1, 30, tzinfo=UTC),
)
BOTH = "02:30 summer time (UTC+2) or 02:30 winter time (UTC+1)"
GONE = "02:30 does not exist in Berlin time"


@pytest.fixture
def in_berlin() -> Iterator[None]:
    with timezone.override(BERLIN):
        yield


def second_field() -> MomentField:
    return MomentField(seconds=True)


def wire_field(raw: object = None) -> WireField:
    started = next(field for field in fields.FIELDS if field.kind == "moment")
    return WireField(started, raw)


FIELDS: list[Callable[[], forms.Field]] = [moment_field, second_field, wire_field]


def form_of(field: forms.Field, data: dict[str, str], **options: Any) -> forms.Form:
    return type("Form", (forms.Form,), {"at": field})(data or None, **options)


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.usefixtures("in_berlin")
class TestEveryField:
    def test_a_time_that_comes_twice_is_offered_twice(self, field: Any) -> None:
        form = form_of(field(), {"at": TWICE})
        assert BOTH in form.errors["at"][0]
        html = str(form["at"])
        assert re.findall(r'<option value="([^"]*)" >([^<]*)<', html) == [
            ("+02:00", "02:30 summer time (UTC+2)"),
            ("+01:00", "02:30 winter time (UTC+1)"),
        ]
        assert f'value="{TWICE}' in html

    @pytest.mark.parametrize(("offset", "meant"), [("+02:00", SUMMER), ("+01:00", WINTER)])
    def test_what_is_chosen_counts_and_stays(
        self, field: Any, offset: str, meant: datetime
    ) -> None:
        form = form_of(field(), {"at": TWICE, "at-offset": offset})
        assert form.is_valid()
        found = form.cleaned_data["at"]
        assert (datetime.fromisoformat(found) if isinstance(found, str) else found) == meant
        assert f'<option value="{offset}" selected>' in str(form["at"])

    @pytest.mark.parametrize("offset", ["+05:00", "nonsense", ""])
    def test_another_choice_is_none(self, field: Any, offset: str) -> None:
        assert not form_of(field(), {"at": TWICE, "at-offset": offset}).is_valid()

    def test_a_choice_left_from_before_does_not_move_another_time(self, field: Any) -> None:
        form = form_of(field(), {"at": "2025-10-27T02:30", "at-offset": "+02:00"})
        assert form.is_valid()
        found = form.cleaned_data["at"]
        at = datetime.fromisoformat(found) if isinstance(found, str) else found
        assert at == datetime(2025, 10, 27, 1, 30, tzinfo=UTC)
        assert "<select" not in str(form["at"])

    def test_a_time_that_does_not_exist_is_refused(self, field: Any) -> None:
        form = form_of(field(), {"at": NEVER, "at-offset": "+01:00"})
        assert GONE in form.errors["at"][0]


@pytest.mark.parametrize(("offset", "meant"), [("+02:00", SUMMER), ("+01:00", WINTER)])
@pytest.mark.usefixtures("in_berlin")
def test_a_form_that_starts_with_such_a_time_shows_which_it_is(
    offset: str, meant: datetime
) -> None:
    chosen = f'<option value="{offset}" selected>'
    assert chosen in str(form_of(moment_field(), {}, initial={"at": meant})["at"])
    raw = meant.isoformat().replace("+00:00", ".250Z")
    assert chosen in str(form_of(wire_field(raw), {})["at"])
    # Left as it is, it goes back to the last digit.
    same = form_of(wire_field(raw), {"at": f"{TWICE}:00", "at-offset": offset})
    assert same.is_valid() and same.cleaned_data["at"] == raw


def _named(summer: str, winter: str) -> list[str]:
    return [f"summer time (UTC{summer})", f"winter time (UTC{winter})"]


@pytest.mark.parametrize(
    ("zone", "typed", "words"),
    [
        ("Europe/Berlin", datetime(2026, 10, 25, 2, 30), _named("+2", "+1")),
        ("America/Santiago", datetime(2026, 4, 4, 23, 30), _named("-3", "-4")),
        ("Australia/Lord_Howe", datetime(2026, 4, 5, 1, 45), _named("+11", "+10:30")),
        # It changed its clocks for good, which was no season's.
        ("Africa/Juba", datetime(2021, 1, 31, 23, 30), ["UTC+3", "UTC+2"]),
        ("Africa/Nairobi", datetime(2026, 10, 25, 2, 30), ["UTC+3"]),
    ],
)
def test_the_two_are_named(zone: str, typed: datetime, words: list[str]) -> None:
    assert [offset_words(one) for one in instants(typed, ZoneInfo(zone))] == words


def test_what_was_typed_is_shown_with_which_of_the_two_it_is() -> None:
    assert typed_moment(WINTER, BERLIN) == "26 Oct 2025, 02:30 winter time (UTC+1)"
    assert typed_moment(datetime(2025, 10, 27, tzinfo=UTC), BERLIN) == "27 Oct 2025, 01:00"


def forms_of(kind: type[forms.BaseForm]) -> Iterator[type[forms.BaseForm]]:
    for one in kind.__subclasses__():
        yield one
        yield from forms_of(one)


def moments_in_forms() -> list[tuple[str, forms.Field]]:
    """Every field of a form of the product in which a person types a day and a time.

    The admin's forms of people have none: it shows when an account was made and used, no more.
    """
    for module in walk_packages(lendingadmin.__path__, "lendingadmin."):
        if module.name.rpartition(".")[2] in ("forms", "rows", "samples"):
            import_module(module.name)
    found = [
        (f"{form.__module__.removeprefix('lendingadmin.')}.{form.__name__}.{name}", field)
        for form in forms_of(forms.BaseForm)
        if form.__module__.startswith("lendingadmin.") and ".staff." not in form.__module__
        for name, field in form.base_fields.items()
        if isinstance(field, forms.DateTimeField)
        or getattr(field.widget, "input_type", "") == "datetime-local"
    ]
    of_borrowers = [field for field in fields.FIELDS if field.kind == "moment"]
    found += [(f"borrowers.{field.form_name}", WireField(field, None)) for field in of_borrowers]
    return sorted(found)


@pytest.mark.usefixtures("in_berlin")
def test_every_form_gives_the_same_answer_in_the_nights_of_changed_clocks() -> None:
    found = moments_in_forms()
    areas = {part for name, _ in found for part in name.split(".")[:2]}
    assert areas >= {"repayments", "loans", "offers", "assessments", "events", "borrowers"}
    answers = {}
    for name, field in found:
        for typed in (NEVER, f"{NEVER}:00", TWICE, f"{TWICE}:00"):
            with pytest.raises(forms.ValidationError) as refused:
                field.clean(typed)
            answers.setdefault((typed[:16], *refused.value.messages), []).append(name)
    assert {key[0] for key in answers} == {NEVER, TWICE}
    assert len(answers) == 2, answers
