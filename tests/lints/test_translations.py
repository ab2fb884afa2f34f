"""What a customer is given is translated whole: each marked string into each language."""

import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parents[2]
LOCALE = ROOT / "lendingadmin" / "locale"
LANGUAGES = ("fr", "sw")
SHEET = ROOT / "templates" / "repayments" / "sheet.html"
_TRANSLATED = re.compile(r'{% translate "([^"]+)"')
_BLOCK = re.compile(r"{% blocktranslate [^%]*%}(.*?){% endblocktranslate %}", re.DOTALL)
_GETTEXT = re.compile(r'gettext\(\s*"([^"]+)"')


def read_catalogue(language: str) -> Catalog:
    with (LOCALE / language / "LC_MESSAGES" / "django.po").open("rb") as file:
        return read_po(file, locale=language)


def list_marked() -> set[str]:
    """The strings that templates and code mark for translation, as gettext names them."""
    found: set[str] = set()
    for template in (ROOT / "templates").rglob("*.html"):
        text = template.read_text()
        found |= set(_TRANSLATED.findall(text))
        found |= {re.sub(r"{{ (\w+) }}", r"%(\1)s", one.strip()) for one in _BLOCK.findall(text)}
    for module in (ROOT / "lendingadmin").rglob("*.py"):
        found |= set(_GETTEXT.findall(module.read_text()))
    return found


def test_marked_strings_are_found() -> None:
    assert {"Receipt", "Remaining %(amount)s.", "Code %(code)s.", "Not a receipt"} <= list_marked()


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_marked_string_is_translated_and_no_other(language: str) -> None:
    translated = {str(one.id) for one in read_catalogue(language) if one.id and one.string}
    assert translated == list_marked()


@pytest.mark.parametrize("language", LANGUAGES)
def test_amounts_ids_and_dates_stand_outside_the_strings(language: str) -> None:
    for message in read_catalogue(language):
        if message.id:
            names = [
                sorted(re.findall(r"%\(\w+\)s", str(one))) for one in (message.id, message.string)
            ]
            assert names[0] == names[1], message.id
            assert not re.search(r"\d", str(message.string)), message.id
            assert not message.fuzzy, message.id


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_catalogue_is_that_of_the_text(language: str) -> None:
    """A clean clone has no gettext tools, so the compiled file is kept beside its source."""
    with (LOCALE / language / "LC_MESSAGES" / "django.mo").open("rb") as file:
        compiled = {one.id: one.string for one in read_mo(file) if one.id}
    written = {one.id: one.string for one in read_catalogue(language) if one.id}
    assert compiled == written, "run: pybabel compile -d lendingadmin/locale -D django"


def test_the_sheet_says_nothing_that_is_not_marked() -> None:
    """Of the paper; what stands on the screen beside it is the clerk's."""
    paper = SHEET.read_text().partition('<article class="sheet">')[2].partition("</article>")[0]
    paper = _BLOCK.sub("", paper)
    words = re.sub(r"{%.*?%}|{{.*?}}|<[^>]*>", "", paper, flags=re.DOTALL)
    assert re.findall(r"\w+", words) == []
