"""Refusals in words: which answers of the service are refusals, what is said, and to whom."""

import re
from typing import Any

import pytest
import simplejson
from django.test import Client
from django.utils import timezone

from lendingadmin.core.caching import shared
from lendingadmin.core.policies.lender import LENDER
from lendingadmin.core.staff.models import User
from lendingadmin.core.staff.roles import MAKE_PAPERS, SEE_NAMES
from lendingadmin.desk.papers.figures import REASONS, Unfit
from lendingadmin.desk.papers.models import Paper, PaperKind
from lendingadmin.desk.papers.refusal import read_assessment, read_offer
from lendingadmin.lending.codec import decode
from lendingadmin.lending.values import Assessment, OfferOperation
from lendingadmin.money.repayments.sms import LONGEST, count_signs
from lendingadmin.records.assessments.models import AssessmentIndex, KnownAssessment
from lendingadmin.records.offers import asking
from lendingadmin.records.offers.models import OfferRequest, OfferState
from tests.assessments.service import assessment
from tests.conftest import ClientOf
from tests.faults.behaviours import hang, refusal
from tests.offers.conftest import Ask, asked, make_service
from tests.offers.service import APP, OFFER, RESPONSE, OfferService, hidden, operation
from tests.papers.test_papers import find_suggested
from tests.policies.setting import set_policy
from tests.roles import hold_only

__all__ = ["asked", "make_service"]

pytestmark = pytest.mark.django_db(transaction=True)
ASSESSMENT, OF_OFFER = "/apps/kenya/assessments/A-1/refusal", OFFER + "refusal"
DECLINED = {"type": "declined", "reason": "arrears_over_30_days", "rule": "arrears_over_30_days"}
LOANS_ONLY = (
    *(MAKE_PAPERS, SEE_NAMES, "lending.borrowers.get", "lending.loans.get", "lending.loans.list"),
)
NO_DATA = {"type": "invalid", "reason": "no_data", "rule": "too_little_data"}

ODD: list[tuple[str, dict[str, Any]]] = [
    ("not-refused", {"result": {"type": "authorized"}}),
    ("not-refused", {"result": {"type": "postponed", "message": "Later"}}),
    ("not-refused", {"result": {"message": "Well"}}),
    ("not-finished", {"status": 0, "result": None}),
    ("no-result", {"status": 2, "result": None}),
    ("no-reason", {"result": "declined"}),
    ("no-reason", {"result": {"type": "declined"}}),
    ("no-reason", {"result": {"type": "declined", "reason": 17, "message": None}}),
    # A level of risk explains no missing judgement.
    ("no-reason", {"result": {"type": "invalid", "riskLevel": "high"}}),
]


@pytest.mark.parametrize(("code", "fields"), ODD)
def test_an_assessment_that_is_no_refusal_has_no_paper(code: str, fields: dict[str, Any]) -> None:
    with pytest.raises(Unfit) as error:
        read_assessment(Assessment(assessment(1, **fields)))
    assert error.value.code == code in REASONS


def answer(row: OfferRequest, **fields: Any) -> OfferRequest:
    """Save what the service answers to the request."""
    told = operation(row.request_id, **({"done": True} | fields))
    raw = decode(simplejson.dumps(told).encode())
    assert isinstance(raw, dict)
    asking.note(row, OfferOperation(raw), timezone.now())
    return row


OFFERS: list[tuple[str, dict[str, Any]]] = [
    ("not-refused", {"result": {"error": None, "response": RESPONSE}}),
    ("not-refused", {"result": {"error": None, "response": RESPONSE | {"products": None}}}),
    ("not-refused", {"result": {"error": None, "response": RESPONSE | {"products": [17]}}}),
    ("no-reason", {"result": {"error": None, "response": None}}),
    ("no-reason", {"result": {"error": " ", "response": None}}),
    ("no-reason", {"result": {"error": {"code": 1}, "response": None}}),
    ("not-finished", {"result": None, "done": False}),
]


@pytest.mark.parametrize(("code", "fields"), OFFERS)
def test_a_request_that_is_no_refusal_has_no_paper(
    asked: Ask, code: str, fields: dict[str, Any]
) -> None:
    with pytest.raises(Unfit) as error:
        read_offer(answer(asked(), **fields))
    assert error.value.code == code in REASONS


@pytest.mark.parametrize(
    ("state", "code"), [(OfferState.ASKED, "not-finished"), (OfferState.REFUSED, "not-refused")]
)
def test_a_request_that_the_service_did_not_answer_is_no_refusal(
    asked: Ask, state: OfferState, code: str
) -> None:
    with pytest.raises(Unfit) as error:
        read_offer(asked(state=state))
    assert error.value.code == code


@pytest.fixture
def refused(service: OfferService) -> dict[str, Any]:
    """The assessment that the service has, of a borrower with a name. A test may change it."""
    set_policy(LENDER, name="Umoja Credit", phone="0700 5", complaints="0800 1")
    found = assessment(1, result=dict(DECLINED))
    person = {"surname": "WANJIRU", "othernames": "ANNE"}
    borrower = {"borrowerId": "B-1", "category": "individual", "individual": person}
    service.answers(f"GET {APP}/borrowers/B-1", lambda: borrower)
    service.answers(f"GET {APP}/assessments/A-1", lambda: found)
    return found


def make(desk: Client, address: str = ASSESSMENT, language: str = "en") -> Any:
    """Send the form as the page offers it; the answer."""
    page = desk.get(address)
    given = {"token": hidden(page, "token"), "kind": PaperKind.REFUSAL.value, "language": language}
    return desk.post(address, given)


def show(desk: Client, made: Any) -> str:
    assert made.status_code == 302
    return str(desk.get(made.headers["Location"]).content.decode())


def reasons_of(page: str) -> list[str]:
    """The cells of the table of reasons."""
    return re.findall(r"<td><bdi>([^<]*)</bdi></td>", page)


def sms_of(page: str) -> str:
    found = re.search(r'data-copy="([^"]*)"', page)
    return found[1] if found else ""


def test_a_refusal_says_the_reason_the_remedy_and_whom_to_ask(
    desk: Client, refused: dict[str, Any]
) -> None:
    page = show(desk, make(desk))
    assert 'data-sheet="refusal"' in page and "<strong>KENYA-" in page
    reason, remedy, contact = reasons_of(page)
    assert "30" in reason and remedy and contact == "0700 5"
    for words in ("WANJIRU ANNE", "A-1", "2 Mar 2026", "officer", "Umoja Credit", "0800 1"):
        assert words in page
    assert "arrears_over_30_days" not in page
    assert "0700 5" in sms_of(page) and count_signs(sms_of(page)) <= LONGEST
    [paper] = Paper.objects.all()
    assert (paper.kind, paper.borrower_id, paper.account_id) == (PaperKind.REFUSAL, "B-1", "")
    timeline = desk.get("/apps/kenya/borrowers/B-1/timeline/").content.decode()
    assert paper.get_absolute_url() in timeline


@pytest.mark.parametrize("language", ["en", "fr", "sw"])
@pytest.mark.parametrize("result", [DECLINED, NO_DATA])
def test_a_refusal_is_in_the_language_of_the_customer(
    desk: Client, refused: dict[str, Any], result: dict[str, Any], language: str
) -> None:
    refused["result"] = result
    english = reasons_of(show(desk, make(desk)))
    found = reasons_of(show(desk, make(desk, language=language)))
    assert len(found) == 3
    same = [one == other for one, other in zip(found, english, strict=True)]
    assert same == ([True] * 3 if language == "en" else [False, False, True])


@pytest.mark.parametrize(
    ("result", "words"),
    [
        ({"type": "declined", "reason": "debt_ratio", "message": "Too many debts"}, 2),
        ({"type": "declined", "message": "Too many debts"}, 1),
        ({"type": "declined", "riskLevel": "high"}, 1),
        (DECLINED | {"rule": "debt_ratio"}, 2),
        (DECLINED | {"message": "A loan is more than 30 days late."}, 1),
    ],
)
def test_a_reason_that_is_not_known_is_quoted(
    desk: Client, refused: dict[str, Any], result: dict[str, Any], words: int
) -> None:
    refused["result"] = result
    page = show(desk, make(desk))
    # A remedy and a contact follow.
    assert len(reasons_of(page)) == words + 2
    reason, message = str(result.get("reason", "")), result.get("message", "")
    if reason == "debt_ratio":
        assert "debt ratio" in page
    if message == "Too many debts":
        assert message in page


def test_words_of_the_service_are_never_markup(desk: Client, refused: dict[str, Any]) -> None:
    refused["result"] = {"type": "declined", "message": "<b>no</b>"}
    assert "<b>no" not in show(desk, make(desk))


def test_a_long_reason_is_left_out_of_the_sms(desk: Client, refused: dict[str, Any]) -> None:
    refused["result"] = {"type": "declined", "message": "many debts " * 20}
    sms = sms_of(show(desk, make(desk)))
    assert "many debts" not in sms and "0700 5" in sms and count_signs(sms) <= LONGEST


def finding(made: Any) -> str:
    assert made.status_code == 200 and not Paper.objects.exists()
    found = re.search(r'class="notice[^>]*data-finding="([^"]+)"', made.content.decode())
    return found[1] if found else ""


def test_without_a_contact_or_a_reason_there_is_no_refusal(
    desk: Client, refused: dict[str, Any]
) -> None:
    set_policy(LENDER, phone="", complaints="")
    assert finding(make(desk)) == "no-contact"
    refused["result"] = {"type": "declined"}
    assert finding(make(desk)) == "no-reason"


def test_an_assessment_of_no_borrower_has_no_page(desk: Client, refused: dict[str, Any]) -> None:
    refused["accountId"] = "device:D-1"
    assert desk.get(ASSESSMENT).status_code == 404


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ({"error": "no_data: Too little was reported.", "response": None}, "data"),
        ({"error": "debt_ratio: Too many debts", "response": None}, "debt ratio"),
        ({"error": "Too many debts", "response": None}, "Too many debts"),
        ({"error": None, "response": RESPONSE | {"products": []}}, "loans"),
    ],
)
def test_a_request_that_led_to_no_offer_has_a_refusal(
    desk: Client, asked: Ask, refused: dict[str, Any], result: dict[str, Any], reason: str
) -> None:
    answer(asked(), result=result)
    page = show(desk, make(desk, OF_OFFER))
    assert reason in reasons_of(page)[0] and "r-1" in page


def test_a_request_of_others_has_no_page(desk: Client, asked: Ask, refused: Any) -> None:
    assert desk.get(OF_OFFER).status_code == 404


def test_pages_of_a_refusal_lead_to_the_paper(
    desk: Client, asked: Ask, refused: dict[str, Any], client_of: ClientOf, viewer: User
) -> None:
    answer(asked(), result={"error": "no_data: Too little.", "response": None})
    answer(asked(request_id="r-2"), result={"error": None, "response": RESPONSE | {"products": []}})
    pages = {"/apps/kenya/assessments/A-1/": ASSESSMENT, OFFER: OF_OFFER}
    for address, wanted in pages.items():
        page = desk.get(address).content.decode()
        assert re.findall(r'<a[^>]*data-papers[^>]*href="([^"]+)"', page) == [wanted]
    empty = OFFER.replace("r-1", "r-2")
    assert f'href="{empty}refusal"' in desk.get(empty).content.decode()
    seen = client_of(viewer).get("/apps/kenya/assessments/A-1/").content.decode()
    assert ASSESSMENT not in seen
    refused["result"] = {"type": "authorized"}
    shared.clear()
    assert ASSESSMENT not in desk.get("/apps/kenya/assessments/A-1/").content.decode()


def test_a_borrower_s_page_of_papers_has_a_button_for_each_refusal_and_offer(
    desk: Client, asked: Ask, refused: dict[str, Any], client_of: ClientOf, viewer: User
) -> None:
    index = AssessmentIndex.objects.create(app_id="kenya")
    times = dict.fromkeys(("made_at", "read_at"), timezone.now())
    own = {"assessment_id": "A-1", "account_id": "borrower:B-1"}
    KnownAssessment.objects.create(index=index, **own, **times)
    papers = "/apps/kenya/borrowers/B-1/papers/"
    url, token = find_suggested(desk, papers)["refusal"]
    assert url == ASSESSMENT
    assert desk.post(url, {"token": token, "kind": "refusal", "language": "en"}).status_code == 302
    assert [one.kind for one in Paper.objects.all()] == ["refusal"]
    refused["result"] = {"type": "authorized"}
    assert find_suggested(desk, papers) == {}
    answer(asked(), result={"error": "no_data: Too little.", "response": None})
    answer(asked(request_id="r-2"), result={"error": None, "response": RESPONSE})
    found = find_suggested(desk, papers)
    assert found["refusal"][0] == OF_OFFER and found["refusal"][1]
    assert found["key-facts"][0] == f"{OFFER.replace('r-1', 'r-2')}key-facts"
    hold_only(viewer, *LOANS_ONLY)
    assert find_suggested(client_of(viewer), papers) == {}


def test_other_papers_do_not_wait_for_a_slow_assessment_and_need_none(
    desk: Client, refused: dict[str, Any], service: OfferService
) -> None:
    index = AssessmentIndex.objects.create(app_id="kenya")
    times = dict.fromkeys(("made_at", "read_at"), timezone.now())
    own = {"assessment_id": "A-1", "account_id": "borrower:B-1"}
    KnownAssessment.objects.create(index=index, **own, **times)
    papers, read = "/apps/kenya/borrowers/B-1/papers/", f"GET {APP}/assessments/A-1"
    service.server.on(read, hang(5))
    assert find_suggested(desk, papers) == {}
    before = len(service.server.arrived)
    service.server.on(read, refusal(500, "gone"))
    assert find_suggested(desk, papers) == {}
    answer = desk.post(papers, {"token": "old", "kind": "statement", "language": "en"})
    assert answer.status_code == 200
    lines = [one.line for one in service.server.arrived[before:]]
    assert sum(one.startswith(read) for one in lines) == 1


def test_a_masked_role_gets_no_refusal(
    desk: Client, refused: dict[str, Any], client_of: ClientOf, viewer: User
) -> None:
    place = make(desk).headers["Location"]
    for address in (ASSESSMENT, OF_OFFER, place):
        assert client_of(viewer).get(address).status_code == 403
    # The right to names and papers is not enough without the right to assessments.
    hold_only(viewer, MAKE_PAPERS, SEE_NAMES, "lending.borrowers.get", "lending.loans.get")
    for address in (ASSESSMENT, OF_OFFER, place):
        assert client_of(viewer).get(address).status_code == 403
