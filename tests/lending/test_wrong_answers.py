"""Answers of another shape than the spec: what is unreadable, and whether anything was saved."""

import pytest

from lendingadmin.lending.errors import NotFound, Saved, ServiceFault, Unreadable
from lendingadmin.lending.operations import OPERATIONS
from tests.faults.behaviours import empty, html, refusal, reply, reset_during
from tests.lending.cases import BY_NAME, CASES, answer

OBJECTS = [case for case in CASES if not case.name.endswith((".list", ".delete", "Contracts"))]
WRONG_FOR_OBJECT = ["[]", "null", '"done"', "7", "true", ""]


@pytest.mark.parametrize("case", OBJECTS, ids=[case.name for case in OBJECTS])
@pytest.mark.parametrize("body", WRONG_FOR_OBJECT)
def test_an_answer_that_is_no_object_is_unreadable(service, client, case, body):
    service.default = reply(body, headers={"X-Request-Id": "req-9"})

    with pytest.raises(Unreadable) as raised:
        case.call(client)

    operation = OPERATIONS[case.name]
    assert raised.value.operation == case.name
    assert raised.value.status == 200
    assert raised.value.request_id == "req-9"
    assert raised.value.saved == (Saved.NO if operation.is_read else Saved.UNKNOWN)


LISTS = [case for case in CASES if case.name.endswith(".list")]


@pytest.mark.parametrize("case", LISTS, ids=[case.name for case in LISTS])
@pytest.mark.parametrize(
    "shape",
    [
        lambda key: {},
        lambda key: {key: None},
        lambda key: {key: {}},
        lambda key: {key: "none"},
        lambda key: {key + "s": []},
        lambda key: [],
        lambda key: {key: [], "nextPageToken": {"page": 2}},
    ],
)
def test_a_list_without_its_collection_is_unreadable(service, client, case, shape):
    service.default = answer(shape(OPERATIONS[case.name].collection))

    with pytest.raises(Unreadable) as raised:
        case.call(client)

    assert raised.value.operation == case.name
    assert raised.value.saved is Saved.NO


@pytest.mark.parametrize("body", ['{"contracts": []}', "null", "", "7"])
def test_a_preview_that_is_no_array_is_unreadable_and_saved_nothing(service, client, body):
    service.default = reply(body)

    with pytest.raises(Unreadable) as raised:
        BY_NAME["borrowers.getOfferContracts"].call(client)

    assert raised.value.saved is Saved.NO


@pytest.mark.parametrize("name", ["borrowers.delete", "loans.delete"])
@pytest.mark.parametrize(
    "done", [empty(200), empty(204), reply("deleted"), reply("{}"), reply("null"), html()]
)
def test_a_delete_is_done_whatever_the_2xx_holds(service, client, name, done):
    service.default = done

    assert BY_NAME[name].call(client) is None


@pytest.mark.parametrize("name", ["borrowers.delete", "loans.delete"])
def test_a_delete_that_was_refused_or_broke_is_not_done(service, client, name):
    service.default = refusal(404)
    with pytest.raises(NotFound):
        BY_NAME[name].call(client)

    service.default = reset_during(500)
    with pytest.raises(ServiceFault) as raised:
        BY_NAME[name].call(client)
    assert raised.value.saved is Saved.UNKNOWN


@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("loans.get", Saved.NO),
        ("borrowers.getOfferContracts", Saved.NO),
        ("borrowers.getOffers", Saved.UNKNOWN),
        ("loans.makeRepayment", Saved.UNKNOWN),
        ("loans.delete", Saved.UNKNOWN),
    ],
)
def test_after_a_fault_only_what_can_save_may_have_saved(service, client, name, saved):
    service.default = refusal(500)

    with pytest.raises(ServiceFault) as raised:
        BY_NAME[name].call(client)

    assert raised.value.saved is saved
