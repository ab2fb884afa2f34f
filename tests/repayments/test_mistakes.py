"""Reports that a repayment is wrong: who may, what is kept, who reviews, where it is seen."""

import csv
import io
import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import NON_FIELD_ERRORS
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.utils import timezone

from lendingadmin.core.audit.models import Entry
from lendingadmin.core.staff.models import User
from lendingadmin.money.repayments.models import Mistake, Repayment
from tests.conftest import ClientOf
from tests.repayments.pages import filled
from tests.repayments.rows import row
from tests.repayments.service import LoanService
from tests.repayments.threads import at_once
from tests.roles import change_account

pytestmark = pytest.mark.django_db(transaction=True)
NOTE = "Anne paid 500, not 5,000"
OPEN, REVIEWED = 'data-mistake="open"', 'data-mistake="reviewed"'


@pytest.fixture
def repayment(support: User) -> Repayment:
    return row(support)


def token(page: Any) -> str:
    found = re.search(r'name="token" value="([^"]+)"', page.content.decode())
    assert found
    return found[1]


def report(browser: Client, repayment: Repayment, note: str = NOTE, **fields: str) -> Any:
    address = repayment.get_absolute_url()
    if "token" not in fields:
        fields["token"] = token(browser.get(address))
    return browser.post(f"{address}report", {"mistake-note": note, **fields}, follow=True)


def is_stale(page: Any) -> bool:
    """Whether the report's form says that it was open for too long."""
    is_shown = 'class="errorlist nonfield"' in page.text
    return is_shown and bool(page.context["report_form"].has_error(NON_FIELD_ERRORS, "stale"))


def review(browser: Client, mistake: Mistake, **fields: str) -> Any:
    given = {"review-resolution": "corrected", "review-reason": "reversed by hand"} | fields
    address = mistake.repayment.get_absolute_url()
    return browser.post(f"{address}mistakes/{mistake.pk}/review", given, follow=True)


def exported(browser: Client, query: str = "") -> list[dict[str, str]]:
    answer = browser.get(f"/apps/kenya/repayments/export.csv{query or '?'}&technical=1")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")  # type: ignore[attr-defined]
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("role", ["officer", "support", "manager"])
def test_reported_kept_sealed_and_audited(
    people: dict[str, User], client_of: ClientOf, repayment: Repayment, role: str
) -> None:
    before = Repayment.objects.values().get()
    page = report(client_of(people[role]), repayment).content.decode()
    assert 'data-finding="reported"' in page
    assert NOTE in page
    mistake = Mistake.objects.get()
    assert (mistake.reported_by, mistake.is_open) == (people[role], True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT note FROM repayments_mistake")
        assert "Anne" not in cursor.fetchone()[0]
    entry = Entry.objects.latest("id")
    assert (entry.action, entry.username) == ("dashboard.repayments.reportMistake", role)
    assert not Entry.objects.filter(detail__contains="Anne").exists()
    assert Repayment.objects.values().get() == before


def test_a_viewer_sees_that_it_was_reported_and_not_the_note(
    viewer: User, support: User, client_of: ClientOf, repayment: Repayment
) -> None:
    report(client_of(support), repayment)
    looker = client_of(viewer)
    page = looker.get(repayment.get_absolute_url()).content.decode()
    address = f"{repayment.get_absolute_url()}report"
    assert '<h2 id="mistakes">' in page
    assert OPEN in page
    assert "Anne" not in page
    assert f'action="{address}"' not in page
    assert looker.post(address, {"mistake-note": NOTE}).status_code == 403


@pytest.mark.parametrize(
    ("note", "code"),
    [
        ("", "required"),
        ("      \n     ", "required"),
        ("wrong", "min_length"),
        ("x" * 1001, "max_length"),
        ("a note with \x00 in it", "null_characters_not_allowed"),
    ],
)
def test_bad_input_is_answered_beside_the_field_and_kept(
    support: User, client_of: ClientOf, repayment: Repayment, note: str, code: str
) -> None:
    answer = report(client_of(support), repayment, note)
    page = answer.content.decode()
    assert answer.context["report_form"].has_error("note", code)
    assert '<ul class="errorlist" id="id_mistake-note_error"' in page
    assert not note.strip() or note.strip()[:40] in page
    assert Mistake.objects.count() == 0


def test_without_a_valid_token_nothing_is_kept(
    support: User, manager: User, client_of: ClientOf, repayment: Repayment
) -> None:
    of_another = token(client_of(manager).get(repayment.get_absolute_url()))
    for bad in ("", "x", of_another):
        page = report(client_of(support), repayment, token=bad)
        assert is_stale(page)
        assert NOTE in page.text
    assert Mistake.objects.count() == 0


def test_a_form_sent_many_times_makes_one_report(
    support: User, manager: User, client_of: ClientOf, repayment: Repayment
) -> None:
    desk = client_of(support)
    address = repayment.get_absolute_url()
    given = {"mistake-note": NOTE, "token": token(desk.get(address))}

    def send(_: int) -> int:
        browser = Client()
        browser.cookies = desk.cookies
        return browser.post(f"{address}report", given).status_code

    assert at_once(8, send) == [302] * 8
    assert Mistake.objects.count() == 1
    review(client_of(manager), Mistake.objects.get())
    late = desk.post(f"{address}report", given, follow=True).content.decode()
    assert 'data-finding="reported-before"' in late
    assert Mistake.objects.count() == 1
    assert Entry.objects.filter(action="dashboard.repayments.reportMistake").count() == 1


def test_one_is_open_at_a_time_and_another_may_follow(
    support: User, officer: User, manager: User, client_of: ClientOf, repayment: Repayment
) -> None:
    officers = client_of(officer)
    early = token(officers.get(repayment.get_absolute_url()))
    report(client_of(support), repayment)
    page = report(officers, repayment, "my own words on it", token=early)
    form = page.context["report_form"]
    assert form.has_error("note", "one-open") and "support" in form.errors["note"][0]
    assert form.errors["note"][0] in page.text and "my own words on it" in page.text
    action = f'action="{repayment.get_absolute_url()}report"'
    assert action not in officers.get(repayment.get_absolute_url()).text
    review(client_of(manager), Mistake.objects.get())
    report(officers, repayment, "it is still wrong")
    assert Mistake.objects.count() == 2
    page = officers.get(repayment.get_absolute_url()).content.decode()
    assert f'<dd data-field="reviewed-as">{Mistake.Review.CORRECTED.label}</dd>' in page
    assert "reversed by hand" in page
    assert "it is still wrong" in page


def test_the_database_knows_both_rules(support: User, repayment: Repayment) -> None:
    now = timezone.now()

    def make(form: str, **fields: Any) -> Mistake:
        usual = {"repayment": repayment, "note": NOTE, "reported_by": support, "reported_at": now}
        return Mistake.objects.create(**usual, idempotency_key=form, **fields)

    make("a")
    with (
        pytest.raises(IntegrityError, match=r"mistake_one_open|repayment_id"),
        transaction.atomic(),
    ):
        make("b")
    with pytest.raises(IntegrityError, match="another"), transaction.atomic():
        make("c", reviewed_by=support, reviewed_at=now, reviewed_as="no_mistake")


def test_reviewed_by_a_manager_with_a_reason(
    support: User, officer: User, manager: User, client_of: ClientOf, repayment: Repayment
) -> None:
    report(client_of(support), repayment)
    mistake, before = Mistake.objects.get(), Repayment.objects.values().get()
    for person in (support, officer):
        assert review(client_of(person), mistake).status_code == 403
    boss = client_of(manager)
    page = review(boss, mistake, **{"review-resolution": "", "review-reason": "kept words"})
    assert page.context["review_form"].has_error("resolution", "required")
    assert 'id="id_review-resolution_error"' in page.text and "kept words" in page.text
    page = review(boss, mistake, **{"review-reason": ""})
    assert page.context["review_form"].has_error("reason", "required")
    assert 'id="id_review-reason_error"' in page.text
    assert review(boss, mistake, **{"review-resolution": "shrug"}).status_code == 200
    mistake.refresh_from_db()
    assert mistake.is_open
    page = review(boss, mistake).content.decode()
    assert 'data-finding="reviewed"' in page
    mistake.refresh_from_db()
    assert (mistake.reviewed_by, mistake.reviewed_as) == (manager, Mistake.Review.CORRECTED)
    entry = Entry.objects.latest("id")
    assert entry.action == "dashboard.repayments.reviewMistake"
    assert entry.outcome.endswith(f": {Mistake.Review.CORRECTED.label}")
    assert Repayment.objects.values().get() == before
    again = review(boss, mistake, **{"review-resolution": "no_mistake"}).content.decode()
    assert 'data-finding="reviewed-before"' in again
    mistake.refresh_from_db()
    assert mistake.reviewed_as == Mistake.Review.CORRECTED


def test_nobody_reviews_a_report_of_their_own(
    manager: User, client_of: ClientOf, repayment: Repayment
) -> None:
    boss = client_of(manager)
    page = report(boss, repayment).content.decode()
    assert 'data-finding="not-reviewed"' in page
    mistake = Mistake.objects.get()
    assert f'action="{repayment.get_absolute_url()}mistakes/{mistake.pk}/review"' not in page
    assert 'data-finding="own-report"' in review(boss, mistake).text
    assert Mistake.objects.get().is_open


def test_nobody_reviews_a_report_of_an_account_that_they_changed(
    boss: Client, manager: User, support: User, client_of: ClientOf, repayment: Repayment
) -> None:
    report(client_of(support), repayment)
    change_account(manager, support)
    assert b"data-not-independent" in boss.get(repayment.get_absolute_url()).content
    review(boss, Mistake.objects.get())
    assert Mistake.objects.get().is_open


def test_a_report_is_reviewed_at_its_own_repayment_only(
    support: User, manager: User, client_of: ClientOf, repayment: Repayment
) -> None:
    report(client_of(support), repayment)
    mistake, other = Mistake.objects.get(), row(support)
    boss = client_of(manager)
    for address in (
        f"{other.get_absolute_url()}mistakes/{mistake.pk}/review",
        f"/apps/ghana/repayments/{repayment.pk}/mistakes/{mistake.pk}/review",
        f"{repayment.get_absolute_url()}mistakes/{10**30}/review",
    ):
        given = {"review-resolution": "corrected", "review-reason": "reversed"}
        assert boss.post(address, given).status_code == 404
    assert Mistake.objects.get().is_open


def test_a_manager_sees_open_reports_on_the_desk_and_among_the_unknown(
    support: User, manager: User, client_of: ClientOf, repayment: Repayment
) -> None:
    link = f'href="{repayment.get_absolute_url()}"'
    report(client_of(support), repayment)
    boss = client_of(manager)
    desk, unknown = "/apps/kenya/", "/apps/kenya/repayments/unknown/"
    part, decision = 'data-part="mistakes"', 'data-decision="mistake"'
    assert decision in boss.get(desk).content.decode()
    assert link in boss.get(unknown).content.decode()
    assert part in boss.get(unknown).content.decode()
    assert decision not in client_of(support).get(desk).content.decode()
    assert part not in boss.get("/apps/ghana/repayments/unknown/").content.decode()
    review(boss, Mistake.objects.get())
    assert decision not in boss.get(desk).content.decode()
    assert link not in boss.get(unknown).content.decode()


def test_journal_filter_mark_and_export(
    support: User, manager: User, client_of: ClientOf, repayment: Repayment
) -> None:
    desk, reviewed, both, plain = client_of(support), row(support), row(support), row(support)
    for one in (repayment, reviewed, both):
        report(desk, one)
    for one in (reviewed, both):
        review(client_of(manager), one.mistakes.get())
    report(desk, both, "=still wrong, I fear")

    def shows(query: str) -> dict[int, str]:
        page = desk.get(f"/apps/kenya/repayments/{query}").content.decode()
        found = {}
        for text in page.partition("<table")[2].split("<tr")[2:]:
            number = re.search(r">rp-(\d+)<", text)
            assert number
            found[int(number[1])] = next((mark for mark in (OPEN, REVIEWED) if mark in text), "")
        return found

    assert shows("") == {
        repayment.pk: OPEN,
        reviewed.pk: REVIEWED,
        both.pk: OPEN,
        plain.pk: "",
    }
    assert set(shows("?mistake=open")) == {repayment.pk, both.pk}
    assert set(shows("?mistake=reviewed")) == {reviewed.pk, both.pk}
    assert {int(line["number"]) for line in exported(desk, "?mistake=open")} == {
        repayment.pk,
        both.pk,
    }
    lines = {int(line["number"]): line for line in exported(desk)}
    assert lines[plain.pk]["mistakeReports"] == "0"
    assert lines[plain.pk]["mistakeReportedBy"] == ""
    assert lines[reviewed.pk]["mistakeReviewedAs"] == "corrected"
    assert lines[reviewed.pk]["mistakeReviewedBy"] == "manager"
    assert lines[reviewed.pk]["mistakeReviewedAt"]
    assert lines[reviewed.pk]["mistakeNote"] == NOTE
    assert lines[both.pk]["mistakeReports"] == "2"
    assert lines[both.pk]["mistakeReviewedAs"] == ""
    assert lines[both.pk]["mistakeNote"] == "'=still wrong, I fear"


def test_the_receipt_prints_the_report_and_not_its_form(
    support: User, client_of: ClientOf, repayment: Repayment
) -> None:
    report(client_of(support), repayment)
    page = client_of(support).get(repayment.get_absolute_url()).content.decode()
    printed, _, rest = page.partition('<div class="stack no-print">')
    assert NOTE in printed
    assert f'action="{repayment.get_absolute_url()}report"' not in printed + rest


def test_a_stale_form_of_another_day(
    support: User, client_of: ClientOf, repayment: Repayment, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = token(client_of(support).get(repayment.get_absolute_url()))
    monkeypatch.setattr("lendingadmin.money.writes.idempotency.LIFETIME", timedelta(seconds=-1))
    page = report(client_of(support), repayment, token=old)
    assert is_stale(page)
    assert NOTE in page.text


def test_a_report_shows_wherever_its_repayment_does(
    client_of: ClientOf, support: User, boss: Client, service: LoanService
) -> None:
    desk = client_of(support)
    wrong = row(support, account_id="L-1", borrower_id="B-1", external_id="WRONG")
    row(support, account_id="L-1", borrower_id="B-1")
    loan = "/apps/kenya/loans/L-1/"
    form = filled(desk.get(f"{loan}repayments/new"))
    review_page = desk.post(f"{loan}repayments/new", form).headers["Location"]
    places = [loan, "/apps/kenya/borrowers/B-1/", review_page, wrong.get_absolute_url()]
    for place in places:
        assert OPEN not in desk.get(place).content.decode(), place
    report(desk, wrong)
    for place in places:
        assert desk.get(place).content.decode().count(OPEN) == 1, place
    page = desk.get(loan).content.decode()
    told = page.partition('data-finding="mistake-reported"')[2].partition("</p>")[0]
    assert f'<a href="{wrong.get_absolute_url()}">{wrong}</a>' in told
    review(boss, Mistake.objects.get())
    for place in places[:3]:
        assert REVIEWED in desk.get(place).content.decode(), place
    assert 'data-finding="mistake-reported"' not in desk.get(loan).text
