"""The manifest: each name that an area gives is there, and is of its kind."""

from types import FunctionType

import pytest

from lendingadmin.core.areas import AreaConfig, collect
from lendingadmin.core.monitoring.metrics import TableGauge
from lendingadmin.core.policies.kinds import PolicyKind
from lendingadmin.core.staff.erasure import Erasable, KeptOn
from lendingadmin.core.staff.retention import Table
from lendingadmin.core.staff.tasks import prune
from lendingadmin.people.search.lookups import Finder
from lendingadmin.people.search.open_loans import Reader
from lendingadmin.web.decisions import ToDecide
from lendingadmin.web.navigation import Badge, Group
from lendingadmin.web.timeline import Source

KINDS = {
    "badges": Badge,
    "decisions": ToDecide,
    "groups": Group,
    "timeline": Source,
    "outcomes": dict,
    "erasable": Erasable,
    "kept": KeptOn,
    "tables": Table,
    "gauges": TableGauge,
    "warnings": FunctionType,
    "duties": FunctionType,
    "tasks": type(prune),
    "stored": Finder,
    "other_case": Finder,
    "open_loans": Reader,
    "loan_borrowers": FunctionType,
    "confirmations": FunctionType,
    "covers": FunctionType,
    "statuses": FunctionType,
    "policies": PolicyKind,
}


def test_each_kind_is_known() -> None:
    assert set(AreaConfig.__annotations__) == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_what_areas_name_is_there_once_and_of_its_kind(kind: str) -> None:
    found = collect(kind)
    assert found and {type(one) for one in found} == {KINDS[kind]}
    assert len({id(one) for one in found}) == len(found)
