"""The parts that stand around something: what they say to the eye and to the ear."""

import re
from pathlib import Path

import pytest
from django.template import Context, Template

TEMPLATES = Path(__file__).parents[2] / "templates"


def notice(arguments: str, **context: object) -> str:
    source = "{% load parts %}{% notice " + arguments + " %}<p>Words.</p>{% endnotice %}"
    return Template(source).render(Context(context))


@pytest.mark.parametrize("tone", ["good", "warn", "bad", "info", "odd"])
def test_a_notice_is_colour_icon_and_words(tone: str) -> None:
    html = notice(f'"{tone}" "Look at this"')
    assert f'class="notice {tone}"' in html
    assert html.count('aria-hidden="true"') == 1
    assert "<h2>Look at this</h2>" in html
    assert "<p>Words.</p>" in html
    assert 'aria-label="Look at this"' in html
    assert "data-announce" not in html


def test_its_title_is_escaped() -> None:
    html = notice('"bad" title announce=True', title="<b>'s")
    assert "<b>" not in html
    assert 'data-announce="&lt;b&gt;&#x27;s"' in html


def test_it_is_announced_in_its_own_words() -> None:
    html = notice('"info" announce="Kept"')
    assert 'data-announce="Kept"' in html
    assert "<h2>" not in html


def test_a_message_of_django_has_the_tone_of_its_level() -> None:
    assert 'class="notice good"' in notice('"success"')
    assert 'class="notice bad"' in notice('"error"')


@pytest.mark.parametrize(
    ("words", "written"),
    [
        ("Two-Factor Authentication", "Two-step sign-in"),
        ("Recovery Codes", "Recovery codes"),
        ("\n  Change Password\n", "Change password"),
        ("", ""),
    ],
)
def test_headings_of_others_are_written_as_ours(words: str, written: str) -> None:
    source = "{% load parts %}{% filter sentence %}{{ words }}{% endfilter %}"
    assert Template(source).render(Context({"words": words})) == written


def test_no_template_draws_a_notice_or_a_wait_by_hand() -> None:
    own = {"_notice.html": "notice", "_waiting.html": "waiting"}
    for path in TEMPLATES.rglob("*.html"):
        found = set(re.findall(r'class="(notice|waiting)\b', path.read_text()))
        assert found <= {own.get(path.name, "")}, path
