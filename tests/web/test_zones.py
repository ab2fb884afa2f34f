"""The lender's zone beside every field for a day or a time, on every page that has one."""

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import simplejson
from django import forms
from django.contrib.auth.forms import UserChangeForm
from django.test import Client
from django.utils import timezone

import lendingadmin
from lendingadmin.core.gateway import LendingApp
from lendingadmin.core.staff.models import User
from lendingadmin.desk.collections import leases
from lendingadmin.records.offers.models import OfferRequest, OfferState
from lendingadmin.web.dates import NO_ZONE, UTC_DAY, zone_beside
from tests.roles import give_roles, group_of
from tests.sandbox.calling import Caller

_CONTROL = re.compile(r'<input type="(?:date|datetime-local)"[^>]*name="([^"]+)"[^>]*>')
TEMPLATES = Path(__file__).parents[2] / "templates"
_DATED = (forms.DateField, forms.DateTimeField)

OFFER = {"error": None, "response": {"creditLimit": 5000, "products": [{"productId": "p"}]}}
# Where each is to be seen: the field as a page names it, and the zone beside it.
LENDERS = "Nairobi time"
PAGES: dict[str, dict[str, str]] = {
    "/apps/{app}/loans/l/repayments/new": {"transactionDate": LENDERS, "valueDate": LENDERS},
    "/apps/{app}/loans/new": {"startDate": LENDERS},
    "/apps/{app}/borrowers/b/offers/new": {"timestamp": LENDERS},
    "/apps/{app}/borrowers/b/offers/r-1/contracts": {"startDate": UTC_DAY},
    "/apps/{app}/borrowers/b/offers/r-1/key-facts": {"startDate": UTC_DAY},
    "/apps/{app}/assessments/new": {"timestamp": LENDERS},
    "/apps/{app}/events/new": {"timestamp": LENDERS},
    "/apps/{app}/repayments/": {"since": LENDERS, "until": LENDERS},
    "/apps/{app}/repayments/day/": {"date": LENDERS},
    "/apps/{app}/collections/calls/b/": {"day": LENDERS, "nextDay": LENDERS},
    "/apps/{app}/collections/assignments/hand-overs/": {"firstDay": LENDERS, "lastDay": LENDERS},
    "/apps/{app}/sheets/": {"day": LENDERS},
    "/apps/{app}/borrowers/b/papers/": {"firstDay": LENDERS, "lastDay": LENDERS},
    "/apps/{app}/settings/late-sheets/": {"validFrom": LENDERS},
    "/apps/{app}/borrowers/new": {"startDate": LENDERS, "dateOfBirth": NO_ZONE},
    # It belongs to no lender: the days are the reader's, as the times are.
    "/audit/": {"since": "New York time", "until": "New York time"},
}


def test_every_field_for_a_day_or_a_time_of_any_form_is_looked_at_here() -> None:
    looked_at = {name for fields in PAGES.values() for name in fields}
    assert {name for _, name, _ in _dated_fields()} <= looked_at
    assert len(list(_dated_fields())) >= 10


def test_every_such_field_has_a_zone_or_says_that_it_has_none() -> None:
    for form, name, field in _dated_fields():
        assert zone_beside(field) in ("UTC", UTC_DAY), (form, name)


@pytest.mark.parametrize("address", PAGES)
def test_the_zone_stands_beside_it(
    address: str,
    app: LendingApp,
    book: Caller,
    manager: User,
    officer: User,
    client_of: Callable[[User], Client],
) -> None:
    give_roles(officer, group_of(manager))
    User.objects.filter(pk=officer.pk).update(zone="America/New_York")
    if "r-1" in address:
        _offer(app, officer)
    if "calls" in address:
        leases.take(app.app_id, "b", officer, timezone.now(), account_id="", queue="")
    page = client_of(officer).get(address.format(app=app.app_id)).content.decode()
    names = _CONTROL.findall(page)
    assert {_last(name) for name in names} == set(PAGES[address])
    for name in names:
        zone, label = PAGES[address][_last(name)], _label(page, name)
        assert re.findall(r'<span class="zone">\((.*?)\)</span>', label) == ([zone] if zone else [])


def test_no_template_writes_such_a_field_past_the_rule() -> None:
    for path in TEMPLATES.rglob("*.html"):
        assert not re.search(r'type="(date|datetime-local)"', path.read_text()), path


def _last(name: str) -> str:
    """A field's own name, without those of the rows that it stands in."""
    return name.rpartition("-")[2]


def _label(page: str, name: str) -> str:
    control = next(match for match in _CONTROL.finditer(page) if match[1] == name)
    key = re.search(r'id="([^"]+)"', control[0])
    assert key is not None
    label = re.search(rf'<label for="{re.escape(key[1])}">.*?</label>', page, re.DOTALL)
    assert label is not None
    return label[0]


def _dated_fields() -> Iterator[tuple[type, str, forms.Field]]:
    for form in _forms(forms.BaseForm):
        # The admin draws its own forms, and says the zone in its own words.
        if form.__module__.startswith("lendingadmin.") and not issubclass(form, UserChangeForm):
            for name, field in form.base_fields.items():
                if isinstance(field, _DATED):
                    yield form, name, field


def _forms(kind: type) -> Iterator[type]:
    for module in pkgutil.walk_packages(lendingadmin.__path__, "lendingadmin."):
        if module.name.endswith("forms"):
            importlib.import_module(module.name)
    pending = [kind]
    while pending:
        for one in pending.pop().__subclasses__():
            pending.append(one)
            yield one


METADATA = {"accountId": "borrower:b", "requestId": "r-1"}


def _offer(app: LendingApp, person: User) -> None:
    now = timezone.now()
    OfferRequest.objects.create(
        app_id=app.app_id,
        borrower_id="b",
        request_id="r-1",
        asked_by=person,
        asked_at=now,
        last_asked_at=now,
        state=OfferState.DONE,
        answer=simplejson.dumps({"metadata": METADATA, "done": True, "result": OFFER}),
        answered_at=now,
    )
