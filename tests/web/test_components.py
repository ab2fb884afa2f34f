"""The components: each draws what it is given, survives what it is not, and keeps to the CSP."""

import re
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django import forms
from django.template import Context, Template, engines
from django.template.loader import get_template, render_to_string
from django.test import RequestFactory

from lendingadmin.core.gateway import LendingApp
from lendingadmin.lending.values import Loan, Malformed
from lendingadmin.web.display.templatetags.statuses import loan_standing
from lendingadmin.web.navigation import SidebarEntry
from tests.policies.setting import set_words
from tests.web.marks import list_marks

TEMPLATES = Path(__file__).parents[2] / "templates"
NAIROBI = ZoneInfo("Africa/Nairobi")
DUE = datetime(2026, 10, 31, 23, 59, 59, 999_000, tzinfo=UTC)
KENYA = LendingApp("kenya", "KES", NAIROBI)
GHANA = LendingApp("ghana", "GHS", ZoneInfo("Africa/Accra"))
LOADS = "{% load money rates times statuses charts icons text %}"


class Person:
    """Somebody who is signed in."""

    is_authenticated = True

    def get_full_name(self) -> str:
        return "<Anne>"

    def get_username(self) -> str:
        return "anne"


def draw(source: str, **context: Any) -> str:
    return Template(LOADS + source).render(Context(context))


def area(label: str, icon: str = "users", **more: Any) -> SidebarEntry:
    return SidebarEntry(key=label, label=label, url=f"/{label}", icon=icon, **more)


def render_page(name: str = "base.html", **context: Any) -> str:
    """A whole page as somebody sees it who is signed in."""
    groups = (
        ("", (area("Loans", current=True, shortcut="l"),)),
        ("Money", (area("Unknown", badge="2", icon="no-such-icon"),)),
    )
    frame = SimpleNamespace(app=KENYA, apps=(KENYA, GHANA), groups=groups)
    request = RequestFactory().get("/apps/kenya/loans/")
    return render_to_string(
        name, {"navigation": frame, "user": Person(), "request": request} | context
    )


def every_template() -> list[str]:
    return sorted(str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.html"))


@pytest.mark.parametrize("name", every_template())
def test_every_template_parses_and_keeps_to_the_csp(name: str) -> None:
    get_template(name)
    source = (TEMPLATES / name).read_text()
    assert not re.search(r"\sstyle=|\son[a-z]+=\"|<style|javascript:", source)
    for script in re.findall(r"<script\b[^>]*>(.*?)</script>", source, re.S):
        assert not script.strip()


# --- the frame ----------------------------------------------------------------------------


def test_the_frame_has_its_landmarks() -> None:
    html = render_page()
    assert html.index('class="skip"') < html.index('class="sidebar"')
    assert html.count('role="status"') == 1
    assert 'id="announce"' in html
    assert "<main" in html
    assert 'aria-label="Areas"' in html


def test_the_rail_marks_where_one_is_and_what_waits() -> None:
    html = render_page()
    assert re.search(r'href="/Loans"\s+aria-current="page"\s+data-key="l"', html)
    assert html.count("aria-current=") == 2  # the area, and the app in the switch
    assert '<span class="chip odd">2</span>' in html
    assert "<h2>Money</h2>" in html


def test_who_is_signed_in_is_escaped() -> None:
    assert "&lt;Anne&gt;" in render_page()


def test_signed_out_there_is_neither_rail_nor_header() -> None:
    frame = SimpleNamespace(app=KENYA, apps=(KENYA,), groups=())
    html = render_to_string("base.html", {"navigation": frame})
    assert 'class="sidebar"' not in html
    assert 'class="top"' not in html
    assert "hx-headers" not in html


def test_htmx_runs_without_eval_and_without_history() -> None:
    config = re.search(r"name=\"htmx-config\"\s+content='([^']+)'", render_page())
    assert config
    assert '"allowEval":false' in config[1]
    assert '"historyCacheSize":0' in config[1]
    assert '"includeIndicatorStyles":false' in config[1]


@pytest.mark.parametrize("name", ["400.html", "403_csrf.html", "500.html"])
def test_pages_for_when_all_else_fails_need_no_context(name: str) -> None:
    html = engines["django"].get_template(name).render()
    assert '<a class="button main" href="/">' in html
    assert "<script" not in html


@pytest.mark.parametrize("name", ["404.html", "429.html"])
def test_pages_of_refusal_keep_the_frame(name: str) -> None:
    html = render_page(name)
    assert 'class="sidebar"' in html
    assert '<a class="button" href="/">' in html


def test_the_role_page_says_why() -> None:
    html = render_page(
        "403.html", card=SimpleNamespace(title="Not for your role", cause="Managers may.")
    )
    assert "<title>Not for your role" in html
    assert "Managers may." in html


# --- values -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ('{{ x|money:"KES" }}', "KES 4,412.75"),
        ('{{ x|figure:"KES" }}', "4,412.75"),
        ('{{ none|money:"KES" }}', "—"),
        ('{{ odd|money:"KES" }}', "&lt;b&gt;"),
        (
            "{{ rate|rate }}",
            '<span title="42.63127 %, received as 0.4263127">42.6 %</span>',
        ),
        (
            "{{ rate|rate:'a year' }}",
            '<span title="42.63127 %, received as 0.4263127">42.6 % a year</span>',
        ),
        (
            "{{ rate|rate_each:'30 days' }}",
            '<span title="42.63127 %, received as 0.4263127 for 30 days">42.6 % a month</span>',
        ),
        ("{{ none|rate:'a year' }}", "—"),
        ("{{ odd|rate }}", "&lt;b&gt;"),
        ("{{ '90 days'|duration }}", '<span title="90 days">3 months</span>'),
        ("{{ '45 days'|duration }}", "45 days"),
        (
            "{{ due|contract_day:zone }}",
            '<time datetime="2026-10-31T23:59:59.999000+00:00"'
            ' title="2026-10-31 23:59:59.999 UTC">31 Oct 2026</time>',
        ),
        ("{{ due|day_text:zone }}", "1 Nov 2026"),
        ("{{ odd|moment:zone }}", "&lt;b&gt;"),
        ("{{ none|moment:zone }}", "—"),
        ("{{ zone|zone_name }}", "Nairobi time"),
        ("{{ odd|shown }}", "&lt;b&gt;"),
        ("{% icon 'no-such-icon' %}", ""),
        ("{% chip none|loan_status %}", ""),
    ],
)
def test_filters(source: str, html: str) -> None:
    values = {"x": Decimal("4412.75"), "rate": Decimal("0.4263127"), "odd": Malformed("<b>")}
    assert draw(source, none=None, due=DUE, zone=NAIROBI, **values).strip() == html


def test_a_chip_is_colour_and_word_and_icon() -> None:
    html = draw("{% chip status|loan_status %}", status=Decimal(2))
    assert '<span class="chip info">' in html
    assert "<svg" in html
    assert 'aria-hidden="true"' in html
    assert "open" in html


def test_a_chip_escapes_a_word_of_the_service() -> None:
    assert "<b>" not in draw("{% chip status|loan_status %}", status="<b>")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("loan", "word"),
    [
        ({"status": 2, "performanceStatus": 1, "schedule": {"daysLate": 12}}, "12 days late"),
        ({"status": 2, "performanceStatus": 1, "schedule": {"daysLate": 0}}, "performing"),
        ({"status": 2}, "open"),
        # Settled: its performance was that of before.
        ({"status": 2, "performanceStatus": 1, "settlementDate": "2026-11-01"}, "open"),
        ({"status": 3, "performanceStatus": 1, "schedule": {"daysLate": 12}}, "closed"),
        ({"status": 1, "performanceStatus": 1}, "pending"),
        # A number without a word does not say whether the loan is open.
        ({"status": 77, "schedule": {"daysLate": 12}}, "12 days late"),
        ({"status": 77, "performanceStatus": 1}, "status 77"),
        ({"performanceStatus": 1}, "performing"),
        ({}, None),
    ],
)
def test_a_list_tells_its_loans_apart_by_one_status(
    loan: dict[str, object], word: str | None
) -> None:
    set_words(loan={"1": "pending", "2": "open", "3": "closed"}, performance={"1": "performing"})
    found = loan_standing(Loan(loan))
    assert (found.word if found else None) == word


@pytest.mark.django_db
def test_statuses_take_their_words_from_the_settings() -> None:
    set_words(performance={"4": "doubtful"})
    assert "doubtful" in draw("{% chip '4'|performance_status %}")
    assert "status 5" in draw("{% chip five|performance_status %}", five=Decimal(5))


# --- components ---------------------------------------------------------------------------


def card(**more: Any) -> str:
    given = {"title": "Refused", "cause": "It was settled.", "next": "Check.", "saved": "no"} | more
    return render_to_string("_error_card.html", {"card": SimpleNamespace(**given)})


def test_the_error_card_says_whether_anything_was_saved() -> None:
    html = card(service_words="<Loan> is not open.", reference="loans.get · 7f", tone="bad")
    assert "<strong>Nothing was saved.</strong>" in html
    assert "&lt;Loan&gt; is not open." in html
    assert 'data-copy="loans.get · 7f"' in html
    assert 'class="notice bad"' in html


def test_an_unknown_outcome_warns_against_entering_it_again() -> None:
    assert list_marks(card(saved="unknown"), "finding") == ["not-again"]
    assert list_marks(card(saved="no"), "finding") == []


def test_a_card_of_a_read_says_nothing_of_saving() -> None:
    assert "saved" not in card(saved="")


def test_a_card_leads_on() -> None:
    assert '<a class="button" href="/x">Find</a>' in card(links=[("Find", "/x")])


class Repayment(forms.Form):
    """A form with each kind of control."""

    amount = forms.DecimalField(label="Amount", help_text="owed 5")
    externalId = forms.CharField(required=False)  # noqa: N815 - the API's own name
    channel = forms.ChoiceField(choices=[("web", "web")], widget=forms.RadioSelect)
    sure = forms.BooleanField(label="Sure")
    token = forms.CharField(widget=forms.HiddenInput, required=False)


def test_a_field_wires_label_hint_and_error() -> None:
    html = Repayment({"amount": "ten"}).as_div()
    assert '<label for="id_amount">' in html
    assert 'aria-describedby="id_amount_helptext id_amount_error"' in html
    assert 'id="id_amount_helptext"' in html
    assert 'id="id_amount_error"' in html
    assert 'aria-invalid="true"' in html
    assert 'value="ten"' in html
    assert html.count('class="optional"') == 1
    assert html.count('name="token"') == 1


def test_the_pager_offers_only_the_ways_there_are() -> None:
    html = render_to_string("_pager.html", {"pager": {"next_url": "?p=2&q=a", "count": 20}})
    assert 'href="?p=2&amp;q=a" rel="next"' in html
    assert html.count("href=") == 1 and "data-last" not in html
    last = render_to_string("_pager.html", {"pager": {"first_url": "?", "count": 3}})
    assert "3" in last.partition("data-last")[0] and "data-last" in last
    assert not render_to_string("_pager.html", {"pager": {}}).strip()


def test_the_empty_state_says_what_to_do() -> None:
    html = render_to_string("_empty.html", {"title": "None", "url": "?", "label": "Clear"})
    assert "<h2>None</h2>" in html
    assert ">Clear</a>" in html


def test_the_schedule_chart_is_attributes_only() -> None:
    amounts = SimpleNamespace(principal=Decimal(300), interest=Decimal(100))
    contract = SimpleNamespace(installments=(SimpleNamespace(due_date=DUE, amounts=amounts),))
    html = draw("{% schedule_chart contract zone %}", contract=contract, zone=NAIROBI)
    assert html.count("<svg") == 1
    assert html.count('role="img"') == 1
    assert "31 Oct" in html
    assert "style" not in html


def test_the_legend_names_only_what_is_there() -> None:
    amounts = SimpleNamespace(principal=Decimal(300), fees=Decimal(0), penalty=Decimal(1))
    contract = SimpleNamespace(installments=(SimpleNamespace(due_date=DUE, amounts=amounts),))
    html = draw("{% schedule_legend contract %}", contract=contract)
    assert '<li class="principal">' in html
    assert '<li class="penalty">' in html
    assert "fees" not in html
    assert not draw("{% schedule_legend contract %}", contract=None).strip()


def test_a_late_instalment_differs_by_pattern_and_word() -> None:
    amounts = SimpleNamespace(principal=Decimal(300))
    rows = [SimpleNamespace(due_date=DUE, amounts=amounts) for _ in range(2)]
    given = {
        "contract": SimpleNamespace(installments=rows),
        "steps": [
            SimpleNamespace(installment=rows[0], progress="paid"),
            SimpleNamespace(installment=rows[1], progress="late"),
        ],
    }
    html = draw('{% schedule_chart contract None "KES" steps %}', **given)
    assert html.count('<rect class="late"') == 1
    assert html.count(", late</title>") == 1
    assert html.count("1 late.") == 1
    assert '<pattern id="late"' in html
    assert '<li class="late">' in draw("{% schedule_legend contract steps %}", **given)
    assert "late" not in draw("{% schedule_chart contract None %}", **given)


def test_each_contract_has_its_picture_under_its_whole_name() -> None:
    amounts = SimpleNamespace(principal=Decimal(300), interest=Decimal(100))
    rows = (SimpleNamespace(due_date=DUE, amounts=amounts),)
    named = {"A loan of " + "x" * 90: rows, "Empty": None}
    columns = [
        SimpleNamespace(name=name, contract=SimpleNamespace(installments=rows))
        for name, rows in named.items()
    ]
    html = draw('{% contracts_chart columns zone "KES" %}', columns=columns, zone=NAIROBI)
    assert html.count("<svg") == 2
    assert f"<small>{next(iter(named))}</small>" in html
    assert '<small data-finding="no-schedule">Empty ·' in html
    assert '<li class="interest">' in html and "fees" not in html


@pytest.mark.parametrize("contract", [None, Malformed("x"), SimpleNamespace(installments=None)])
def test_no_schedule_no_chart(contract: object) -> None:
    assert "<svg" not in draw("{% schedule_chart contract zone %}", contract=contract, zone=None)


def test_messages_bear_their_tone() -> None:
    messages = [SimpleNamespace(level_tag="error"), SimpleNamespace(level_tag="success")]
    html = render_to_string("_messages.html", {"messages": messages})
    assert 'class="notice bad"' in html
    assert 'class="notice good"' in html
