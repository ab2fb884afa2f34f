"""Words of a search in addresses, encrypted for the searching person.

Words are sent by POST. The page of results has an address, so that a person can return to the page.
In the address the words are encrypted, so no log, history or audit entry has them.
"""

import json

from django.http import Http404
from django.urls import reverse

from lendingadmin.core.encryption import DecryptionError, decrypt, encrypt
from lendingadmin.core.staff.models import User

LONGEST = 200
_KEPT = LONGEST + 1  # one more character, so that `validate_id` detects a text that is too long
_USE = "search.words"


def encrypt_words(person: User, words: str) -> str:
    """Return the words in encrypted form, for an address."""
    kept = words.strip()[:_KEPT].encode("utf-8", "replace").decode()
    return encrypt(json.dumps([person.pk, kept]), _USE)


def decrypt_words(person: User, encrypted: str) -> str:
    """Return the decrypted words of an address.

    Raise Http404 for text that this dashboard did not encrypt, and for words of another person.
    """
    try:
        owner, words = json.loads(decrypt(encrypted, _USE))
    except (DecryptionError, ValueError):
        raise Http404("There is no such search.") from None
    if owner != person.pk:
        raise Http404("This search belongs to another person.")
    return str(words)


def get_results_address(app_id: str, person: User, words: str) -> str:
    """Return the address of the results of a search."""
    return reverse("find-results", args=[app_id, encrypt_words(person, words)])
