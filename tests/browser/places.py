"""The map: every page in every state that a person can see, and what must be done first.

The accessibility tests go through it, and `make screenshots` takes its pictures from it. Addresses
name staged records in braces (`staging.py`).
"""

from typing import NamedTuple

from tests.browser import steps


class Place(NamedTuple):
    """A page in a state. `name` is also what its pictures are called.

    `person` is who looks at it, empty for a stranger. `do` is what must be done on the page first,
    and `ends` the name of the route where that leads. `shows` is what only this state says.
    """

    name: str
    address: str
    person: str = "manager"
    do: steps.Step | None = None
    status: int = 200
    shows: str = ""
    ends: str = ""


_APP = "/apps/kenya"
_EMPTY = "/apps/uganda"
_COUNTED = f"{_APP}/loans/lists/?count={{count}}&show=figure-"
_LOAN = f"{_APP}/loans/{{open_loan}}"
_BORROWER = f"{_APP}/borrowers/{{borrower}}"
_OFFERS = f"{_APP}/borrowers/{{offered_to}}/offers"
_RUNS = f"{_APP}/borrowers/B-RUNS/offers"
_ASKED = "amount={half}&startDate={today}"
_RP = f"{_APP}/repayments"

SIGNING_IN = (
    Place("sign-in", "/accounts/login/", "", shows="Sign in"),
    Place("sign-in-refused", "/accounts/login/", "", steps.sign_in_wrongly, shows="not correct"),
    Place("sign-in-code", "/accounts/login/", "", steps.sign_in_second, ends="mfa_authenticate"),
    Place(
        "sign-in-code-refused",
        "/accounts/login/",
        "",
        steps.sign_in_with_wrong_code,
        ends="mfa_authenticate",
        shows="phone to automatic",
    ),
    Place("sign-in-inactive", "/accounts/inactive/", ""),
    Place("sign-up-closed", "/accounts/signup/", ""),
    Place("sign-out", "/accounts/logout/", "officer", shows="Sign out?"),
    Place("confirm-it-is-you", "/accounts/reauthenticate/", "late"),
    Place("confirm-by-code", "/accounts/2fa/reauthenticate/", "late"),
    Place("set-up", "{setup_link}", "", ends="account_setup", shows="Choose your password"),
    Place("set-up-void", "/accounts/set-up/MQ/no/", "", status=410, shows="does not work"),
    Place("password", "/accounts/password/change/", "officer"),
    Place(
        "password-refused",
        "/accounts/password/change/",
        "officer",
        steps.change_password_wrongly,
        shows="type your current password",
    ),
    Place(
        "password-required",
        "/glossary/",
        "given",
        ends="account_change_password",
        shows="Someone else may know your password",
    ),
    Place("too-many-tries", "/accounts/password/change/", "hurried", steps.hurry, shows="Too many"),
    Place("factors-none", "/accounts/2fa/", "officer"),
    Place("factors", "/accounts/2fa/", "second"),
    Place("code-app-add", "/accounts/2fa/totp/activate/", "officer"),
    Place(
        "code-app-add-refused",
        "/accounts/2fa/totp/activate/",
        "officer",
        steps.activate_wrongly,
        shows="phone to automatic",
    ),
    Place("code-app-remove", "/accounts/2fa/totp/deactivate/", "second"),
    Place("recovery-codes", "/accounts/2fa/recovery-codes/", "second"),
    Place("recovery-codes-new", "/accounts/2fa/recovery-codes/generate/", "second"),
    Place("keys", "/accounts/2fa/webauthn/", "keyholder", shows="Key of the till"),
    Place("keys-none", "/accounts/2fa/webauthn/", "officer"),
    Place("key-add", "/accounts/2fa/webauthn/add/", "officer"),
    Place("key-edit", "/accounts/2fa/webauthn/keys/{key}/edit/", "keyholder"),
    Place("key-remove", "/accounts/2fa/webauthn/keys/{key}/remove/", "keyholder"),
)

FRAME = (
    Place("home", f"{_APP}/", shows="Portfolio"),
    Place("home-support", f"{_APP}/", "support", shows="My repayments today"),
    Place("payment", f"{_APP}/payment", "support", shows="Record a repayment"),
    Place("home-counting", "/apps/ghana/", shows="137 of about 250"),
    Place("loans-behind-figure", _COUNTED + "par1", shows="more than 1 day late"),
    Place("loans-behind-nothing", _COUNTED + "untold:overdue"),
    Place("loan-list-overdue", f"{_APP}/loans/lists/?show=overdue", shows="Overdue loans"),
    Place("loan-list-due", f"{_APP}/loans/lists/?show=due-this-week", "officer"),
    Place("loan-list-closed", f"{_APP}/loans/lists/?show=closed", "viewer"),
    Place("loan-list-none", f"{_APP}/loans/lists/?late=61-90&product=none", shows="No loans on"),
    Place("loan-list-uncounted", f"{_EMPTY}/loans/lists/", shows="There is no portfolio yet"),
    Place("loan-list-saved", f"{_APP}/loans/lists/{{saved_list}}/", shows="Call first"),
    Place("loan-list-save", f"{_APP}/loans/lists/new?show=overdue"),
    Place("count-gone", f"{_APP}/loans/lists/?count=99999", status=404, shows="no longer saved"),
    Place("home-empty", f"{_EMPTY}/", "viewer"),
    Place("home-officer", f"{_APP}/", "officer"),
    Place("glossary", "/glossary/", "officer"),
    Place("keys-shown", f"{_APP}/", do=steps.press_question_mark),
    Place("menu-of-the-person", "/glossary/", do=steps.open_person_menu),
    Place("menu-of-apps", f"{_APP}/", do=steps.open_app_menu),
    Place("updates-paused", f"{_APP}/", "keyholder", steps.pause, shows="Updates are paused"),
    Place("calls-open", f"{_APP}/loans/{{late_loan}}/", do=steps.open_calls),
    Place("profile", "/accounts/profile/", "officer"),
    Place("find", f"{_APP}/find"),
    Place("find-nothing", f"{_APP}/find/for/{{search_nothing}}", shows="Nothing found"),
    Place("find-unknown-name", f"{_APP}/find/for/{{search_name}}", shows="not searched as an id"),
    Place("find-other-case", f"{_APP}/find/for/{{search_other_case}}", shows="capital letters"),
    Place("find-fault", f"{_APP}/find/for/{{search_fault}}", shows="Could not search for"),
    Place("find-slow", f"{_APP}/find/for/{{search_slow}}"),
    Place("find-wrong", f"{_APP}/find/for/{{search_wrong}}"),
    Place("find-in", f"{_APP}/find/for/{{search_nothing}}/in/loan"),
    Place("find-people", f"{_APP}/find/for/{{search_people}}", shows="no. "),
    Place("find-suggest", f"{_APP}/", do=steps.type_a_name, shows="borrowers"),
    Place("find-last", f"{_APP}/find/last"),
    Place("find-recalled", f"{_APP}/", do=steps.focus_find),
    Place("find-actions", f"{_APP}/loans/{{late_loan}}/", do=steps.open_actions),
    Place("keyboard", f"{_APP}/", do=steps.show_keys),
    Place("no-such-page", "/nowhere/", "officer", status=404, shows="Page not found"),
    Place("no-such-page-stranger", "/nowhere/", "", status=404, shows="Page not found"),
    Place("role-refused", f"{_APP}/borrowers/new", "viewer", status=403, shows="Your role"),
    Place("form-expired", "/accounts/login/", "", steps.send_without_token, shows="has expired"),
    Place("bad-request", "/accounts/login/", "", steps.come_by_another_name, shows="not be read"),
    Place("own-fault", "/accounts/login/", "", steps.see_own_fault, shows="Something went wrong"),
)

FAULTS = (
    Place("service-slow", f"{_APP}/loans/L-SLOW/", "support", status=504, shows="can't be shown"),
    Place("service-gone", f"{_APP}/loans/L-GONE/", "support", status=502, shows="can't be shown"),
    Place("service-gateway", f"{_APP}/loans/L-GATEWAY/", "support", status=502, shows="Try again"),
    Place("service-scope", f"{_APP}/loans/L-SCOPE/", "support", status=502, shows="scope"),
    Place("service-busy", f"{_APP}/loans/L-BUSY/", "support", status=503, shows="Try again"),
    Place("loan-not-there", f"{_APP}/loans/L-NOWHERE/", "support", status=404),
    Place("borrower-not-there", f"{_APP}/borrowers/B-NOWHERE/", "support"),
)

BORROWERS = (
    Place("borrowers", f"{_APP}/borrowers/"),
    Place("borrowers-overdue", f"{_APP}/borrowers/lists/?show=overdue", "officer"),
    Place("borrowers-empty", f"{_EMPTY}/borrowers/", "officer", shows="No borrowers"),
    Place("borrower", f"{_BORROWER}/"),
    Place("borrower-viewer", f"{_BORROWER}/", "viewer"),
    Place("borrower-panel-record", f"{_BORROWER}/panels/record"),
    Place("borrower-panel-loans", f"{_BORROWER}/panels/loans"),
    Place("borrower-panel-assessments", f"{_BORROWER}/panels/assessments", shows="updated"),
    Place(
        "borrower-panel-assessments-unread",
        f"{_EMPTY}/borrowers/B-1/panels/assessments",
        shows="have not been read yet",
    ),
    Place("borrower-panel-events", f"{_BORROWER}/panels/events"),
    Place("borrower-new", f"{_APP}/borrowers/new", "officer"),
    Place(
        "borrower-new-wrong",
        f"{_APP}/borrowers/new",
        "officer",
        steps.press("Register"),
    ),
    Place("borrower-edit", f"{_BORROWER}/edit", "officer"),
    Place(
        "borrower-edit-confirm",
        f"{_BORROWER}/edit",
        "officer",
        steps.change_the_borrower,
        ends="borrower-edit-confirm",
    ),
    Place("borrower-delete", f"{_BORROWER}/delete"),
)

OFFERS = (
    Place("offers-of-borrower", f"{_OFFERS}/", "officer"),
    Place("offers-of-borrower-none", f"{_BORROWER}/offers/", "officer"),
    Place("offer-new", f"{_OFFERS}/new", "officer"),
    Place("offer-new-wrong", f"{_OFFERS}/new", "officer", steps.press("Request offer")),
    Place("offer-made", f"{_OFFERS}/staged-done/", "officer", shows="Credit limit"),
    Place("offer-made-expired", f"{_OFFERS}/staged-gone/", "officer", shows="expired"),
    Place("offer-failed", f"{_RUNS}/staged-failed/", "officer", shows="No offer was made"),
    Place("offer-refused", f"{_RUNS}/staged-refused/", "officer", shows="refused this request"),
    Place(
        "offer-running", f"{_RUNS}/staged-running/", "officer", shows="is working on this request"
    ),
    Place("offer-asked", f"{_RUNS}/staged-asked/", "officer", shows="working on this request"),
    Place("offer-overdue", f"{_RUNS}/staged-overdue/", "officer", shows="Still running"),
    Place(
        "offer-expired", f"{_RUNS}/staged-expired/", "officer", shows="before the service finished"
    ),
    Place(
        "offer-not-ours",
        f"{_OFFERS}/from-elsewhere/",
        "officer",
        shows="made outside this dashboard",
    ),
    Place("contracts", f"{_OFFERS}/staged-done/contracts?{_ASKED}", "officer", shows="cheapest"),
    Place("contracts-empty", f"{_OFFERS}/staged-done/contracts", "officer"),
    Place("contracts-wrong", f"{_OFFERS}/staged-done/contracts?amount=x&startDate=y", "officer"),
    Place(
        "loan-from-offer", f"{_OFFERS}/staged-done/contracts/{{product}}/loan?{_ASKED}", "officer"
    ),
)

LOANS = (
    Place("loans", f"{_APP}/loans/"),
    Place("loans-empty", f"{_EMPTY}/loans/", "officer", shows="No loans yet"),
    Place("loans-none-match", f"{_APP}/loans/?borrowerId=nobody", shows="No loan matches"),
    Place("loans-filter-wrong", f"{_APP}/loans/?borrowerId=two+words", shows="Nothing to show yet"),
    Place("loans-next-page", f"{_APP}/loans/?pageSize=25", do=steps.next_page, shows="First page"),
    Place("loan", f"{_LOAN}/"),
    Place("loan-viewer", f"{_LOAN}/", "viewer"),
    Place("loan-late", f"{_APP}/loans/{{late_loan}}/", "support"),
    Place("loan-closed", f"{_APP}/loans/{{closed_loan}}/", "support", shows="settled"),
    Place("loan-pending", f"{_APP}/loans/{{pending_loan}}/", "officer"),
    Place("loan-in-doubt", f"{_APP}/loans/{{busy_loan}}/", "support"),
    Place("loan-recorded", f"{_APP}/loans/{{recorded_loan}}/", "support"),
    Place("loan-new", f"{_APP}/loans/new", "officer"),
    Place("loan-new-wrong", f"{_APP}/loans/new", "manager", steps.record_loan_wrongly),
    Place("loan-delete", f"{_APP}/loans/{{pending_loan}}/delete"),
)

REPAYMENTS = (
    Place("repayment-new", f"{_LOAN}/repayments/new", "support"),
    Place("repayment-new-wrong", f"{_LOAN}/repayments/new", "support", steps.enter_wrongly),
    Place("repayment-new-busy", f"{_APP}/loans/{{busy_loan}}/repayments/new", "support"),
    Place(
        "repayment-confirm",
        f"{_LOAN}/repayments/new",
        "support",
        steps.enter,
        ends="repayment-confirm",
        shows="Record KES",
    ),
    Place(
        "repayment-confirm-alike",
        f"{_APP}/loans/{{recorded_loan}}/repayments/new",
        "support",
        steps.enter_again,
        ends="repayment-confirm",
        shows="look similar",
    ),
    Place(
        "repayment-confirm-gap",
        "/apps/ghana/loans/L-G10001/repayments/new",
        "support",
        steps.enter,
        ends="repayment-confirm",
        shows="an earlier or the current amount is missing",
    ),
    Place(
        "receipt-recorded",
        f"{_RP}/{{rp_recorded}}/",
        "support",
        # "is now", or after two minutes "after it was".
        shows="KES 9,000.00",
    ),
    Place(
        "receipt-paper",
        f"{_RP}/{{rp_recorded}}/",
        "support",
        steps.press("Print"),
        ends="repayment-print",
        shows=": KES 9,000.00.",
    ),
    Place(
        "slip-paper",
        f"{_RP}/{{rp_unknown}}/",
        "support",
        steps.press("Slip 80 mm"),
        ends="repayment-print",
        shows="Not a receipt",
    ),
    Place("receipt-not-yet", f"{_RP}/{{rp_not_yet}}/", "support", shows="has not changed yet"),
    Place("receipt-awaiting", f"{_RP}/{{rp_awaiting}}/", shows="Decline"),
    Place(
        "receipt-awaiting-mine", f"{_RP}/{{rp_awaiting}}/", "support", shows="Cancel this repayment"
    ),
    Place("receipt-declined", f"{_RP}/{{rp_declined}}/", "support", shows="Send it again"),
    Place("repayment-approve", f"{_RP}/{{rp_awaiting}}/approve", shows="Approve and record"),
    Place("receipt-refused", f"{_RP}/{{rp_refused}}/", "support", shows="Send it again"),
    Place("receipt-not-sent", f"{_RP}/{{rp_not_sent}}/", "support", shows="Send it again"),
    Place(
        "receipt-unknown",
        f"{_RP}/{{rp_unknown}}/",
        "support",
        shows="Do not enter this repayment again",
    ),
    Place("receipt-unknown-old", f"{_RP}/{{rp_unknown_old}}/", shows="Resolve"),
    Place("receipt-set-aside", f"{_RP}/{{rp_set_aside}}/", shows="Resolve"),
    Place("receipt-presumed", f"{_RP}/{{rp_presumed}}/", shows="Probably recorded"),
    Place("receipt-not-found", f"{_RP}/{{rp_not_found}}/", shows="Send it again"),
    Place("receipt-alarm", f"{_RP}/{{rp_alarm}}/", shows="OK"),
    Place("receipt-resolved-yes", f"{_RP}/{{rp_resolved_recorded}}/", shows="It was recorded"),
    Place("receipt-resolved-no", f"{_RP}/{{rp_resolved_not_recorded}}/", shows="was not recorded"),
    Place("receipt-mistake", f"{_RP}/{{rp_mistaken}}/", shows="Close the report"),
    Place("receipt-reviewed", f"{_RP}/{{rp_reviewed}}/", shows="corrected at the service"),
    Place("receipt-resolve-wrong", f"{_RP}/{{rp_unknown_old}}/", do=steps.press("Resolve")),
    Place("journal", f"{_RP}/"),
    Place("journal-empty", f"{_EMPTY}/repayments/", "support"),
    Place("journal-none-match", f"{_RP}/?person=nobody", "support"),
    Place("days-end", f"{_RP}/day/", "support"),
    Place("days-end-empty", f"{_EMPTY}/repayments/day/", "support"),
    Place("days-end-wrong", f"{_RP}/day/?day=never", "support"),
    Place("unknown", f"{_RP}/unknown/", "support"),
    Place("unknown-empty", f"{_EMPTY}/repayments/unknown/", "support"),
    Place("unknown-restored", "/apps/ghana/repayments/unknown/", shows="was restored"),
    Place("restored", "/apps/ghana/repayments/restored/", shows="MTN MoMo"),
    Place("restored-not", f"{_RP}/restored/", shows="No records are missing"),
)

WRITES = (
    *(
        Place(f"write-{state}", f"{_APP}/writes/staged-{state}/", person, shows="B-STAGED")
        for state, person in (
            ("saved", "officer"),
            ("refused", "officer"),
            ("unknown", "officer"),
            ("found", "manager"),
            ("differs", "manager"),
            ("absent", "manager"),
            ("resolved", "officer"),
        )
    ),
    Place("write-not-mine", f"{_APP}/writes/staged-saved/", "viewer", status=403),
)

ASSESSMENTS = (
    Place("assessments", f"{_APP}/assessments/"),
    Place("assessments-empty", f"{_EMPTY}/assessments/", "officer"),
    Place("assessment-authorized", f"{_APP}/assessments/{{assessment_authorized}}/", "officer"),
    Place("assessment-declined", f"{_APP}/assessments/{{assessment_declined}}/", "officer"),
    Place("assessment-invalid", f"{_APP}/assessments/{{assessment_invalid}}/", "officer"),
    Place("assessment-running", f"{_APP}/assessments/A-RUNS/", "officer", shows="is running"),
    Place("assessment-overdue", f"{_APP}/assessments/A-RUNS-OLD/", "officer", shows="stopped"),
    Place("assessment-new", f"{_APP}/assessments/new?borrower={{borrower}}", "officer"),
    Place("assessment-new-wrong", f"{_APP}/assessments/new", "officer", steps.submit),
)

EVENTS = (
    Place("events", f"{_APP}/events/"),
    Place("events-empty", f"{_EMPTY}/events/", "officer"),
    Place("events-none-match", f"{_APP}/events/?accountId=borrower:nobody"),
    Place("event", f"{_APP}/events/", "viewer", steps.open_first_row, ends="event"),
    Place("event-shown", f"{_APP}/events/", "officer", steps.reveal, ends="event-reveal"),
    Place("event-new", f"{_APP}/events/new", "officer"),
    Place("event-new-file", f"{_APP}/events/new?by=file", "officer"),
    Place("event-new-wrong", f"{_APP}/events/new", "officer", steps.press("Review")),
    Place(
        "event-confirm", f"{_APP}/events/new?by=file", "officer", steps.report, ends="event-confirm"
    ),
)

NOTES = (
    Place("timeline-borrower", f"{_BORROWER}/timeline/", shows="takes calls for him"),
    Place("timeline-viewer", f"{_BORROWER}/timeline/", "viewer", shows="From this dashboard"),
    Place("timeline-kind", f"{_BORROWER}/timeline/?kind=notes", "officer", shows="harvest"),
    Place("timeline-no-kind", f"{_BORROWER}/timeline/?kind=nothing", status=404),
    Place("timeline-month", f"{_BORROWER}/timeline/?month=2020-02", shows="Nothing in this month"),
    Place("timeline-none", f"{_EMPTY}/borrowers/B-1/timeline/", "officer", shows="Nothing yet"),
    Place("timeline-loan", f"{_APP}/loans/{{late_loan}}/timeline/", "support", shows="pinned"),
    Place("timeline-gap", f"{_APP}/loans/L-GONE/timeline/", "support", shows="could not be read"),
    Place("loan-pinned", f"{_APP}/loans/{{late_loan}}/", "officer", shows="takes calls for him"),
    Place("note-new", f"{_BORROWER}/notes/new", "support", shows="Save note"),
    Place("note-new-wrong", f"{_BORROWER}/notes/new", "support", steps.press("Save note")),
    Place(
        "note-new-loan", f"{_APP}/loans/{{late_loan}}/notes/new", "officer", shows="Pin this note"
    ),
    Place("note", f"{_APP}/notes/{{note_revised}}/", "officer", shows="version 2"),
    Place("note-deleted", f"{_APP}/notes/{{note_deleted}}/", "officer", shows="Deleted by"),
    Place("note-named", f"{_APP}/notes/{{note_named}}/", shows="This note mentions you"),
    Place("note-revise", f"{_APP}/notes/{{note_revised}}/revise", "officer", shows="older version"),
    Place("home-named", f"{_APP}/", shows="Mentions"),
    Place(
        "repayment-confirm-pinned",
        f"{_APP}/loans/{{late_loan}}/repayments/new",
        "support",
        steps.enter,
        ends="repayment-confirm",
        shows="Pinned notes",
    ),
)

OFFICE = (
    Place("products", "/products/"),
    Place("product", "/products/{product}/", "officer"),
    Place("assessment-types", "/assessment-types/"),
    Place("assessment-type", "/assessment-types/credit-90-days/", "officer"),
    Place("audit", "/audit/"),
    Place("audit-none-match", "/audit/?person=nobody"),
    Place("people", "/people/", shows="Not set up yet"),
    Place("people-none-match", "/people/?name=nobody-here", shows="No person matches"),
    Place("person-new", "/people/new"),
    Place("person-new-wrong", "/people/new", do=steps.press("Add person"), shows="required"),
    Place("person", "/people/{person}/", shows="Remove two-step sign-in"),
    Place("person-password-required", "/people/{given}/", shows="must change the password"),
    Place("person-own", "/people/{manager}/", shows="Change your password"),
    Place("person-deactivated", "/people/{gone}/", shows="Reactivate"),
    Place(
        "person-setup-link",
        "/people/{person}/",
        do=steps.press("Make a set-up link"),
        ends="person-setup-link",
        shows="see the link only once",
    ),
    Place("roles", "/people/roles/"),
    Place("settings", f"{_APP}/settings/", shows="Calling rules"),
    Place("settings-empty", f"{_EMPTY}/settings/", shows="not changed yet"),
    Place("settings-calling", f"{_APP}/settings/calling/", shows="in force"),
    Place(
        "settings-calling-wrong",
        f"{_APP}/settings/calling/",
        do=steps.change_hours_wrongly,
        shows="later than the beginning",
    ),
    Place("settings-lender", f"{_APP}/settings/lender/", shows="Licence number"),
    Place("settings-late-sheets", f"{_APP}/settings/late-sheets/", shows="planned for"),
    Place("settings-limits", f"{_APP}/settings/repayment-limits/", shows="Approve"),
    Place("settings-limits-default", f"{_EMPTY}/settings/repayment-limits/", shows="Second person"),
    Place("settings-required", f"{_APP}/settings/required-fields/", shows="Government"),
    Place("settings-quotas", f"{_APP}/settings/quotas/", shows="Exports"),
    Place("settings-words", f"{_APP}/settings/status-words/", shows="substandard"),
    Place("settings-retention", f"{_APP}/settings/retention/", shows="0 means never"),
    Place("settings-second", f"{_APP}/settings/second-manager/", shows="all apps"),
    Place("settings-country", f"{_APP}/settings/countries/?country=UG", shows="ten years"),
    Place("settings-country-none", f"{_APP}/settings/countries/", shows="not verified"),
    Place("settings-late-sheets-default", f"{_EMPTY}/settings/late-sheets/", shows="No changes"),
)

# The slowest stand first, so that nobody waits for them at the end.
STATEMENTS = (
    Place("statements", f"{_APP}/statements/", "support", shows="M-PESA"),
    Place("statements-none", f"{_EMPTY}/statements/", "support", shows="No statement yet"),
    Place("statement-new", f"{_APP}/statements/new", "support"),
    Place(
        "statement-whole",
        f"{_APP}/statements/{{statement_whole}}/",
        "support",
        shows="complete",
    ),
    Place(
        "statement-missing",
        f"{_APP}/statements/{{statement_whole}}/?standing=missing",
        "manager",
        shows="not recorded",
    ),
    Place(
        "statement-none-match",
        f"{_APP}/statements/{{statement_whole}}/?standing=twice",
        "support",
        shows="No row matches this filter",
    ),
    Place(
        "statement-cut", f"{_APP}/statements/{{statement_cut}}/", "support", shows="rows missing"
    ),
    Place("statement-days", f"{_APP}/statements/{{statement_days}}/", "support", shows="day/month"),
    Place(
        "statement-columns",
        f"{_APP}/statements/{{statement_unknown}}/columns",
        "support",
        shows="Choose columns",
    ),
    Place(
        "statement-columns-again",
        f"{_APP}/statements/{{statement_mapped}}/columns",
        "support",
        shows="Your choice is used",
    ),
    Place(
        "statement-mapped",
        f"{_APP}/statements/{{statement_mapped}}/",
        "support",
        shows="Change columns",
    ),
    Place(
        "statement-unmapped",
        f"{_APP}/statements/{{statement_unknown}}/",
        "support",
        shows="The columns are not chosen yet",
    ),
    Place(
        "statement-row-record",
        f"{_APP}/statements/{{statement_whole}}/rows/{{statement_row}}/record",
        "support",
        shows="Record a repayment",
    ),
    Place(
        "statements-covered",
        f"{_APP}/statements/covered/?month=2026-10",
        "support",
        shows="complete",
    ),
    Place(
        "statements-covered-none",
        f"{_EMPTY}/statements/covered/",
        "support",
        shows="No statement for any day",
    ),
    Place(
        "statements-day",
        f"{_APP}/statements/covered/2026-10-01/",
        "manager",
        shows="our records and statements",
    ),
    Place(
        "statements-contradictions",
        f"{_APP}/statements/contradictions/",
        "manager",
        shows="Differences between",
    ),
    Place(
        "statements-contradictions-none",
        f"{_EMPTY}/statements/contradictions/",
        "manager",
        shows="No differences",
    ),
    Place("statement-payers", f"{_APP}/statements/payers/", "support", shows="Remove"),
    Place(
        "statement-payers-none", f"{_EMPTY}/statements/payers/", "support", shows="No saved payers"
    ),
    Place("unallocated", f"{_APP}/statements/unallocated/", "support", shows="Take over"),
    Place(
        "unallocated-none",
        f"{_EMPTY}/statements/unallocated/",
        "support",
        shows="No unallocated money",
    ),
    Place(
        "unallocated-place",
        f"{_APP}/statements/unallocated/{{statement_line}}/place",
        "support",
        shows="Status",
    ),
    Place(
        "statement-batch",
        f"{_APP}/statements/{{statement_whole}}/batch/",
        "support",
        shows="to decide",
    ),
    Place(
        "statement-batch-filtered",
        f"{_APP}/statements/{{statement_whole}}/batch/?finding=overpaid",
        "support",
        shows="Accept all undecided rows",
    ),
    Place(
        "statement-batch-record",
        f"{_APP}/statements/{{statement_whole}}/batch/record",
        "support",
        shows="Each payment is recorded once",
    ),
    Place(
        "statement-batch-waiting",
        f"{_APP}/statements/{{statement_approve}}/batch/",
        "support",
        shows="asked for approval by a second person",
    ),
    Place(
        "statement-batch-approve",
        f"{_APP}/statements/{{statement_approve}}/batch/approve",
        "manager",
        shows="Approve and record",
    ),
    Place(
        "statement-allocation",
        f"{_APP}/statements/{{statement_whole}}/batch/rows/{{statement_row}}/1",
        "support",
        shows="Split between several loans",
    ),
)

_CALLS = f"{_APP}/collections"
COLLECTIONS = (
    Place("collections", f"{_CALLS}/", shows="The last seven days"),
    Place("collections-officer", f"{_CALLS}/", "officer", shows="Results"),
    Place(
        "collections-uncounted",
        f"{_EMPTY}/collections/",
        "officer",
        shows="There is no portfolio yet",
    ),
    Place("queue", f"{_CALLS}/late-31/", "officer", shows="31 days late and more"),
    Place("queue-none", f"{_CALLS}/broken/", "officer", shows="No calls in this queue"),
    Place("call", f"{_CALLS}/calls/{{called}}/", "officer", shows="Start a call"),
    Place(
        "call-next",
        f"{_CALLS}/late-31/",
        "support",
        steps.press("Next"),
        ends="call",
        shows="Result",
    ),
    Place(
        # Of somebody else than "call-next": a person's Next lets go whom the last one took.
        "call-wrongly",
        f"{_CALLS}/late-31/",
        "officer",
        steps.note_call_wrongly,
        ends="call",
        shows="Enter the promised amount",
    ),
    Place("call-of-nobody", f"{_CALLS}/calls/no-such-borrower/", "officer", status=404),
    Place("call-stops", f"{_CALLS}/stops/", shows="Allow calls"),
    Place(
        "call-stops-none",
        f"{_EMPTY}/collections/stops/",
        "officer",
        shows="Calls to all borrowers are",
    ),
    Place("call-stop-end", f"{_CALLS}/stops/{{stop}}/end", shows="Reason"),
    Place("promise", f"{_CALLS}/promises/{{promise}}/", shows="Decide"),
    Place(
        "promise-decided", f"{_CALLS}/promises/{{promise_decided}}/", "officer", shows="Decided by"
    ),
)

_ASSIGNED = f"{_APP}/collections/assignments"
ASSIGNMENTS = (
    Place("assignments", f"{_ASSIGNED}/", shows="Borrowers by officer"),
    Place("officer-borrowers", f"{_ASSIGNED}/officers/{{officer}}/", shows="Borrowers of officer"),
    Place("officer-change", f"{_ASSIGNED}/borrowers/{{called}}/", shows="Officer now"),
    Place("hand-overs", f"{_ASSIGNED}/hand-overs/", "officer", shows="support for officer"),
    Place("bulk-assignment-new", f"{_ASSIGNED}/lists/new?show=overdue", shows="Review"),
    Place(
        "bulk-assignment-counted",
        f"{_ASSIGNED}/lists/new?show=overdue&officer={{stand_in}}",
        shows="assigned to support",
    ),
    Place("bulk-assignment", f"{_ASSIGNED}/lists/{{bulk}}/", shows="Results"),
    Place("assignment-rules", f"{_ASSIGNED}/rules/", shows="Rule 1"),
    Place(
        "assignment-rules-counted",
        f"{_ASSIGNED}/rules/",
        do=steps.press("Review"),
        shows="Changes",
    ),
    Place("assignment-rule-set", f"{_ASSIGNED}/rules/{{rules}}/", shows="in force"),
    Place("queue-mine", f"{_CALLS}/mine/", "officer", shows="My borrowers"),
    Place("queue-made", f"{_CALLS}/{{made_queue}}/", shows="in the order of the list"),
    Place("call-queue-new", f"{_CALLS}/queues/new?show=overdue", shows="Callers"),
    Place("call-queue-edit", f"{_CALLS}/queues/{{made_number}}/edit", shows="Close this queue"),
)

_SHEETS = f"{_APP}/sheets"
SHEETS = (
    Place("sheets", f"{_SHEETS}/", shows="late"),
    Place("sheets-mistyped", f"{_SHEETS}/?code=AAAAAAC", "officer", shows="are swapped"),
    Place("sheets-filtered", f"{_SHEETS}/?state=cancelled", "officer", shows="cancelled"),
    Place("sheets-none", f"{_EMPTY}/sheets/", "officer", shows="No sheet yet"),
    Place("sheet-new", f"{_SHEETS}/new", "officer", shows="Make the sheet"),
    Place(
        "sheet-new-uncounted", f"{_EMPTY}/sheets/new", "officer", shows="There is no portfolio yet"
    ),
    Place("sheet", f"{_SHEETS}/{{sheet}}/", "support", shows="Enter amounts"),
    Place("sheet-back", f"{_SHEETS}/{{sheet_back}}/", "support", shows="not recorded yet"),
    Place("sheet-cancelled", f"{_SHEETS}/{{sheet_cancelled}}/", "officer", shows="Cancelled by"),
    Place("sheet-cancel", f"{_SHEETS}/{{sheet}}/cancel", shows="Check that you have the printed"),
    Place("sheet-return", f"{_SHEETS}/{{sheet}}/return", "support", shows="Save the amounts"),
    Place(
        "sheet-return-wrongly",
        f"{_SHEETS}/{{sheet}}/return",
        "support",
        steps.give_back_wrongly,
        shows="counted cash is",
    ),
    Place(
        "sheet-print",
        f"{_SHEETS}/{{sheet}}/",
        "officer",
        steps.press("Print again"),
        ends="sheet-print",
        shows="Reprint",
    ),
)

PAPERS = (
    Place("papers-of-borrower", f"{_BORROWER}/papers/", "officer", shows="No papers yet"),
    Place(
        "statement-of-account",
        f"{_LOAN}/papers/",
        "officer",
        steps.press("Statement of account"),
        ends="paper",
        shows="Owed at the end",
    ),
    Place(
        "statement-of-borrower",
        f"{_BORROWER}/papers/",
        "support",
        steps.press("Statement of account"),
        ends="paper",
        shows="Owed at the end",
    ),
    Place(
        "letter-refused",
        f"{_LOAN}/papers/",
        "officer",
        steps.press("Discharge letter"),
        ends="loan-papers",
        shows="No paper was made.",
    ),
    Place(
        "discharge-letter",
        f"{_APP}/loans/{{closed_loan}}/papers/",
        "officer",
        steps.press("Discharge letter"),
        ends="paper",
        shows="Nothing is owed",
    ),
    Place("papers-of-offer", f"{_APP}/borrowers/{{offered_to}}/papers/", "officer", shows="Key"),
    Place("key-facts-new", f"{_OFFERS}/staged-done/key-facts?{_ASKED}", "officer", shows="Starts"),
    Place(
        "key-facts-wrong",
        f"{_OFFERS}/staged-done/key-facts?amount=x&startDate=",
        "officer",
        steps.submit,
        ends="key-facts",
    ),
    Place(
        "key-facts",
        f"{_OFFERS}/staged-done/key-facts?{_ASKED}",
        "officer",
        steps.submit,
        ends="paper",
        shows="You repay in total",
    ),
    Place(
        "key-facts-of-loan",
        f"{_LOAN}/papers/",
        "officer",
        steps.press("Key facts and schedule"),
        ends="paper",
        shows="You repay in total",
    ),
    Place("refusal-new", f"{_APP}/assessments/{{assessment_declined}}/refusal", "officer"),
    Place(
        "refusal",
        f"{_APP}/assessments/{{assessment_invalid}}/refusal",
        "officer",
        steps.press("Reasons for a refusal"),
        ends="paper",
        shows="Advice",
    ),
    Place("refusal-of-offer", f"{_RUNS}/staged-failed/refusal", "officer"),
    Place(
        "refusal-not-made",
        f"{_APP}/assessments/{{assessment_authorized}}/refusal",
        "officer",
        steps.press("Reasons for a refusal"),
        ends="assessment-refusal",
        shows="No paper was made.",
    ),
    Place("notice", f"{_APP}/papers/{{notice}}/", "officer", shows="Please pay"),
    Place(
        "notice-refused",
        f"{_APP}/loans/{{late_loan}}/papers/",
        "officer",
        steps.press("Notice of what is owed"),
        ends="loan-papers",
        shows="No paper was made.",
    ),
    Place("bulk-papers-new", f"{_APP}/papers/bulk/new?show=overdue", shows="Papers of this list"),
    Place("bulk-papers-none", f"{_APP}/papers/bulk/new?late=61-90&product=none", shows="No loans"),
    Place(
        "bulk-papers-wrong",
        f"{_APP}/papers/bulk/new?show=overdue",
        "officer",
        steps.ask_for_days_to_come,
        ends="bulk-papers-begin",
        shows="in the future",
    ),
    Place(
        "bulk-papers", f"{_APP}/papers/bulk/{{bulk_papers}}/", "officer", shows="without a paper"
    ),
    Place(
        "bulk-papers-waiting", f"{_APP}/papers/bulk/{{bulk_waits}}/", "support", shows="tries again"
    ),
    Place("bulk-papers-paused", f"{_APP}/papers/bulk/{{bulk_paused}}/", shows="Continue"),
    Place(
        "bulk-papers-print",
        f"{_APP}/papers/bulk/{{bulk_papers}}/",
        "officer",
        steps.press_print_of_papers,
        ends="bulk-papers-print",
        shows="Owed at the end",
    ),
    Place("settled-loans", f"{_APP}/papers/", shows="Settled loans"),
    Place("settled-loans-uncounted", f"{_EMPTY}/papers/", shows="There is no portfolio yet"),
)

PLACES = (
    *ASSIGNMENTS,
    *FAULTS,
    *SIGNING_IN,
    *FRAME,
    *OFFERS,
    *BORROWERS,
    *LOANS,
    *REPAYMENTS,
    *WRITES,
    *STATEMENTS,
    *NOTES,
    *COLLECTIONS,
    *SHEETS,
    *PAPERS,
    *ASSESSMENTS,
    *EVENTS,
    *OFFICE,
)
