"""`lending_check` over real sockets: what it tries, what it says, and when it exits with 1."""

from io import StringIO

import pytest
import simplejson
from django.core.management import call_command

from lendingadmin.core.gateway.management.commands.lending_check import ALL_IS_WELL
from lendingadmin.lending.operations import OPERATIONS
from lendingadmin.lending.pages import LED_BACK
from lendingadmin.web import checks
from tests.faults import addresses
from tests.faults.behaviours import refusal, reply, token
from tests.lending import shapes

pytestmark = pytest.mark.django_db
SECRET = "sandbox-secret"
READS = {name for name, one in OPERATIONS.items() if one.is_read}


def list_page(key, *items):
    return reply(simplejson.dumps({key: items, "nextPageToken": "more"}, use_decimal=True))


def item(shape):
    return reply(simplejson.dumps(shape, use_decimal=True))


def make_service(server):
    """A service where all is well, in its two apps."""
    server.on("POST /v1/oauth2/token", token(scope="platform.lending"))
    server.on("GET /v1/projects/demo/products", list_page("products", shapes.PRODUCT))
    server.on("GET /v1/assessmentTypes", list_page("assessmentTypes", shapes.ASSESSMENT_TYPE))
    for app_id in ("kenya", "ghana"):
        base = f"GET /v1/projects/demo/apps/{app_id}"
        for key, shape, its_id in (
            ("borrowers", shapes.BORROWER, "b-1"),
            ("loans", shapes.LOAN, "L-1"),
            ("assessments", shapes.ASSESSMENT, "a-1"),
            ("events", shapes.EVENT, "e-1"),
        ):
            server.on(f"{base}/{key}", list_page(key, shape))
            server.on(f"{base}/{key}/{its_id}", item(shape))
    return server


def check():
    """The exit status, and the table as rows of four by (app, operation)."""
    out = StringIO()
    try:
        call_command("lending_check", stdout=out, no_color=True)
        status = 0
    except SystemExit as left:
        status = left.code
    written = out.getvalue()
    rows = {}
    for line in written.splitlines():
        cells = (line[:12], line[14:41], line[43:52], line[54:])
        where, operation, *rest = (cell.strip() for cell in cells)
        rows[where, operation] = tuple(rest)
    return status, rows, written


def test_a_working_account_passes(service):
    status, rows, written = check()

    assert status == 0
    assert rows["-", "token"][0] == "ok"
    assert rows["-", "token"][1] in (
        "scope platform.lending, good for 59 min",
        "scope platform.lending, good for 60 min",
    )
    assert written.endswith(f"{ALL_IS_WELL}\n")
    for name in READS:
        places = ["-"] if name in ("products.list", "assessmentTypes.list") else ["kenya", "ghana"]
        for where in places:
            assert rows[where, name][0] == "ok", (where, name)
    for name in set(OPERATIONS) - READS:
        result, detail = rows["-", name]
        assert result == "admitted"
        assert detail == (
            f"needs {OPERATIONS[name].permission} and one of {', '.join(OPERATIONS[name].scopes)}"
        )


def test_a_key_of_the_example_is_told(service, settings, capsys):
    check()
    assert "release" not in capsys.readouterr().err
    settings.SECRET_KEY = "replace-me-as-well"
    assert check()[0] == 0
    (found,) = checks.the_secret_key_is_ones_own()
    said = capsys.readouterr().err
    assert said.startswith(found.msg) and "release" in said


def test_only_reads_go_out_one_item_each(service):
    check()

    sent = [request.line for request in service.arrived if "oauth2" not in request.path]
    assert len(sent) == 2 + 2 * 7
    assert all(line.startswith("GET ") for line in sent)
    lists = [line for line in sent if "?" in line]
    assert all(line.endswith("?pageSize=1") for line in lists)
    assert len(lists) == 2 + 2 * 4
    assert "GET /v1/projects/demo/apps/ghana/loans/L-1" in sent


def test_no_secret_token_or_content_is_printed(service):
    service.on(
        "GET /v1/projects/demo/products", refusal(400, f"bad secret {SECRET}\x1b[31m for you")
    )

    status, rows, written = check()

    assert status == 1
    assert "bad secret … [31m for you" in rows["-", "products.list"][1].replace("  ", " ")
    assert "\x1b" not in written
    for secret in (SECRET, "token-1", "WANJIRU", "b-1", "L-1"):
        assert secret not in written


def test_a_refused_account_fails_and_nothing_more_is_tried(service):
    service.on("POST /v1/oauth2/token", refusal(401, "unknown client"))

    status, rows, _ = check()

    assert status == 1
    result, detail = rows["-", "token"]
    assert result == "failed"
    assert detail.startswith("401 ")
    assert "unknown client" in detail
    assert rows["kenya", "loans.list"] == ("not tried", "there is no token")
    assert rows["-", "loans.makeRepayment"][0] == "not tried"
    assert service.hits() == 1


def test_an_operation_that_is_not_allowed_says_what_it_needs(service):
    service.on("GET /v1/projects/demo/apps/ghana/loans", refusal(403))

    status, rows, written = check()

    assert status == 1
    result, detail = rows["ghana", "loans.list"]
    assert result == "failed"
    assert detail.startswith("403 ")
    needed = OPERATIONS["loans.list"]
    assert detail.endswith(f" {needed.permission} and one of {', '.join(needed.scopes)}.")
    assert rows["ghana", "loans.get"] == ("not tried", "the list could not be read")
    assert rows["kenya", "loans.get"][0] == "ok"
    assert "1 of these needs attention." in written


def test_a_scope_that_is_too_narrow_for_the_writes_fails(service):
    service.on("POST /v1/oauth2/token", token(scope="platform.lending:read"))

    status, rows, _ = check()

    assert status == 1
    assert rows["-", "loans.makeRepayment"][0] == "refused"
    assert rows["-", "borrowers.getOfferContracts"][0] == "admitted"


def test_a_scope_that_the_issuer_does_not_tell_is_not_judged(service):
    service.on("POST /v1/oauth2/token", token(scope=""))

    status, rows, _ = check()

    assert status == 0
    assert rows["-", "token"][1].startswith("scope not reported")
    assert rows["-", "loans.makeRepayment"][0] == "not tried"


def test_an_empty_list_leaves_nothing_to_get_and_is_no_failure(service):
    nothing = reply({"borrowers": [], "nextPageToken": None})
    service.on("GET /v1/projects/demo/apps/kenya/borrowers", nothing)
    service.on("GET /v1/projects/demo/apps/kenya/assessments", list_page("assessments", {}, 7))

    status, rows, _ = check()

    assert status == 0
    assert rows["kenya", "borrowers.get"] == ("not tried", "the list has no record")
    assert rows["kenya", "assessments.get"] == ("not tried", "the list has no record")


def test_empty_pages_that_lead_back_to_themselves_are_a_failure(service):
    service.on("GET /v1/projects/demo/apps/kenya/borrowers", list_page("borrowers"))

    status, rows, _ = check()

    assert status == 1
    result, words = rows["kenya", "borrowers.list"]
    assert result == "failed"
    assert LED_BACK in words


def test_where_a_page_size_is_not_documented_its_refusal_is_no_failure(service):
    base = "GET /v1/projects/demo/apps/kenya"
    service.on(f"{base}/borrowers?pageSize=1", refusal(400))
    service.on(f"{base}/loans?pageSize=1", refusal(400))

    status, rows, _ = check()

    assert status == 1
    assert rows["kenya", "borrowers.list"][0] == "ok"
    assert rows["kenya", "borrowers.get"][0] == "ok"
    assert rows["kenya", "loans.list"][0] == "failed"


def test_a_service_that_is_gone_is_asked_once(service, settings):
    with addresses.refused() as gone:
        settings.LENDING_BASE_URL = gone
        status, rows, _ = check()

    assert status == 1
    assert rows["-", "products.list"][0] == "failed"
    assert rows["ghana", "events.list"] == ("not tried", "the service did not answer before")
    assert rows["-", "loans.create"][0] == "admitted"


def test_an_unreadable_answer_fails(service):
    service.on("GET /v1/assessmentTypes", reply("<html>"))
    service.on("GET /v1/projects/demo/apps/kenya/events", reply({"events": None}))

    status, rows, _ = check()

    assert status == 1
    assert rows["-", "assessmentTypes.list"][0] == "failed"
    assert rows["kenya", "events.list"][0] == "failed"
