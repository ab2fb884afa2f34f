"""Products, assessment types and assessments as the OpenAPI document describes their answers."""

from lendingadmin.sandbox.api.answers import Duration, Free, Num, Stored, Token, Told


class Adjusted(Told):
    """Spec: LendingTerms, interest.adjustment."""

    action: str
    target: str
    value_type: str


class ProductInterest(Told):
    """Spec: LendingTerms, interest."""

    type: str
    term_period: Duration
    base_rate: Num
    max_effective_rate: Num
    risk_premium_rate: Num
    adjustment: Adjusted


class LendingTerms(Told):
    """Spec: LendingTerms."""

    period: Duration
    repayment_interval: Duration
    interest: ProductInterest


class Charge(Told):
    """Spec: Charge."""

    name: str
    kind: str
    action: str
    target: str
    value_type: str
    display_name: str
    value: Num


class LendingProduct(Stored):
    """Spec: Product."""

    product_id: str
    product_type: str
    display_name: str
    display_priority: Num
    terms: LendingTerms
    description: str | None
    sku_id: str | None
    labels: Free | None
    charges: list[Charge]


class ProductPage(Told):
    """Spec: Products, List."""

    products: list[LendingProduct]
    next_page_token: Token


class AssessedApps(Told):
    """Spec: AssessmentSettings, apps."""

    channels: list[str]
    platforms: list[str]


class AssessedAccounts(Told):
    """Spec: AssessmentSettings, accounts."""

    categories: list[str]
    account_types: list[str]


class AssessmentSettings(Told):
    """Spec: AssessmentType, settings."""

    apps: AssessedApps
    accounts: AssessedAccounts


class AnsweredAssessmentType(Stored):
    """Spec: AssessmentType."""

    assessment_type_id: str
    category: str
    period: Duration
    display_name: str
    description: str | None
    settings: AssessmentSettings | None


class AssessmentTypePage(Told):
    """Spec: Assessment types, List."""

    assessment_types: list[AnsweredAssessmentType]
    next_page_token: Token
