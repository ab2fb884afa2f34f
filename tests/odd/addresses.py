"""Which pages of the dashboard show which resource of the service."""

from typing import NamedTuple

_APP = "/apps/kenya"
_BORROWER = f"{_APP}/borrowers/B-1"
_OFFER = f"{_BORROWER}/offers/r-1"
_ASKED = "?amount=1000&startDate=2026-12-01"
_EVENT = f"{_APP}/events/borrower_3AB-1/personal_5Fdata.captured/2026-01-15T00_3A00_3A00.000Z"


class Pages(NamedTuple):
    """Pages of a resource: those that show many of them, those that show one.

    An address after `POST` is posted to, one after `FORM` is got and its form sent as it stands.
    `keys` are the fields that a page finds the resource by: without them it is a 404. What is in
    the fields `not_listed` no list shows.
    """

    lists: tuple[str, ...]
    pages: tuple[str, ...]
    keys: frozenset[str] = frozenset()
    not_listed: frozenset[str] = frozenset()


# The fields by which a record says which one it is. Another one is not shown, and from one that
# does not say it nothing is entered: those pages are a card then.
NAMED_BY = frozenset(
    {
        ("Borrower", "borrowerId"),
        ("Loan", "accountId"),
        ("Assessment", "assessmentId"),
        ("Operation", "metadata"),
        ("Operation", "metadata", "accountId"),
        ("Operation", "metadata", "requestId"),
        ("Operation", "metadata", "appId"),
    }
)

LOAN_OF_OFFER = f"{_OFFER}/contracts/P-1/loan{_ASKED}"
PAGES = {
    "Borrower": Pages(
        (f"{_APP}/borrowers/", f"{_APP}/borrowers/export.csv"),
        (
            f"{_BORROWER}/?whole=1",
            f"{_BORROWER}/panels/record",
            f"POST {_BORROWER}/revealed",
            f"{_BORROWER}/name",
            f"{_BORROWER}/delete",
            f"FORM {_BORROWER}/edit",
            f"{_APP}/find/for/B-1",
            f"{_APP}/find/for/B-1/in/borrower",
            f"{_APP}/collections/calls/B-1/",
            LOAN_OF_OFFER,
        ),
    ),
    "Loan": Pages(
        (
            f"{_APP}/loans/",
            f"{_BORROWER}/panels/loans",
            f"{_BORROWER}/timeline/",
            f"{_APP}/loans/export.csv",
        ),
        (
            f"{_APP}/loans/L-1/",
            f"{_APP}/loans/L-1/repayments/new",
            f"{_APP}/loans/L-1/delete",
            f"{_APP}/loans/L-1/timeline/",
            f"{_APP}/loans/L-1/notes/new",
            f"{_APP}/find/for/L-1",
            f"{_APP}/find/for/L-1/in/loan",
            f"{_APP}/find/for/1/in/number",
        ),
        not_listed=frozenset({"contract"}),
    ),
    "Assessment": Pages(
        (
            f"{_APP}/assessments/",
            f"{_BORROWER}/panels/assessments",
            f"{_BORROWER}/timeline/?kind=assessments",
            f"{_APP}/assessments/new?accountId=borrower:B-1",
            f"{_APP}/assessments/export.csv",
        ),
        (
            f"{_APP}/assessments/A-1/",
            f"{_APP}/assessments/A-1/status",
            f"{_APP}/find/for/A-1/in/assessment",
        ),
    ),
    "AssessmentType": Pages(
        (
            "/assessment-types/",
            "/assessment-types/export.csv",
            f"{_APP}/assessments/new",
            f"{_BORROWER}/offers/new",
        ),
        ("/assessment-types/T-1/", f"{_APP}/assessments/A-1/"),
        frozenset({"assessmentTypeId"}),
    ),
    "Product": Pages(
        ("/products/", "/products/export.csv"),
        ("/products/P-1/", f"{_OFFER}/", f"{_OFFER}/contracts{_ASKED}", LOAN_OF_OFFER),
        frozenset({"productId"}),
    ),
    "Event": Pages(
        (
            f"{_APP}/events/",
            f"{_BORROWER}/panels/events",
            f"{_BORROWER}/timeline/?kind=events",
            f"{_APP}/events/new",
            f"{_APP}/events/export.csv",
            f"{_APP}/events/reported?accountId=borrower:B-1",
        ),
        (f"{_EVENT}/", f"POST {_EVENT}/revealed"),
        frozenset({"accountId", "eventType", "timestamp"}),
    ),
    "Operation": Pages(
        (),
        (
            f"{_OFFER}/",
            f"{_OFFER}/status",
            f"POST {_OFFER}/ask",
            f"{_OFFER}/contracts",
            f"{_OFFER}/contracts{_ASKED}",
            f"{_BORROWER}/offers/",
        ),
    ),
    "LendingContract": Pages(
        (f"{_OFFER}/contracts{_ASKED}",),
        (LOAN_OF_OFFER,),
        frozenset({"productId"}),
    ),
}

# Pages that look at the loan of a repayment whose outcome is not known: of that one, and of all.
REPAYMENT = f"{_APP}/repayments/{{number}}/"
LOOKS = (
    REPAYMENT,
    f"{REPAYMENT}status",
    f"POST {REPAYMENT}check",
    f"{_APP}/repayments/unknown/",
    f"{_APP}/",
)
# Pages that look for what became of another write.
WRITES = (
    f"{_APP}/writes/{{token}}/",
    f"{_APP}/writes/{{token}}/status",
    f"POST {_APP}/writes/{{token}}/check",
)
ENTERED = f"{_APP}/loans/L-1/repayments/new"

# Routes whose page shows nothing that it reads from the service there and then, and why.
WITHOUT = {
    "healthz": "asks whether the process lives",
    "readyz": "asks the database",
    "metrics": "asks the database",
    "audit": "what was done here, from the database",
    "start": "leads to the home page",
    "statement-row-record": "the box; what it finds is read by the review of a repayment",
    "payment": "the box; what it finds is read by the review of a repayment",
    "glossary": "the same words for everybody",
    "profile": "a person's own choices, from the database",
    "session": "whether one is signed in",
    "profile-sessions-end": "a person's own sessions, in the database",
    "account_setup": "a person's own password, into the database",
    "account_login": "who somebody is, from the database",
    "provider-sign-in": "leads to the identity provider",
    "provider-callback": "what the identity provider says; tests/staff/test_provider.py",
    "provider-confirm": "leads to the identity provider",
    "people": "the people of the dashboard, from the database",
    "person": "a person of the dashboard, from the database",
    "roles": "the roles, from the database",
    "person-new": "a person of the dashboard, into the database",
    "person-setup-link": "a person of the dashboard, from the database",
    "person-password-require": "a person of the dashboard, in the database",
    "person-sessions-end": "a person of the dashboard, in the database",
    "person-two-step-remove": "a person of the dashboard, in the database",
    "person-deactivate": "a person of the dashboard, in the database",
    "person-reactivate": "a person of the dashboard, in the database",
    "person-change-approve": "a person of the dashboard, in the database",
    "person-change-decline": "a person of the dashboard, in the database",
    "borrower-repayment": "leads to a form; tests/repayments/test_choosing.py has odd answers",
    "find": "leads to the results",
    "find-suggest": "who fits in the index, from the database",
    "find-last": "what the person opened last, from the database",
    "repayments": "the journal, from the database",
    "repayments-export": "the journal, from the database",
    "repayments-restored": "two moments, from the database",
    **dict.fromkeys(
        ("statements", "statement", "statement-export", "statement-new", "statement-columns"),
        "statements and the journal, from the database",
    ),
    **dict.fromkeys(
        ("statement-batch", "statement-batch-export", "statement-batch-progress"),
        "what the worker found, from the database",
    ),
    **{
        f"statement-batch-{step}": "hands it to the worker; tests/statements has the odd answers"
        for step in ("begin", "accept", "record", "approve", "stop", "resume", "reopen")
    },
    **dict.fromkeys(
        (
            *("statements-covered", "statements-day", "statements-contradictions", "unallocated"),
            *("unallocated-take", "unallocated-place"),
            *("statement-payers", "statement-payer-revoke"),
        ),
        "statements and the journal, from the database",
    ),
    "statement-batch-receipts": "the receipts, from the database",
    "statement-allocation": "one row, from the database; tests/statements has the odd loans",
    **dict.fromkeys(
        ("statement-days", "statement-words"), "how a statement is read, in the database"
    ),
    **dict.fromkeys(
        ("borrower-note-new", "note", "note-revise", "note-pin", "note-delete", "note-seen"),
        "notes, from the database",
    ),
    "borrower-kept": "what is kept of a borrower, from the database",
    **dict.fromkeys(
        ("collections", "queue", "call-stops", "call-stop-end", "promise", "promise-decide"),
        "counts, calls and promises, from the database",
    ),
    **dict.fromkeys(
        (
            *("assignments", "officer-borrowers", "officer-change", "hand-overs", "hand-over-end"),
            "borrower-list",
            *("bulk-assignment-new", "bulk-assignment"),
            *("assignment-rules", "assignment-rule-set"),
            *("call-queue-new", "call-queue-edit", "call-queue-retire"),
        ),
        "who has which borrower, and lists over the newest count, from the database",
    ),
    **dict.fromkeys(
        ("queue-next", "call-begin", "call-leave", "call-do-not-call"),
        "who is calling whom, in the database; tests/collections has the loans that Next reads",
    ),
    **dict.fromkeys(
        ("sheets", "sheet-new", "sheet", "sheet-print", "sheet-return", "sheet-cancel"),
        "counts, sheets and what came back, from the database",
    ),
    **dict.fromkeys(
        ("policies", "policy", "policy-decide", "policy-presets"),
        "rules of the lender, in the database",
    ),
    **dict.fromkeys(("papers", "paper"), "what was printed before, from the database"),
    **dict.fromkeys(
        (
            *("bulk-papers-new", "bulk-papers-begin", "bulk-papers", "bulk-papers-progress"),
            *("bulk-papers-resume", "bulk-papers-print"),
        ),
        "lists and papers, from the database; tests/papers has the loans without one",
    ),
    **dict.fromkeys(
        ("borrower-papers", "loan-papers"), "tests/papers has the loans that have no paper"
    ),
    "key-facts": "tests/papers has the contracts that have no key facts",
    **dict.fromkeys(
        ("offer-refusal", "assessment-refusal"), "tests/papers has the answers that refuse nobody"
    ),
    "repayments-day": "the journal of a day, from the database",
    "repayments-day-count": "a person's count, kept in the database",
    "repayments-day-export": "the journal of a day, from the database",
    "mistake-report": "a person's word, kept in the database",
    "mistake-review": "a person's word, kept in the database",
    "write-resolve": "a person's word, kept in the database",
    "repayment-approve": "only for what awaits approval; tests/repayments has the odd loans",
    "repayment-decline": "a person's word, kept in the database",
    "repayment-resolve": "a person's word, kept in the database",
    "repayment-set-aside": "a person's word, kept in the database",
    "repayment-print": "the receipt, from the database",
    "repayment-alarm-seen": "a person's word, kept in the database",
    "write-alarm-seen": "a person's word, kept in the database",
    "book-count": "asks the worker, which reads; tests/portfolio has the odd answers",
    "book-stop": "stops the worker",
    "book-progress": "how far the worker is, from the database",
    "borrower-list": "what the worker counted, from the database",
    "loan-list": "what the worker counted, from the database",
    "loan-list-export": "what the worker counted, from the database",
    "saved-list": "what the worker counted, from the database",
    "saved-list-export": "what the worker counted, from the database",
    "saved-list-new": "a person's own list, kept in the database",
    "saved-list-pin": "a person's own list, kept in the database",
    "saved-list-delete": "a person's own list, kept in the database",
    "borrower-new": "a form of empty fields; what it sends lands on the borrower's page",
    "borrower-used-values": "words of a list, escaped; tests/borrowers has the odd answers",
    "borrower-edit-confirm": "shows what the form kept; its POST compares what it reads",
    "loan-new": "a form of empty fields; what it sends lands on the loan's page",
    "event-confirm": "shows what the form kept",
}
