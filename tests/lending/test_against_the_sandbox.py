"""Our client and the sandbox share no code: here each operation meets the other side."""

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest

from lendingadmin.lending.client import AppClient, LendingClient
from lendingadmin.lending.errors import BadRequest, Conflict, LendingError, NotFound, Saved
from lendingadmin.lending.operations import OPERATIONS, CustomMethods
from lendingadmin.lending.pages import refuses_token
from lendingadmin.lending.tokens import TokenSource
from lendingadmin.lending.transport import Call
from lendingadmin.lending.values import Malformed, Value
from tests.sandbox_process import SandboxProcess

FORMS: tuple[CustomMethods, ...] = ("colon", "slash")


def odd_parts(value: object, path: str = "") -> Iterator[str]:
    """Where in a value something is not what the spec says."""
    if isinstance(value, Malformed):
        yield f"{path}: {value}"
    elif isinstance(value, Value):
        for name in value.api_names:
            yield from odd_parts(getattr(value, name), f"{path}.{name}")
    elif isinstance(value, tuple | list):
        for place, item in enumerate(value):
            yield from odd_parts(item, f"{path}[{place}]")


class Job:
    """One app and everything that was read from it; every value must be as the spec says."""

    def __init__(self, sandbox: SandboxProcess, form: CustomMethods) -> None:
        self.calls: list[Call] = []
        tokens = TokenSource(sandbox.auth_url, sandbox.client_id, sandbox.client_secret)
        self.client = LendingClient(
            sandbox.base_url, "demo", tokens, custom_methods=form, on_call=self.calls.append
        )
        self.app: AppClient = self.client.app(f"ours-{uuid4().hex[:10]}")

    def read(self, value: Any) -> Any:
        items = value.items if hasattr(value, "next_page_token") else value
        assert list(odd_parts(items)) == []
        return value

    def until(self, ask: Callable[[], Any], done: Callable[[Any], bool]) -> Any:
        for _ in range(150):
            if done(found := self.read(ask())):
                return found
            time.sleep(0.1)
        raise AssertionError("it is never done")


@pytest.fixture(params=FORMS)
def job(request: pytest.FixtureRequest, sandbox: SandboxProcess) -> Job:
    return Job(sandbox, request.param)


def now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)


def before(**time: float) -> str:
    return (now() - timedelta(**time)).isoformat()


BORROWER = {
    "borrowerId": "b:1é",
    "category": "individual",
    "startDate": before(days=400),
    "individual": {
        "surname": "Wanjiru",
        "othernames": "Anne",
        "dateOfBirth": "1990-02-28",
        "noOfDependants": 2,
    },
    "devices": [{"deviceId": "d", "deviceType": "phone", "createdAt": before(days=90)}],
    "loans": [{"loanId": "old", "principalAmount": 500, "paidAmount": 500}],
    "settings": {"timezone": "Africa/Nairobi"},
    "company": None,
}


def report(job: Job) -> dict[str, Any]:
    """Twelve weeks of messages and one of each other kind."""
    stamp = int((now() - timedelta(days=1)).timestamp() * 1000)
    texts = [
        {
            "smsId": str(day),
            "address": "MPESA",
            "direction": "inbound",
            "read": True,
            "timestamp": stamp - day * 86_400_000,
            "rawBody": "You have received Ksh 9,000.00 from JANE",
        }
        for day in range(0, 84, 2)
    ]
    name = {"addressName": "+254700000001", "addressType": "telephone"}
    kinds: dict[str, list[dict[str, Any]]] = {
        "sms": texts,
        "contact": [{"name": "Jane", "primaryAddress": name, "otherAddresses": [name]}],
        "device/battery": [
            {
                "timestamp": stamp,
                "isCharging": True,
                "chargingMethod": "usb",
                "level": Decimal("0.5"),
            }
        ],
        "device/location": [{"timestamp": stamp, "latLng": "-1.2833,36.8167"}],
        "device/app": [{"timestamp": stamp, "name": "a", "package": "b", "label": "c"}],
    }
    return {
        "accountId": f"borrower:{BORROWER['borrowerId']}",
        "eventType": "personal_data.captured",
        "timestamp": before(hours=1),
        "data": [{"kind": f"lending.example/{k}", "values": v} for k, v in kinds.items()],
    }


def test_every_operation_once(job: Job) -> None:
    app, key = job.app, str(BORROWER["borrowerId"])
    account = f"borrower:{key}"
    made = job.read(app.borrowers.create(BORROWER))
    assert (made.individual.surname, made.devices[0].active) == ("WANJIRU", True)
    assert job.read(app.borrowers.get(key)) == made
    changed = job.read(app.borrowers.patch(key, {"settings": {"timezone": "Africa/Kampala"}}))
    assert changed.raw["settings"] == {"timezone": "Africa/Kampala"}
    assert job.read(app.borrowers.list(page_size=10)).items == (changed,)

    event = job.read(app.events.create(report(job)))
    assert len(event.data) == 5
    listed = job.read(app.events.list(filters={"accountId": account}, order="desc"))
    assert [one.event_id for one in listed.items] == [event.event_id]

    products = {one.product_id: one for one in job.read(job.client.products.list()).items}
    types = job.read(job.client.assessment_types.list()).items
    kind = next(one.name for one in types if one.category == "credit" and one.status == 1)
    asked = {"accountId": account, "assessmentType": kind, "timestamp": before(seconds=5)}
    started = job.read(app.assessments.create(asked))
    assert started.result is None
    found = job.until(
        lambda: app.assessments.get(started.assessment_id), lambda one: one.result is not None
    )
    assert found.result.type == "authorized"
    assert isinstance(found.result.credit_score, Decimal)
    page = job.read(app.assessments.list())
    assert [one.assessment_id for one in page.items] == [started.assessment_id]

    queued = job.read(
        app.borrowers.get_offers(
            key, assessment_type=kind, timestamp=now() - timedelta(seconds=4), request_id="r"
        )
    )
    assert (queued.done, queued.result) == (False, None)
    offer = job.until(
        lambda: app.borrowers.get_offers(key, request_id="r"), lambda one: bool(one.done)
    )
    response = offer.result.response
    assert {one.product_id for one in response.products} <= set(products)
    start = now() - timedelta(days=1)
    contracts = job.read(
        app.borrowers.get_offer_contracts(
            key, offer_summary=response.summary, amount=response.credit_limit, start_date=start
        )
    )
    assert len(contracts) == len(response.products)

    lasting(job, contracts[0], start)
    assert {call.operation for call in job.calls} == set(OPERATIONS)
    sign = ":" if job.client.custom_methods == "colon" else "/"
    for call in job.calls:
        if ":" in OPERATIONS[call.operation].path:
            assert call.path.endswith(sign + call.operation.partition(".")[2])


def lasting(job: Job, contract: Any, start: datetime) -> None:
    """The rest of the job: the loan of a previewed contract, repayments, what can be deleted."""
    app, key = job.app, str(BORROWER["borrowerId"])
    body = {"accountId": "l:1", "borrowerId": key, "contract": contract.raw}
    loan = job.read(app.loans.create({**body, "startDate": start.isoformat(), "requestId": "r"}))
    assert loan.contract.raw == contract.raw
    assert job.read(app.loans.get("l:1")) == job.read(app.loans.get(loan.uid))
    owed = loan.balances.repayment.unpaid
    for number, amount in enumerate((Decimal("10.01"), owed - Decimal("10.01"))):
        sent = {"externalId": f"T{number}", "amount": amount, "transactionDate": before(minutes=1)}
        loan = job.read(app.loans.make_repayment("l:1", sent))
    assert (loan.balances.repayment.unpaid, loan.status) == (0, 3)
    assert loan.result.type == "settled"
    assert loan.settlement_date is not None

    later = (now() + timedelta(days=9)).isoformat()
    job.read(app.loans.create({**body, "accountId": "later", "startDate": later}))
    filtered = job.read(app.loans.list(filters={"status": "1"}, order="desc", page_size=5))
    assert [one.account_id for one in filtered.items] == ["later"]
    app.loans.delete("later")
    for refused in (lambda: app.loans.delete("l:1"), lambda: app.borrowers.delete(key)):
        with pytest.raises(LendingError) as caught:
            refused()
        assert (caught.value.status, caught.value.saved) == (422, Saved.NO)
    app.borrowers.create({"borrowerId": "gone", "category": "company"})
    app.borrowers.delete("gone")
    with pytest.raises(NotFound):
        app.borrowers.get("gone")


LOAN_FILTERS = {
    "accountId": "account_id",
    "accountNo": "account_no",
    "loanType": "loan_type",
    "borrowerId": "borrower_id",
    "status": "status",
    "appVersionId": "app_version_id",
    "assessmentId": "assessment_id",
    "performanceStatus": "performance_status",
}
EVENT_FILTERS = {
    "accountId": "account_id",
    "eventType": "event_type",
    "status": "status",
    "appVersionId": "app_version_id",
    "category": "category",
}


@pytest.fixture(scope="module")
def book(sandbox: SandboxProcess) -> Job:
    """Loans and events that differ in every field which can be filtered."""
    job = Job(sandbox, "colon")
    for number, category in enumerate(("individual", "company")):
        job.app.borrowers.create({"borrowerId": f"b:{number}", "category": category})
    for number in range(7):
        product = ("term-6-months", "bullet-30-days", "flex-weekly")[number % 3]
        job.app.loans.create(
            {
                "accountId": f"l:{number}",
                "borrowerId": f"b:{number % 2}",
                "loanAmount": 900 + number,
                "startDate": before(days=40 * number - 20),
                "assessmentId": f"a:{number % 2}",
                "contract": {"productId": product},
            }
        )
    for number in range(3):
        category = (None, "sms", "contact")[number]
        whole = report(job) | {"accountId": f"borrower:b:{number % 2}", "category": category}
        if category:
            whole["data"] = [one for one in whole["data"] if one["kind"].endswith(category)]
        job.app.events.create(whole | {"timestamp": before(hours=number + 1)})
    return job


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_pages_put_together_are_the_list(book: Job, order: Any) -> None:
    for resource, size in ((book.app.loans, 3), (book.app.events, 2)):
        whole = book.read(resource.list(order=order))
        assert whole.next_page_token is None
        assert tuple(resource.iterate(order=order, page_size=size)) == whole.items
        assert len(whole.items) > size
    borrowers = book.app.borrowers.list()
    assert tuple(book.app.borrowers.iterate(page_size=1)) == borrowers.items


@pytest.mark.parametrize(
    ("name", "fields"), [("loans", LOAN_FILTERS), ("events", EVENT_FILTERS)], ids=str
)
def test_filters_agree_with_what_was_listed(book: Job, name: str, fields: dict[str, str]) -> None:
    assert set(OPERATIONS[f"{name}.list"].filters or ()) - {"timestamp"} == set(fields)
    resource = getattr(book.app, name)
    whole = book.until(
        lambda: resource.list(), lambda page: name == "loans" or all(e.status for e in page.items)
    ).items
    for field, attribute in fields.items():
        for value in {getattr(one, attribute) for one in whole} - {None}:
            same = tuple(one for one in whole if getattr(one, attribute) == value)
            found = book.read(resource.list(filters={field: str(value)}))
            assert found.items == same, (field, value)


def test_an_event_is_found_by_its_time(book: Job) -> None:
    event = book.app.events.list(page_size=1).items[0]
    assert not isinstance(event, Malformed)
    found = book.read(book.app.events.list(filters={"timestamp": str(event.raw["timestamp"])}))
    assert found.items == (event,)


def test_refusals_are_what_the_client_makes_of_them(book: Job) -> None:
    with pytest.raises(Conflict):
        book.app.borrowers.create({"borrowerId": "b:0", "category": "company"})
    with pytest.raises(NotFound):
        book.app.assessments.get("none")
    with pytest.raises(BadRequest) as caught:
        book.app.loans.list(page_token="made up")
    assert refuses_token(caught.value)
