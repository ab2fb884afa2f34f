"""Each string of a template is marked; what customers and clerks read is translated."""

import ast
import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po
from django.utils.translation.template import templatize

from tests.lints.python_text import find_unmarked as find_unmarked_words
from tests.lints.template_text import find_unmarked

ROOT = Path(__file__).resolve().parents[2]
LOCALE = ROOT / "lendingadmin" / "locale"
LANGUAGES = ("fr", "sw")
TEMPLATES = ROOT / "templates"
# The style guide is for who builds the house: it shows made-up records.
READ = [path for path in sorted(TEMPLATES.rglob("*.html")) if path.parts[-2] != "styleguide"]
SHEETS = [TEMPLATES / "repayments" / name for name in ("sheet.html", "_sheet.html")]
SMS = ROOT / "lendingadmin" / "money" / "repayments" / "sms.py"
PACKAGE = ROOT / "lendingadmin"
# What a clerk meets in the main job: sign in, find, borrower, loan, record, review, approval,
# receipt, end of day, errors, Home.
CLERKS = [
    *("templates/account/login.html", "templates/account/profile.html"),
    *("templates/4*.html", "templates/5*.html", "templates/fault.html", "templates/base.html"),
    *("templates/_alarm.html", "templates/_brand.html", "templates/_copy.html"),
    *("templates/_dead_end.html", "templates/_error_card.html", "templates/_history_link.html"),
    *("templates/_keys.html", "templates/_list.html", "templates/_pager.html"),
    *("templates/_plain.html", "templates/_sidebar.html", "templates/_top.html"),
    *("templates/_unidentified.html", "templates/_waiting.html", "templates/search/*.html"),
    *("templates/portfolio/_payment_box.html", "templates/portfolio/payment.html"),
    *("templates/_autosave.html", "templates/_filters.html", "templates/policies/_note.html"),
    "templates/django/forms/field.html",
    *("templates/loans/_*.html", "templates/loans/loan.html"),
    *("templates/portfolio/_payees.html", "templates/portfolio/home.html"),
    *("templates/repayments/_*.html", "templates/repayments/confirm.html"),
    *("templates/repayments/day.html", "templates/repayments/journal.html"),
    *("templates/repayments/needs_checking.html", "templates/repayments/new.html"),
    "templates/repayments/receipt.html",
    *("templates/papers/*.html", "lendingadmin/desk/papers/[!e]*.py"),
    "lendingadmin/records/offers/forms.py",
    *("lendingadmin/desk/collections/barriers.py", "lendingadmin/desk/collections/states.py"),
    *("lendingadmin/desk/portfolio/forms.py", "lendingadmin/desk/portfolio/views/payment.py"),
    "lendingadmin/money/repayments/[!_]*/dayend.py",
    "lendingadmin/money/repayments/[!_]*/journal.py",
    "lendingadmin/money/repayments/[!_]*/recording.py",
    "lendingadmin/money/repayments/approvals.py",
    "lendingadmin/money/repayments/estimate.py",
    "lendingadmin/money/repayments/evidence.py",
    "lendingadmin/money/repayments/forms.py",
    "lendingadmin/money/repayments/managers.py",
    "lendingadmin/money/repayments/messages.py",
    "lendingadmin/money/repayments/models.py",
    "lendingadmin/money/repayments/reconciliation.py",
    "lendingadmin/money/repayments/states.py",
    "lendingadmin/money/writes/states.py",
    "lendingadmin/office/staff/views/profile.py",
    "lendingadmin/people/search/*.py",
    *("lendingadmin/web/access.py", "lendingadmin/web/errors.py"),
    *("lendingadmin/web/fields.py", "lendingadmin/web/middleware.py"),
    *("lendingadmin/web/navigation.py", "lendingadmin/web/unavailable.py"),
    *("lendingadmin/web/display/statuses.py", "lendingadmin/web/display/text.py"),
    "lendingadmin/web/display/times.py",
    "templates/glossary.html",
    "lendingadmin/web/display/glossary.py",
    "lendingadmin/web/display/durations.py",
    "lendingadmin/web/display/charts.py",
    "lendingadmin/web/display/rates.py",
    "lendingadmin/web/lists.py",
    "lendingadmin/web/dates.py",
    "lendingadmin/web/moments.py",
    "lendingadmin/web/keyset.py",
    "lendingadmin/web/quotas.py",
    "lendingadmin/lending/*.py",
    "lendingadmin/core/staff/roles.py",
    "lendingadmin/core/worker/*.py",
    "templates/notes/_pinned.html",
    "templates/notes/_card.html",
    "templates/portfolio/home/*.html",
    "templates/portfolio/_horizontal_bars.html",
    "templates/portfolio/_numbers.html",
    "templates/portfolio/_opened_by.html",
    "templates/portfolio/_progress.html",
    "templates/portfolio/_series.html",
    "templates/portfolio/_snapshot.html",
    "templates/_chart.html",
    "templates/_schedule_chart.html",
    "templates/_export.html",
    "templates/_technical.html",
    "templates/_leaves.html",
    "templates/_reveal.html",
    "lendingadmin/desk/portfolio/dashboard.py",
    "lendingadmin/desk/portfolio/models.py",
    "lendingadmin/desk/portfolio/snapshot_job.py",
    "lendingadmin/money/repayments/decisions.py",
    "lendingadmin/money/repayments/sending.py",
    "lendingadmin/money/repayments/services.py",
    "lendingadmin/money/repayments/views/approving.py",
    "templates/repayments/approve.html",
    "templates/repayments/sheet.html",
    "templates/account/logout.html",
    "templates/account/reauthenticate.html",
    "templates/portfolio/no_role.html",
    "lendingadmin/money/writes/messages.py",
    "lendingadmin/money/writes/reconciliation.py",
    "lendingadmin/desk/statements/contradictions.py",
    "lendingadmin/desk/sheets/services.py",
    "lendingadmin/desk/statements/batches.py",
    "lendingadmin/desk/collections/services.py",
    "lendingadmin/core/staff/second_manager.py",
    "lendingadmin/people/index/names.py",
    "lendingadmin/people/index/cards.py",
    "templates/writes/*.html",
    *("templates/offers/_earlier.html", "templates/offers/_request_offer.html"),
    "lendingadmin/desk/assignments/models.py",
    "templates/borrowers/_assessments.html",
    "templates/borrowers/_devices.html",
    "templates/borrowers/_entries.html",
    "templates/borrowers/_events.html",
    "templates/borrowers/_history.html",
    "templates/borrowers/_loan_assessment.html",
    "templates/borrowers/_loans.html",
    "templates/borrowers/_masked.html",
    "templates/borrowers/_none_here.html",
    "templates/borrowers/_owing.html",
    "templates/borrowers/_panel.html",
    "templates/borrowers/_record_side.html",
    "templates/borrowers/_title.html",
    "templates/borrowers/borrower.html",
    "templates/borrowers/panel.html",
    "templates/borrowers/list.html",
    "templates/borrowers/record.html",
    "templates/assessments/_index_age.html",
    "templates/assignments/_officer.html",
    "templates/collections/_calling.html",
    "lendingadmin/records/borrowers/fields.py",
    "lendingadmin/records/borrowers/panels.py",
    "lendingadmin/records/borrowers/loan_table.py",
    "lendingadmin/records/borrowers/parts.py",
    "lendingadmin/records/borrowers/reads.py",
    "lendingadmin/records/borrowers/views/records.py",
    "lendingadmin/web/display/assessments.py",
]
# Who reads these runs or writes the house; the client knows no Django.
_UNREAD = {
    *("sandbox", "demo", "styleguide", "migrations", "management", "lending", "monitoring"),
    *("encryption.py", "env.py", "checks.py"),
}
MODULES = [
    path
    for path in sorted(PACKAGE.glob("*/**/*.py"))
    if _UNREAD.isdisjoint(path.relative_to(PACKAGE).parts)
]
# What is stored or told as it stands: outcomes and actions of the trail, purposes of keys, headers,
# what monitors, the log, the database and Redis are told, patterns of dates, names of fields, a
# value in an address.
NOT_WORDS = {
    "core/audit/messages.py": {
        *("second factor", "held back", "opened for printing", "opened for reprinting"),
        *("typed again", "not restored", "started in bulk"),
    },
    "core/audit/restores.py": {
        "a restore of the database would not be noticed, because AUDIT_ANCHOR can't be used",
        "the database may have been restored (found {} UTC): "
        "nothing is sent until `manage.py restored` has run",
    },
    "web/display/locales.py": {"d MMM y", "MMM yy"},
    "records/loans/shown.py": {"repayment principal interest fees"},
    "core/gateway/health.py": {
        "the clock of this host is {} seconds off that of the lending service"
    },
    "records/borrowers/views/kept.py": {"application/json; charset=utf-8"},
    "records/notes/services.py": {"write a note"},
    "people/index/find.py": {"Time when the index of people was last complete, by app; Unix time."},
    "desk/portfolio/snapshot_job.py": {
        "Start of the newest complete update of loans, by app; Unix time."
    },
    "desk/portfolio/views/loan_lists.py": {"loan lists"},
    "web/navigation.py": {"lendingadmin {}"},
    "money/repayments/mistakes.py": {"report a mistake"},
    "money/repayments/views/recording.py": {"record a repayment"},
    "core/staff/adapter.py": {"held back"},
    "core/staff/services.py": {"set by link"},
    "core/staff/signals.py": {"second factor"},
    "desk/statements/progress.py": {
        "Batches of statements that are not done, by app and state.",
        "Payments of batches that are accepted and not entered yet, by app.",
        "Last change of the slowest batch in progress, by app; 0 if there is none.",
    },
    "desk/portfolio/loan_totals.py": {"CAST(%(expressions)s AS numeric)"},
    "web/apicalls.py": {"Authorization: Bearer {}", "Content-Type: application/json"},
    "web/keyset.py": {"(SELECT COUNT(*) FROM ({}) AS counted)"},
    "web/exports.py": {
        """TO_CHAR(%(expressions)s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')""",
        "text/csv; charset=utf-8",
    },
    "web/lists.py": {"another one"},
    "web/xlsx.py": {"yyyy-mm-dd hh:mm:ss"},
    "web/logs.py": {"(no route)", ", and {} more since the last line"},
    "web/middleware.py": {"no-store, private"},
    "money/repayments/reconciliation.py": {
        "a repayment has waited to be checked since {} UTC",
        "Repayments that need checking, by app.",
        "Due time of the check that has waited longest; Unix time, 0 for none.",
    },
    "web/views.py": {
        "text/plain; charset=utf-8",
        "not ready: {}",
        "METRICS_TOKEN is needed",
        "there is no METRICS_TOKEN",
    },
    "desk/papers/bulk.py": {
        "When the slowest papers in bulk that the worker makes last moved, by app; 0 for none."
    },
    "core/worker/duties.py": {
        *("no worker has beaten since {} UTC", "no worker has run yet"),
        "When a worker beat last; Unix time.",
    },
}
# Operators read all of it, or the database does, or it is what files say.
_FOR_OPERATORS = {
    *("core/gateway/checkup.py", "core/audit/triggers.py", "core/caching/counters.py"),
    *("desk/statements/reading/days.py", "desk/statements/reading/head.py"),
    *("desk/statements/reading/layouts.py", "desk/statements/reading/meanings.py"),
    "desk/statements/agreement.py",
    *("core/policies/files.py", "core/policies/presets.py"),
    *("desk/statements/agreement.py", "core/gateway/env_file.py"),
}
_TRANSLATED = re.compile(r'{% translate "([^"]+)"')
_BLOCK = re.compile(r"{% blocktranslate [^%]*%}(.*?){% endblocktranslate %}", re.DOTALL)
_GETTEXT = re.compile(r'gettext\(\s*"([^"]+)"')
_TEXT = r"""(u?'(?:[^'\\]|\\.)*'|u?"(?:[^"\\]|\\.)*")"""
_ONE = re.compile(rf"\b(?:gettext|_)\(\s*{_TEXT}")
_MANY = re.compile(rf"\bngettext\(\s*{_TEXT}\s*,\s*{_TEXT}")


def read_catalogue(language: str) -> Catalog:
    with (LOCALE / language / "LC_MESSAGES" / "django.po").open("rb") as file:
        return read_po(file, locale=language)


def list_for_customers() -> set[str]:
    """The strings of the paper and of the text for SMS, as gettext names them."""
    clerks = re.compile(r"{% language .*?{% endlanguage %}", re.DOTALL)
    paper = "".join(clerks.sub("", sheet.read_text()) for sheet in SHEETS)
    found = set(_TRANSLATED.findall(paper))
    found |= {re.sub(r"{{ (\w+) }}", r"%(\1)s", one.strip()) for one in _BLOCK.findall(paper)}
    return found | set(_GETTEXT.findall(SMS.read_text()))


Message = str | tuple[str, str]


def list_for_clerks() -> set[Message]:
    """The strings of all places of the main job; one with a plural is a pair."""
    paths = [path for place in CLERKS for path in _find(place)]
    return {one for path in paths for one in list_messages(path.read_text(), path.suffix)}


def _find(place: str) -> list[Path]:
    found = sorted(ROOT.glob(place))
    assert found, f"no file is at {place}"
    return found


def list_messages(source: str, suffix: str) -> list[Message]:
    """The strings that a template or a module marks for gettext."""
    if suffix == ".html":
        marked = templatize(source)
        pairs = [(ast.literal_eval(a), ast.literal_eval(b)) for a, b in _MANY.findall(marked)]
        return [*map(ast.literal_eval, _ONE.findall(marked)), *pairs]
    tree = ast.parse(source)
    # The client, which imports no Django, has a mark of its own.
    names = {"_": "gettext_noop", "gettext_noop": "gettext_noop"} | {
        one.asname or one.name: one.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for one in node.names
    }
    found: list[Message] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            mark = names.get(node.func.id, "")
            given = [one.value for one in node.args if isinstance(one, ast.Constant)]
            if mark.startswith("gettext") and given:
                found.append(str(given[0]))
            elif mark.startswith("ngettext"):
                found.append((str(given[0]), str(given[1])))
    return found


@pytest.mark.parametrize("path", READ, ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_every_string_of_a_template_is_marked(path: Path) -> None:
    source = path.read_text()
    found = [source[one.start : one.end].strip() for one in find_unmarked(source)]
    assert not found, "mark these with translate, blocktranslate or _()"


@pytest.mark.parametrize("path", READ, ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_a_text_with_a_value_is_a_block(path: Path) -> None:
    """The tag `translate` would show the name of the value, in its braces."""
    assert not re.findall(r"""{%\s*translate\s+["'][^"']*{[{%]""", path.read_text())


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_text_of_a_module_is_marked(path: Path) -> None:
    name = str(path.relative_to(PACKAGE))
    found = {one.text for one in find_unmarked_words(path.read_text())}
    allowed = found if name in _FOR_OPERATORS else NOT_WORDS.get(name, set())
    assert found == allowed, "mark these with gettext, or strike what is not there any more"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("<p>Loans</p>", ["Loans"]),
        ("<p>{{ loan.id }} · 12 %</p>", []),
        ("<p>{{ amount }} overdue</p>", ["{{ amount }} overdue"]),
        ("<p>{% if late %}Late{% endif %}</p>", ["Late"]),
        ('<p title="Days late">7</p>', ["Days late"]),
        ('<p class="late" data-poll="every">7</p>', []),
        ('<td data-label="Due {{ day }}">7</td>', ["Due {{ day }}"]),
        ('<{% if url %}a href="{{ url }}"{% else %}button{% endif %} title="Go">7</p>', ["Go"]),
        ('{% include "_empty.html" with title="Nothing" icon="inbox" %}', ['"Nothing"']),
        ('{% notice "bad" "Not saved" announce=True %}{% endnotice %}', ['"Not saved"']),
        ('{% status "late" "bad" "flag" as mark %}', ['"late"']),
        ('{% term "apr" "APR" %}', ['"APR"']),
        ('{{ name|default:"nobody" }}', ['"nobody"']),
        ("{{ number|pluralize }}", ["{{ number|pluralize }}"]),
        ("<script>let words = 1;</script><!-- a note --><code>loan.id</code>", []),
        ("{# a note #}{% comment %}more{% endcomment %}", []),
        ('{% translate "Loans" %}{{ name|default:_("nobody") }}', []),
        ("{% blocktranslate %}{{ n }} loans{% endblocktranslate %}", []),
    ],
)
def test_what_is_not_marked_is_found(source: str, found: list[str]) -> None:
    assert [source[one.start : one.end].strip() for one in find_unmarked(source)] == found


def test_strings_for_customers_are_found() -> None:
    found = list_for_customers()
    some = {"Receipt", "Still overdue %(amount)s.", "Code %(code)s.", "Not a receipt"}
    assert some <= found
    assert "Back to the repayment" not in found


def test_strings_for_clerks_are_found() -> None:
    found = list_for_clerks()
    some = {"Lending desk", "Nothing was sent.", "Needs checking"}
    assert some <= found
    assert ("%(count)s day ago", "%(count)s days ago") in found
    source = (
        '{% translate "A" %}{% blocktranslate count n=x %}{{ n }} loan{% plural %}{{ n }} loans'
    )
    source += '{% endblocktranslate %}{{ name|default:_("nobody") }}'
    assert set(list_messages(source, ".html")) == {"A", "nobody", ("%(n)s loan", "%(n)s loans")}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_customers_and_clerks_read_is_translated_and_nothing_else(language: str) -> None:
    catalogue = read_catalogue(language)
    translated = {one.id for one in catalogue if one.id and all(list_forms(one.string))}
    assert translated == list_for_customers() | list_for_clerks()


def list_forms(text: str | tuple[str, ...] | list[str] | None) -> list[str]:
    return [text] if isinstance(text, str) else list(text or ())


@pytest.mark.parametrize("language", LANGUAGES)
def test_amounts_ids_and_dates_stand_outside_the_strings(language: str) -> None:
    for message in read_catalogue(language):
        if message.id:
            pairs = zip(list_forms(message.id), list_forms(message.string), strict=True)
            for source, text in pairs:
                for pattern in (r"%\(\w+\)s", r"<[^>]*>", r"\d+"):
                    names = [sorted(re.findall(pattern, one)) for one in (source, text)]
                    assert names[0] == names[1], message.id
            assert not message.fuzzy, message.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_catalogue_is_that_of_the_text(language: str) -> None:
    """A clean clone has no gettext tools, so the compiled file is kept beside its source."""
    with (LOCALE / language / "LC_MESSAGES" / "django.mo").open("rb") as file:
        compiled = {
            tuple(list_forms(one.id)): list_forms(one.string) for one in read_mo(file) if one.id
        }
    written = {
        tuple(list_forms(one.id)): list_forms(one.string)
        for one in read_catalogue(language)
        if one.id
    }
    assert compiled == written, "run: pybabel compile -d lendingadmin/locale -D django"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('title = "Not saved"', ["Not saved"]),
        ('title = _("Not saved")', []),
        ('line = f"{amount} are overdue"', ["{} are overdue"]),
        ('line = _("%(amount)s are overdue") % {"amount": amount}', []),
        ('CharField(label="Loan", required=False)', ["Loan"]),
        ('class State(TextChoices):\n    SENT = "sent", "sent"', ["sent"]),
        ('raise ValidationError("Give a day.")', ["Give a day."]),
        ('raise LookupError("no such loan")', []),
        ('_log.warning("a loan is gone")', []),
        ('messages.warning(request, "The loan is gone.")', ["The loan is gone."]),
        ('"""What it does."""', []),
        ('names = "loanId status".split()', []),
    ],
)
def test_what_is_not_marked_in_a_module_is_found(source: str, found: list[str]) -> None:
    assert [one.text for one in find_unmarked_words(source)] == found
