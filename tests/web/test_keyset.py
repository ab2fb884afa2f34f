"""Counting many lists at once, as the sidebar does on each page."""

import pytest
from pytest_django import DjangoAssertNumQueries

from lendingadmin.core.staff.models import User
from lendingadmin.web import keyset

pytestmark = pytest.mark.django_db


def test_lists_are_counted_in_one_query_and_no_further_than_is_shown(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    monkeypatch.setattr(keyset, "COUNTED", 2)
    for name in ("amina", "baraka", "chebet", "daudi"):
        User.objects.create_user(name)
    everybody = User.objects.order_by("username")
    lists = [
        everybody.filter(username="amina"),
        everybody.none(),
        everybody,
        everybody.filter(pk__in=[]),
        everybody.filter(username__in=["baraka", "100 %s"]),
    ]
    with django_assert_num_queries(1):
        assert keyset.count_each(lists) == [1, 0, 3, 0, 1]
    with django_assert_num_queries(0):
        assert keyset.count_each([]) == []
