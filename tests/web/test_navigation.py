"""The sidebar with its keys, and the lender's name in the header."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from lendingadmin.core.policies.lender import LENDER
from tests.policies.setting import set_policy

pytestmark = pytest.mark.django_db
ENTRY = re.compile(r'<a href="([^"]*)"\s+(?:aria-current="page"\s+)?(?:data-key="(.)")?')
HELP = re.compile(r"<kbd>g</kbd> <kbd>(.)</kbd>")
NAMED = re.compile(r"<span data-lender>(.*?)<small", re.S)


def open_profile(browser: Client) -> str:
    return browser.get(reverse("profile")).text


def list_keys(html: str) -> list[str]:
    """Return the key of each area in the sidebar."""
    sidebar = re.search(r'<div id="areas".*?</nav>', html, re.S)
    assert sidebar
    return [key for address, key in ENTRY.findall(sidebar[0].partition("<nav")[2])]


def test_each_area_has_a_key_of_its_own(boss: Client) -> None:
    keys = list_keys(open_profile(boss))
    assert len(keys) > 10 and all(keys)
    assert len(set(keys)) == len(keys)
    # `g` begins a key.
    assert "g" not in keys


def test_the_help_lists_the_keys_of_the_areas_that_the_person_sees(
    boss: Client, clerk: Client
) -> None:
    of_manager, of_clerk = open_profile(boss), open_profile(clerk)
    assert HELP.findall(of_manager) == list_keys(of_manager)
    assert HELP.findall(of_clerk) == list_keys(of_clerk)
    assert set(list_keys(of_clerk)) < set(list_keys(of_manager))


def test_the_header_names_the_lender_and_the_app(boss: Client) -> None:
    set_policy(LENDER, name="Tumaini & Co")
    shown = NAMED.search(open_profile(boss))
    assert shown and "Tumaini &amp; Co" in shown[1] and shown[1].strip().endswith("kenya")


def test_without_a_name_the_header_names_the_app_once(boss: Client) -> None:
    shown = NAMED.search(open_profile(boss))
    assert shown and shown[1].strip() == "kenya"
