"""Terms that explain themselves: every one that is used exists, once on a page each time."""

import re
from pathlib import Path

import pytest
from django.template import Context, Template
from django.test import RequestFactory
from django_htmx.middleware import HtmxDetails

from lendingadmin.web.display.glossary import TERMS, find_explanation

TEMPLATES = Path(__file__).parents[2] / "templates"
_USE = re.compile(r'\{%-?\s*term\s+"([^"]+)"')
_WITHIN = re.compile(
    r"<(label|summary|a|button|option|title)\b[^>]*>(?:(?!</\1>).)*\{% term ", re.S
)


def draw(source: str, **context: object) -> str:
    return Template("{% load glossary %}" + source).render(Context(context))


def test_every_term_that_a_page_uses_is_in_the_glossary() -> None:
    used = {word for path in TEMPLATES.rglob("*.html") for word in _USE.findall(path.read_text())}
    assert len(used) > 20
    assert {word for word in used if not find_explanation(word)} == set()


def test_no_term_stands_where_a_button_must_not() -> None:
    found = {
        str(path.relative_to(TEMPLATES)): match[1]
        for path in TEMPLATES.rglob("*.html")
        if (match := _WITHIN.search(path.read_text()))
    }
    assert found == {}


@pytest.mark.parametrize(("word", "text"), TERMS.items())
def test_each_is_explained_in_a_sentence_or_two(word: str, text: str) -> None:
    assert text.endswith(".") and text[0].isupper()
    assert len(re.findall(r"[.:](?:\s|$)", text)) <= 3 and len(text) <= 170
    assert word.strip() == word


@pytest.mark.parametrize("word", ["portfolio at risk", "outstanding principal"])
def test_a_figure_that_others_define_names_its_source(word: str) -> None:
    assert "CGAP, Microfinance Consensus Guidelines, 2003" in TERMS[word]


def test_no_word_stands_twice() -> None:
    assert len({word.casefold() for word in TERMS}) == len(TERMS)


def test_a_term_is_a_button_that_its_tip_describes() -> None:
    drawn = draw('{% term "AER" %}', request=RequestFactory().get("/"))
    assert '<button type="button" class="term" aria-describedby="term-aer-1">AER</button>' in drawn
    assert '<span class="tip" id="term-aer-1" role="tooltip" popover="manual">' in drawn
    assert TERMS["AER"] in drawn


def test_other_words_for_a_term() -> None:
    assert ">Data period</button>" in draw('{% term "data period" "Data period" %}')
    assert ">APR</button>" in draw("{% term word %}", word="APR")


def test_a_word_without_a_meaning_is_plain_text_and_escaped() -> None:
    assert draw('{% term "zorkmid" %}') == "zorkmid"
    assert draw("{% term word %}", word="<b>") == "&lt;b&gt;"
    assert draw("{% term 'AER' word %}", word="<b>").count("&lt;b&gt;") == 1


def test_ids_are_unique_on_a_page_and_in_a_fragment_that_comes_into_it() -> None:
    page = draw('{% term "AER" %}{% term "AER" %}', request=RequestFactory().get("/"))
    request = RequestFactory().get("/", headers={"HX-Request": "true", "HX-Target": "panel-<x>"})
    request.htmx = HtmxDetails(request)
    ids = re.findall(r' id="([^"]+)"', page + draw('{% term "AER" %}', request=request))
    assert len(set(ids)) == 3
    assert all(re.fullmatch(r"[a-z0-9-]+", one) for one in ids)
