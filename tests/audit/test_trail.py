"""The trail takes entries from everywhere and lets none go."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import ProtectedError
from django.test import RequestFactory

from lendingadmin.core.audit import record
from lendingadmin.core.audit.models import AppendOnly, Entry
from lendingadmin.core.staff.models import User
from tests.roles import take_roles

pytestmark = pytest.mark.django_db


def test_a_request_says_who(support: User) -> None:
    request = RequestFactory().post("/")
    request.user = support
    record(
        request,
        "lending.loans.makeRepayment",
        app_id="kenya",
        subject="LN-7",
        outcome="recorded",
        saved="yes",
        request_id="req-1",
        detail="500.00 KES",
    )
    entry = Entry.objects.get()
    assert (entry.user, entry.username, entry.role) == (support, "support", "support")
    assert (entry.action, entry.app_id, entry.subject) == (
        "lending.loans.makeRepayment",
        "kenya",
        "LN-7",
    )
    assert (entry.outcome, entry.saved, entry.request_id, entry.detail) == (
        "recorded",
        "yes",
        "req-1",
        "500.00 KES",
    )


def test_a_person_stands_for_themselves(officer: User) -> None:
    assert record(officer, "x", outcome="done").username == "officer"


def test_the_system_needs_nobody() -> None:
    entry = record(None, "reconcile", outcome="done")
    assert (entry.user, entry.username, entry.role) == (None, "system", "")


@pytest.mark.parametrize("signed_out", [True, False])
def test_a_stranger_is_not_the_system(signed_out: bool) -> None:
    request = RequestFactory().get("/")
    if signed_out:
        request.user = AnonymousUser()
    entry = record(request, "sign-in", outcome="refused")
    assert (entry.user, entry.username) == (None, "")


def test_the_name_and_role_of_that_moment_stay(support: User) -> None:
    entry = record(support, "x", outcome="done")
    support.username = "renamed"
    support.save()
    take_roles(support)
    kept = Entry.objects.get(pk=entry.pk)
    assert (kept.username, kept.role) == ("support", "support")


def test_inside_a_transaction_that_fails_nothing_is_left(support: User) -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        record(support, "x", outcome="done")
        raise RuntimeError
    assert not Entry.objects.exists()


def test_what_is_too_long_or_not_text_is_cut_rather_than_refused(support: User) -> None:
    entry = record(support, "x" * 500, subject="a\x00b" * 500, outcome="o" * 500, detail="d" * 5000)
    entry.full_clean(exclude=["app_id"])
    assert "\x00" not in entry.subject
    assert len(entry.detail) == 1000


class TestAppendOnly:
    @pytest.fixture
    def entry(self) -> Entry:
        return record(None, "reconcile", outcome="done")

    def test_an_entry_cannot_be_saved_again(self, entry: Entry) -> None:
        entry.outcome = "other"
        with pytest.raises(AppendOnly):
            entry.save()
        with pytest.raises(AppendOnly):
            Entry.objects.get().save(update_fields=["outcome"])
        assert Entry.objects.get().outcome == "done"

    def test_nor_overwritten_by_a_new_one_with_its_number(self, entry: Entry) -> None:
        forged = Entry(pk=entry.pk, action="reconcile", outcome="forged")
        with (
            pytest.raises(Exception, match=r"(?i)duplicate|cannot be changed"),
            transaction.atomic(),
        ):
            forged.save()
        assert Entry.objects.get().outcome == "done"

    def test_nor_deleted(self, entry: Entry) -> None:
        with pytest.raises(AppendOnly):
            entry.delete()
        with pytest.raises(AppendOnly):
            Entry.objects.all().delete()
        assert Entry.objects.count() == 1

    def test_nor_changed_many_at_once(self, entry: Entry) -> None:
        forged = Entry(pk=entry.pk, action="reconcile", outcome="forged")
        for attempt in (
            lambda: Entry.objects.update(outcome="forged"),
            lambda: Entry.objects.filter(pk=entry.pk).update(outcome="forged"),
            lambda: Entry.objects.bulk_update([forged], ["outcome"]),
            lambda: Entry.objects.update_or_create(pk=entry.pk, defaults={"outcome": "forged"}),
            lambda: Entry.objects.bulk_create(
                [forged], update_conflicts=True, update_fields=["outcome"], unique_fields=["id"]
            ),
        ):
            with pytest.raises(AppendOnly):
                attempt()
        assert Entry.objects.get().outcome == "done"

    def test_nor_lost_with_the_person(self, support: User) -> None:
        record(support, "x", outcome="done")
        with pytest.raises(ProtectedError):
            support.delete()
