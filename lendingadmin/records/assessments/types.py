"""Assessment types of the service, as choices of a form (Spec: AssessmentType)."""

from lendingadmin.core import gateway
from lendingadmin.lending.errors import LendingError
from lendingadmin.lending.pages import gather
from lendingadmin.lending.values import AssessmentType, status_key, text
from lendingadmin.web.requests import PersonRequest

PERMISSION = "lending.assessmentTypes.list"
_AT_MOST = 500
_PREFIX = "assessmentTypes/"
# The order of the types by status: available, beta, statuses that are not in the spec, deprecated.
_PLACES = {"1": 0, "0": 1, "2": 3}


def read() -> list[AssessmentType]:
    """Return the types that have a name, available types first. May raise LendingError.

    At most 500 types are read.
    """
    found, _ = gather(gateway.client().assessment_types.pages(), _AT_MOST)
    named = [kind for kind in found if name_of(kind)]
    return sorted(named, key=lambda kind: _PLACES.get(status_key(kind.status), 2))


def name_of(kind: AssessmentType) -> str:
    """Return the full resource name for a request. If the type has no name, make it from the id.

    Return an empty text if the type has no id either.
    """
    if text(kind.name):
        return str(kind.name)
    key = text(kind.assessment_type_id)
    return f"{_PREFIX}{key}" if key else ""


def named(request: PersonRequest, name: object) -> AssessmentType | None:
    """Return the type of an assessment; None if it is not listed or can't be read.

    The page of the assessment works without the type, so no fault is shown.
    """
    if not text(name) or not request.user.has_perm(PERMISSION):
        return None
    try:
        return next((kind for kind in read() if name_of(kind) == name), None)
    except LendingError:
        return None
