"""Storage of static files. It removes comments and indentation from our styles and scripts."""

import re
from typing import Any

from django.core.files.base import ContentFile
from whitenoise.storage import CompressedManifestStaticFilesStorage

_OF_STYLES = re.compile(r"/\*.*?\*/", re.DOTALL)
_OF_SCRIPTS = re.compile(r"^[ \t]*//[^\n]*\n", re.MULTILINE)
_INDENTATION = re.compile(r"^\s+", re.MULTILINE)
_AROUND_SIGNS = re.compile(r"\s*([{};])\s*")


def shrink(name: str, text: str) -> str:
    """Remove the comment lines and the indentation of a style or script.

    In a style, also remove the space around braces and semicolons. A script must not have strings
    of several lines, because they would lose their indentation.
    """
    if name.endswith(".css"):
        return _AROUND_SIGNS.sub(r"\1", _OF_STYLES.sub("", text)).strip()
    return _INDENTATION.sub("", _OF_SCRIPTS.sub("", text))


class ShrinkingStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Storage that shrinks our own styles and scripts when they are collected."""

    def _save(self, name: str, content: Any) -> str:
        if name.startswith(("css/", "js/")):
            content.seek(0)
            content = ContentFile(shrink(name, content.read().decode()).encode())
        return str(super()._save(name, content))
