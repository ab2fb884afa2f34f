"""The address of what a person searches for, as the page leads there, and what it shows."""

import re

from django.test import Client
from django.urls import reverse

from lendingadmin.core.staff.models import User
from lendingadmin.people.search.encrypted_words import encrypt_words, get_results_address


def person_of(desk: Client) -> User:
    """Who is signed in."""
    return User.objects.get(pk=desk.session["_auth_user_id"])


def results_of(desk: Client, app_id: str, words: str) -> str:
    """The page of results."""
    return get_results_address(app_id, person_of(desk), words)


def place_of(desk: Client, app_id: str, place: str, words: str) -> str:
    """One place of them."""
    return reverse("find-in", args=[app_id, encrypt_words(person_of(desk), words), place])


def read_places(html: str) -> dict[str, str]:
    """The places of the results, each with its state: pending, fault, found or none."""
    return dict(re.findall(r'data-place="([^"]+)"\s+data-look="([^"]+)"', html))
