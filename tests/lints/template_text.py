"""Finds the words of a template that a person reads and that are not marked for translation."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from django.utils.text import smart_split

# Attributes that are shown or read out.
_SHOWN = "alt|aria-label|aria-description|placeholder|title|data-label|data-announce|data-sending"
_CUT = re.compile(r"{%.*?%}|{{.*?}}|{#.*?#}", re.DOTALL)
_WHOLE = re.compile(r"{% (blocktranslate|comment)\b.*?{% end\1 %}", re.DOTALL)
_RAW = re.compile(r"<!--.*?-->|<(script|style|code|kbd)\b.*?</\1>", re.DOTALL)
# Each character of a tag or comment becomes the first of these, of a variable the second.
_TAG, _VARIABLE = "\ue000", "\ue001"
_HTML = re.compile(rf"""</?[\w!{_TAG}](?:[^"'>]|"[^"]*"|'[^']*')*>""")
_ATTRIBUTE = re.compile(rf"""\s(?:{_SHOWN})=(?:"([^"]*)"|'([^']*)')""")
_FILTER = re.compile(r"""\|(?:default|default_if_none|yesno):("[^"]*"|'[^']*')""")
_LITERAL = re.compile(r"""(?:\w+=)?(["'].*["'])$""", re.DOTALL)
# What a filter falls back to where it is the name of an icon, of a look or of a field's type.
_FALLBACKS = ("inbox", "text", "bad", "info", "warn,info")
# Tags of which no literal is for people, and which literals of others are names: the template, the
# key of the glossary, a look and an icon.
_NAMING = ("translate", "if", "elif", "for", "url", "static", "icon", "block", "autosave")
_NAMES_AT = {"include": (2,), "term": (2,), "status": (3, 4)}


class Unmarked(NamedTuple):
    """Words that are not marked: where they begin and end in the source."""

    start: int
    end: int


def find_unmarked(source: str) -> Iterator[Unmarked]:
    """Each place of unmarked words: text, shown attributes, literals of tags and filters."""
    flat = _WHOLE.sub(_blank, source)
    for cut in _CUT.finditer(flat):
        yield from _find_literals(cut[0], cut.start())
    flat = _RAW.sub(_blank, _CUT.sub(_blank, flat))
    for html in _HTML.finditer(flat):
        for value in _ATTRIBUTE.finditer(html[0]):
            at = value.start(value.lastindex or 0) + html.start()
            yield from _find_runs(value[value.lastindex or 0], at)
    yield from _find_runs(_HTML.sub(_blank, flat), 0)


def _blank(found: re.Match[str]) -> str:
    return (_VARIABLE if found[0].startswith("{{") else _TAG) * len(found[0])


def _find_runs(flat: str, at: int) -> Iterator[Unmarked]:
    for run in re.finditer(rf"[^{_TAG}]+", flat):
        if _has_words(run[0]):
            yield Unmarked(at + run.start(), at + run.end())


def _find_literals(cut: str, at: int) -> Iterator[Unmarked]:
    for literal in _FILTER.finditer(cut):
        if _has_words(literal[1]) and literal[1][1:-1] not in _FALLBACKS:
            yield Unmarked(at + literal.start(1), at + literal.end(1))
    if "|pluralize" in cut:
        yield Unmarked(at, at + len(cut))
    if not cut.startswith("{%"):
        return
    bits = list(smart_split(cut))
    for number, bit in enumerate(bits):
        literal = _LITERAL.match(bit)
        if literal and bits[1] not in _NAMING and number not in _NAMES_AT.get(bits[1], ()):
            words = literal[1][1:-1]
            if bits[1] == "status" or " " in words or words[:1].isupper():
                start = at + cut.index(literal[1])
                yield Unmarked(start, start + len(literal[1]))


def _has_words(text: str) -> bool:
    """Whether there is a letter in it, variables and entities such as `&nbsp;` apart."""
    return bool(re.search(r"[^\W\d_]", re.sub(r"&\w+;", "", text)))
