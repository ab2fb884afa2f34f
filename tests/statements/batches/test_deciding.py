"""What a person may do with a row of a batch, and what not."""

from decimal import Decimal

import pytest
from django.test import Client

from lendingadmin.desk.statements.models import Allocation, Batch
from tests.faults.behaviours import refusal
from tests.portfolio.conftest import counted
from tests.statements.desk import DeskService

from .steps import BASE, check, check_now, decide, list_rows, pay, record

pytestmark = pytest.mark.django_db(transaction=True)


class TestDeciding:
    """What a person may do with a row, and what not."""

    @pytest.fixture
    def batch(self, clerk: Client, service: DeskService) -> Batch:
        service.add("L-1")
        service.add("L-2", status=3)
        counted()
        return check(clerk, pay("L-2", "nobody"))

    def test_what_stands_against_it_takes_a_reason(self, clerk: Client, batch: Batch) -> None:
        page = decide(clerk, batch, 1, action="accept", reason="")
        assert page.context["page"].decision.has_error("reason", "required")
        assert page.status_code == 200 and 'id="id_reason_error"' in page.content.decode()
        assert list_rows(batch)[0][3] == "open"
        decide(clerk, batch, 1, action="accept", reason="agreed with the branch")
        assert list_rows(batch)[0][3] == "accepted"
        assert Allocation.objects.get(position=1).reason == "agreed with the branch"

    def test_without_a_loan_nothing_is_accepted(self, clerk: Client, batch: Batch) -> None:
        decide(clerk, batch, 2, action="accept", reason="because I say so")
        assert list_rows(batch)[1][3] == "open"
        answer = decide(clerk, batch, 2, action="find", who="L-1")
        assert 'value="L-1"' in answer.content.decode()
        decide(clerk, batch, 2, action="choose", loan="L-1")
        assert list_rows(batch)[1] == ("L-1", "person", "fine", "open")
        decide(clerk, batch, 2, action="accept", reason="")
        assert list_rows(batch)[1][3] == "accepted"

    def test_a_loan_shown_with_its_borrower_is_accepted_if_nothing_is_against_it(
        self, clerk: Client, batch: Batch
    ) -> None:
        answer = decide(clerk, batch, 2, action="take", loan="L-2")
        assert answer.headers["Location"] == batch.allocations.get(position=2).get_absolute_url()
        assert list_rows(batch)[1] == ("L-2", "person", "closed", "open")
        answer = decide(clerk, batch, 2, action="take", loan="L-1")
        assert answer.headers["Location"] == batch.allocations.get(position=1).get_absolute_url()
        assert list_rows(batch)[1] == ("L-1", "person", "fine", "accepted")
        row = Allocation.objects.get(position=2)
        assert row.decided_by and row.decided_by.username == "support"

    def test_one_payment_goes_to_two_loans(
        self, clerk: Client, batch: Batch, service: DeskService
    ) -> None:
        service.add("L-3")
        decide(clerk, batch, 2, action="choose", loan="L-1")
        page = decide(clerk, batch, 2, action="split", amount="101")
        assert page.context["page"].split.has_error("amount", "whole")
        assert 'id="id_amount_error"' in page.content.decode()
        decide(clerk, batch, 2, action="split", amount="60.50")
        parts = Allocation.objects.filter(position=2).order_by("part")
        assert [one.amount for one in parts] == [Decimal("60.5"), Decimal("40.5")]
        decide(clerk, batch, 2, action="accept", reason="")
        decide(clerk, batch, 2, 2, action="choose", loan="L-3")
        decide(clerk, batch, 2, 2, action="accept", reason="")
        record(clerk, batch)
        assert sorted(service.posted) == [
            ("L-1", "SJAA000001", Decimal("60.5")),
            ("L-3", "SJAA000001", Decimal("40.5")),
        ]

    def test_the_other_part_is_recorded_after_the_first(
        self, clerk: Client, batch: Batch, service: DeskService
    ) -> None:
        decide(clerk, batch, 2, action="choose", loan="L-1")
        decide(clerk, batch, 2, action="split", amount="60.50")
        decide(clerk, batch, 2, action="accept", reason="")
        record(clerk, batch)
        clerk.post(f"{BASE}{batch.file_id}/batch/begin")
        check_now(batch)
        service.add("L-3")
        decide(clerk, batch, 2, 2, action="choose", loan="L-3")
        decide(clerk, batch, 2, 2, action="accept", reason="")
        record(clerk, batch)
        assert service.posted == [
            ("L-1", "SJAA000001", Decimal("60.5")),
            ("L-3", "SJAA000001", Decimal("40.5")),
        ]

    def test_a_service_that_is_gone_changes_no_row_and_is_told(
        self, clerk: Client, batch: Batch, service: DeskService
    ) -> None:
        before = list_rows(batch)
        service.server.on("GET", refusal(503, "down"))
        for data in ({"action": "find", "who": "L-1"}, {"action": "choose", "loan": "L-1"}):
            page = decide(clerk, batch, 2, **data)
            assert page.status_code == 200 and page.context["page"].card
            assert f'data-saved="{page.context["page"].card.saved}"' in page.content.decode()
        assert list_rows(batch) == before

    def test_many_are_accepted_for_one_reason(self, clerk: Client, service: DeskService) -> None:
        service.add("L-1", status=3)
        batch = check(clerk, pay("L-1", "L-1", "L-1"))
        page = clerk.get(f"{batch.get_absolute_url()}?finding=closed").content.decode()
        assert f'action="{batch.get_absolute_url()}accept"' in page
        data = {"finding": "closed", "reason": "told by the branch"}
        clerk.post(f"{BASE}{batch.file_id}/batch/accept", data | {"reason": ""})
        assert {one[3] for one in list_rows(batch)} == {"open"}
        clerk.post(f"{BASE}{batch.file_id}/batch/accept", data)
        assert {one[3] for one in list_rows(batch)} == {"accepted"}

    @pytest.mark.parametrize(
        ("odd", "names", "is_needed"),
        [("for L-2 thanks", {}, False), ("L-2", {1: "ANN KAMAU"}, True)],
        ids=["only proposals", "one names its loan and a payer who cannot be compared"],
    )
    def test_proposals_are_accepted_together_without_a_reason(
        self, clerk: Client, service: DeskService, odd: str, names: dict[int, str], is_needed: bool
    ) -> None:
        service.add("L-1")
        service.add("L-2")
        counted()
        batch = check(clerk, pay("for L-1 thanks", odd, names=names))
        assert {one[2] for one in list_rows(batch)} == {"proposed"}
        page = clerk.get(f"{batch.get_absolute_url()}?finding=proposed")
        assert page.context["accept_form"].fields["reason"].required == is_needed
        clerk.post(f"{BASE}{batch.file_id}/batch/accept", {"finding": "proposed", "reason": ""})
        assert {one[3] for one in list_rows(batch)} == {"open" if is_needed else "accepted"}

    def test_what_is_left_out_is_not_recorded(self, clerk: Client, service: DeskService) -> None:
        service.add("L-1")
        batch = check(clerk, pay("L-1", "L-1"))
        decide(clerk, batch, 1, action="leave", reason="paid back in cash")
        record(clerk, batch)
        assert [one[1] for one in service.posted] == ["SJAA000001"]

    def test_nobody_decides_while_it_is_recorded(self, clerk: Client, batch: Batch) -> None:
        Batch.objects.update(state="recording")
        page = clerk.post(
            f"{BASE}{batch.file_id}/batch/rows/1/1",
            {"action": "accept", "reason": "agreed with the branch"},
            follow=True,
        )
        assert 'data-finding="not-ready"' in page.content.decode()
        assert list_rows(batch)[0][3] == "open"
