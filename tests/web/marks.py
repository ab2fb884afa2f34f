"""The marks of a page: `data-…` attributes, which say what it says and outlive its words."""

import re
from html import unescape
from typing import Any


def list_marks(page: Any, name: str) -> list[str]:
    """Return what `data-<name>` says in a page, or in its HTML, from top to bottom."""
    html = page if isinstance(page, str) else page.content.decode()
    return [unescape(one) for one in re.findall(rf'\sdata-{name}="([^"]*)"', html)]
