"""BORROWER_REQUIRED: how it is read, and what it asks of whom."""

import pytest

from lendingadmin.lending.values import Individual
from lendingadmin.records.borrowers.fields import list_fields
from lendingadmin.records.borrowers.required import (
    REQUIRABLE,
    Required,
    list_missing,
    list_required,
    read_required_fields,
)

USUAL = (("surname", "companyName"), ("phoneNumber",))


def test_every_field_of_a_person_has_a_field_that_can_be_required() -> None:
    lists = {field.name for field in list_fields("biometrics")}
    assert {*REQUIRABLE["individual"]} | lists == {*Individual.api_names.values()}
    assert lists == {"photos", "fingerprints"}


def test_every_field_of_a_company_says_where_a_company_has_it() -> None:
    assert {*REQUIRABLE["company"]} == {"companyName", "phoneNumber", "emailAddress"}
    assert all(map(all, (field.in_company for field in list_fields("company"))))


@pytest.mark.parametrize(
    ("text", "required"),
    [
        ("surname/companyName,phoneNumber", USUAL),
        (" surname / companyName , phoneNumber ,", USUAL),
        ("none", ()),
        ("sex", (("sex",),)),
    ],
)
def test_the_setting(text: str, required: Required) -> None:
    assert read_required_fields(text) == required


@pytest.mark.parametrize("text", ["Surname", "surname/", "phone", "surname,,none", "company.name"])
def test_a_field_that_there_is_not_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is none of: companyName, countryOfResidence"):
        read_required_fields(text)


@pytest.mark.parametrize(
    ("category", "asked"),
    [
        ("individual", [("surname",), ("phoneNumber",), ("governmentIdNo",)]),
        ("company", [("companyName",), ("phoneNumber",)]),
        ("", []),
    ],
)
def test_a_company_is_not_asked_for_what_only_people_have(
    category: str, asked: list[tuple[str, ...]]
) -> None:
    assert list_required((*USUAL, ("governmentIdNo",)), category) == asked


@pytest.mark.parametrize(
    ("category", "given", "missing"),
    [
        ("individual", [], ["surname", "phoneNumber"]),
        ("individual", ["companyName", "phoneNumber"], ["surname"]),
        ("company", ["surname", "phoneNumber"], ["companyName"]),
        ("company", ["companyName", "phoneNumber"], []),
    ],
)
def test_what_is_missing(category: str, given: list[str], missing: list[str]) -> None:
    assert list_missing(USUAL, category, given) == missing


def test_one_of_several_is_enough() -> None:
    either = (("phoneNumber", "emailAddress"),)
    assert list_missing(either, "individual", ["emailAddress"]) == []
    assert list_missing(either, "company", []) == ["phoneNumber"]
