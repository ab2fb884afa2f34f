"""Facts about the operations of the service: method, path, scopes, permission and parameters.

Spec: Endpoints, and Scopes and permissions. Facts that the spec does not show are None.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from lendingadmin.lending.errors import InvalidId
from lendingadmin.lending.ids import encode_id

CustomMethods = Literal["colon", "slash"]

_SEPARATORS: Mapping[str, str] = {"colon": ":", "slash": "/"}
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: its method, its path, and the rights that the sender needs at the service.

    One of `scopes` is enough. `list_parameters` and `filters` are None if the spec does not show
    them, and empty if there are none.
    """

    name: str
    method: str
    path: str
    scopes: tuple[str, ...]
    list_parameters: tuple[str, ...] | None = ()
    filters: tuple[str, ...] | None = ()

    @property
    def permission(self) -> str:
        """The permission that the service account's user needs (Spec: Scopes and permissions)."""
        return f"lending.{self.name}"

    @property
    def is_read(self) -> bool:
        """True if the request is a GET. A GET can be sent again without harm."""
        return self.method == "GET"

    @property
    def saves_nothing(self) -> bool:
        """True if the operation saves nothing, because it is a GET or a read scope is enough.

        The second case is the contract preview, which is a POST.
        """
        return self.is_read or "platform.lending:read" in self.scopes

    @property
    def collection(self) -> str:
        """Key of the list in an answer (Spec: Endpoints), such as `loans`."""
        return self.name.partition(".")[0]

    def admitted_by(self, scope: str) -> bool:
        """Return True if a token with this scope (words separated by spaces) is accepted.

        Spec: Scopes and permissions.
        """
        return not set(self.scopes).isdisjoint(scope.split())

    def url(self, *, custom_methods: CustomMethods = "colon", **ids: str) -> str:
        """Return the path below the base address, with these ids, percent-encoded.

        Custom operations have the form `:name` or `/name` (Spec: Endpoints shows both). Raise
        InvalidId for an id that no address can contain, and KeyError if an id is missing.
        """
        template, colon, custom = self.path.partition(":")
        try:
            path = _PLACEHOLDER.sub(lambda match: encode_id(ids[match[1]]), template)
        except InvalidId as error:
            error.operation = self.name
            raise
        return f"{path}{_SEPARATORS[custom_methods]}{custom}" if colon else path


_APP = "/v1/projects/{projectId}/apps/{appId}"
_LENDING = "platform.lending"
_LENDING_READ = (_LENDING, "platform.lending:read")
_LENDING_WRITE = (_LENDING, "platform.lending:write")
_ANY_READ = ("platform", *_LENDING_READ)
_ANY_WRITE = ("platform", *_LENDING_WRITE)
_LOAN_FILTERS = (
    "accountId",
    "accountNo",
    "loanType",
    "borrowerId",
    "status",
    "appVersionId",
    "assessmentId",
    "performanceStatus",
)
_EVENT_FILTERS = (
    "accountId",
    "eventType",
    "timestamp",
    "status",
    "appVersionId",
    "category",
)
_ALL_LIST_PARAMETERS = ("order", "filter", "pageToken", "pageSize")


_BORROWERS, _LOANS = f"{_APP}/borrowers", f"{_APP}/loans"
_BORROWER, _LOAN = f"{_BORROWERS}/{{borrowerId}}", f"{_LOANS}/{{accountId}}"
_ASSESSMENTS, _EVENTS = f"{_APP}/assessments", f"{_APP}/events"
_PRODUCTS, _TYPES = "/v1/projects/{projectId}/products", "/v1/assessmentTypes"

_ALL = (
    Operation("borrowers.list", "GET", _BORROWERS, _ANY_READ, None, None),
    Operation("borrowers.create", "POST", _BORROWERS, _ANY_WRITE),
    Operation("borrowers.get", "GET", _BORROWER, _ANY_READ),
    Operation("borrowers.patch", "PATCH", _BORROWER, _ANY_WRITE),
    Operation("borrowers.delete", "DELETE", _BORROWER, _ANY_WRITE),
    Operation("borrowers.getOffers", "POST", f"{_BORROWER}:getOffers", _ANY_WRITE),
    Operation("borrowers.getOfferContracts", "POST", f"{_BORROWER}:getOfferContracts", _ANY_READ),
    Operation("loans.list", "GET", _LOANS, _LENDING_READ, _ALL_LIST_PARAMETERS, _LOAN_FILTERS),
    Operation("loans.create", "POST", _LOANS, _LENDING_WRITE),
    Operation("loans.get", "GET", _LOAN, _LENDING_READ),
    Operation("loans.delete", "DELETE", _LOAN, _LENDING_WRITE),
    Operation("loans.makeRepayment", "POST", f"{_LOAN}:makeRepayment", _LENDING_WRITE),
    Operation("assessments.list", "GET", _ASSESSMENTS, _LENDING_READ, None, None),
    Operation("assessments.create", "POST", _ASSESSMENTS, _LENDING_WRITE),
    Operation("assessments.get", "GET", f"{_ASSESSMENTS}/{{assessmentId}}", _LENDING_READ),
    Operation("products.list", "GET", _PRODUCTS, _ANY_READ, None, None),
    Operation("events.list", "GET", _EVENTS, _ANY_READ, _ALL_LIST_PARAMETERS, _EVENT_FILTERS),
    Operation("events.create", "POST", _EVENTS, _LENDING_WRITE),
    Operation("assessmentTypes.list", "GET", _TYPES, _ANY_READ, ("pageSize", "pageToken")),
)

OPERATIONS: Mapping[str, Operation] = MappingProxyType({one.name: one for one in _ALL})
