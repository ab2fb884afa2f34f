"""The client: every operation of the service, by resource."""

from typing import Any

from lendingadmin.lending.assessments import Assessments
from lendingadmin.lending.borrowers import Borrowers
from lendingadmin.lending.events import Events
from lendingadmin.lending.ids import check_id
from lendingadmin.lending.loans import Loans
from lendingadmin.lending.operations import CustomMethods
from lendingadmin.lending.pages import ListResource
from lendingadmin.lending.transport import Tokens, Transport
from lendingadmin.lending.values import AssessmentType, Product


class Products(ListResource[Product]):
    """The products of the project, which all its apps share (Spec: Products)."""

    list_operation = "products.list"
    item = Product


class AssessmentTypes(ListResource[AssessmentType]):
    """The assessment types of the service, which all projects share (Spec: Assessment types)."""

    list_operation = "assessmentTypes.list"
    item = AssessmentType


class AppClient:
    """What lives inside one lending app: borrowers, loans, assessments, events."""

    def __init__(
        self, transport: Transport, project_id: str, app_id: str, custom_methods: CustomMethods
    ) -> None:
        ids = {"projectId": project_id, "appId": check_id(app_id)}
        self.app_id = app_id
        self.borrowers = Borrowers(transport, ids, custom_methods)
        self.loans = Loans(transport, ids, custom_methods)
        self.assessments = Assessments(transport, ids, custom_methods)
        self.events = Events(transport, ids, custom_methods)

    def __repr__(self) -> str:
        return f"<AppClient {self.app_id!r}>"


class LendingClient:
    """One service account's view of one project (Spec: What the service does).

    `tokens` gives the access token; `options` go to the transport, unless a `transport` is given.
    `custom_methods` says whether custom operations go out as `:name` or `/name`. Nothing is opened
    before the first call.
    """

    def __init__(
        self,
        base_url: str,
        project_id: str,
        tokens: Tokens,
        *,
        custom_methods: CustomMethods = "colon",
        transport: Transport | None = None,
        **options: Any,
    ) -> None:
        self.project_id = check_id(project_id)
        self.tokens = tokens
        self.custom_methods = custom_methods
        self.transport = transport or Transport(base_url, tokens, **options)
        ids = {"projectId": project_id}
        self.products = Products(self.transport, ids, custom_methods)
        self.assessment_types = AssessmentTypes(self.transport, ids, custom_methods)

    def app(self, app_id: str) -> AppClient:
        """The resources of one lending app. Raises InvalidId."""
        return AppClient(self.transport, self.project_id, app_id, self.custom_methods)

    def __repr__(self) -> str:
        return f"<LendingClient {self.project_id!r}>"
