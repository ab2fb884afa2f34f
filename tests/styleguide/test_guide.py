"""The styleguide: there while one develops, nowhere else, and with everything that is styled."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import clear_url_caches

from lendingadmin import urls
from lendingadmin.core.staff.models import User
from lendingadmin.styleguide.samples import PARTS
from lendingadmin.styleguide.tokens import colours, contrast, steps
from tests.conftest import ClientOf

CSS = Path(__file__).parents[2] / "static" / "css"


@pytest.fixture
def developing(settings: Any) -> Iterator[None]:
    """The addresses as they are in the demo; afterwards as they were."""
    settings.DEMO = True
    importlib.reload(urls)
    clear_url_caches()
    yield
    settings.DEMO = False
    importlib.reload(urls)
    clear_url_caches()


@pytest.fixture
def guide(developing: None, viewer: User, client_of: ClientOf) -> str:
    answer = client_of(viewer).get("/styleguide/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_in_production_it_does_not_exist(manager: User, client_of: ClientOf) -> None:
    assert client_of(manager).get("/styleguide/").status_code == 404
    assert client_of(None).get("/styleguide/").status_code == 404


def test_a_stranger_is_asked_to_sign_in(developing: None, client: Client, db: None) -> None:
    assert "/accounts/login/" in client.get("/styleguide/")["Location"]


def test_it_shows_every_part_in_both_themes(guide: str) -> None:
    for part in PARTS:
        assert guide.count(f'data-part="{part}"') == 2, part


def test_it_shows_every_token_of_colour_space_and_type(guide: str) -> None:
    for theme in ("light", "dark"):
        for colour in colours(theme):
            assert f"{colour.name}<small" in guide
            assert colour.value in guide
    for kind in ("space", "text"):
        assert steps(kind)
        for step in steps(kind):
            assert f"{step.name} {step.size}" in guide


def test_it_shows_whatever_the_components_style(guide: str) -> None:
    """A class that is added to the sheets of the components gets its place here."""
    elsewhere = {
        # Of whole pages, and of one area's own pages.
        *("calls", "compare", "best", "steps", "till", "zero", "qr", "scroll", "copied", "manage"),
        *("filters", "warning", "sum", "nonfield", "choices", "choice", "pick", "messages"),
        *("autosave", "other", "sorts"),
    }
    layers = re.findall(r"^@layer components {.*?^}", (CSS / "style.css").read_text(), re.S | re.M)
    text = "".join(layers)
    styled = set(re.findall(r"\.([a-z][a-z-]*)(?=[\s.,:>{)\[])", text))
    shown = {name for names in re.findall(r'class="([^"]*)"', guide) for name in names.split()}
    assert styled - shown == elsewhere


def test_contrast_figures_are_those_of_wcag() -> None:
    known = {colour.name: colour for colour in colours("light")}
    assert known["surface"].contrast == "1.0"
    assert float(known["ink"].contrast) == pytest.approx(
        contrast(known["ink"].value, "#ffffff"), abs=0.05
    )
