"""Ids over a real socket: they arrive whole, or are never sent."""

import pytest

from lendingadmin.lending.client import LendingClient
from lendingadmin.lending.errors import InvalidId
from tests.lending import shapes
from tests.lending.cases import FixedToken, answer

ODD_IDS = ["borrower:7", "a/edit", "100%", "%2E%2E", "a?b#c", "two words", "Ünï 名", "...", "a;b=c"]
ENCODED = [
    "borrower%3A7",
    "a%2Fedit",
    "100%25",
    "%252E%252E",
    "a%3Fb%23c",
    "two%20words",
    "%C3%9Cn%C3%AF%20%E5%90%8D",
    "...",
    "a%3Bb%3Dc",
]


@pytest.mark.parametrize(("given", "encoded"), list(zip(ODD_IDS, ENCODED, strict=True)))
@pytest.mark.parametrize(("methods", "mark"), [("colon", ":"), ("slash", "/")])
def test_any_id_arrives_whole_in_both_forms_of_custom_operations(
    service, given, encoded, methods, mark
):
    service.default = answer(shapes.LOAN | {"accountId": given})
    loans = LendingClient(service.url, given, FixedToken(), custom_methods=methods).app(given).loans

    loans.get(given)
    loans.delete(given)
    loans.make_repayment(given, {"amount": 1})

    base = f"/v1/projects/{encoded}/apps/{encoded}/loans/{encoded}"
    assert [request.line for request in service.arrived] == [
        f"GET {base}",
        f"DELETE {base}",
        f"POST {base}{mark}makeRepayment",
    ]


@pytest.mark.parametrize("refused", ["", ".", "..", "a\nb", "\x00", "\ud800"])
def test_an_id_that_means_something_else_is_never_sent(service, client, refused):
    app = client.app("kenya")
    calls = [
        lambda: app.borrowers.get(refused),
        lambda: app.borrowers.delete(refused),
        lambda: app.loans.delete(refused),
        lambda: app.loans.make_repayment(refused, {"amount": 1}),
        lambda: client.app(refused),
        lambda: LendingClient(service.url, refused, FixedToken()),
    ]

    for call in calls:
        with pytest.raises(InvalidId):
            call()
    assert service.arrived == []
