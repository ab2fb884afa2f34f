"""Detection of the format of a file from its content.

The sentence about a refused file says what to export instead.
"""

import io
import re
import zipfile
import zlib

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from lendingadmin.desk.statements.lines import Refused

LARGEST = 20_000_000  # bytes
_MOST_UNPACKED, _MOST_PARTS, _MOST_RATIO = 200_000_000, 2_000, 400
_MOST_NAMED = 10
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# Parts of a spreadsheet that have macros begin with one of these names.
_MACRO_PARTS = ("xl/vbaproject.bin", "xl/macrosheets/", "basic/", "scripts/")
# The beginning of an old workbook with a password.
_FILEPASS = re.compile(rb"(?s)\x09\x08\x10\x00\x00\x06\x05\x00.{12}(?:\x86\x00\x00\x00)?\x2f\x00")
# Long tags are refused, because expat reads such a tag again for each new piece.
_LONG_TAG = re.compile(rb"<[^<>]{100000}")
_OTHERS = (
    *(b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"Rar!", b"7z\xbc\xaf", b"\x1f\x8b", b"BM"),
    *(b"RIFF", b"\x7fELF", b"MZ", b"{\\rtf"),
)
_CAMT = re.compile(rb"camt\.053|BkToCstmrStmt")
_MT940 = re.compile(rb"(?m)^[ \t]*:(?:20|60[FM]|61|62[FM]):")
PASSWORD = gettext_noop("This file has a password. Export the statement without a password.")
MACROS = gettext_noop(
    "This spreadsheet has macros. Save the spreadsheet as CSV, or as XLSX without macros."
)
_TYPES = gettext_noop(
    "This XML file defines its own types, but bank statements never do that. The file was not read."
)
_WEB_PAGE = gettext_noop(
    "This file is a web page, although its name ends like a spreadsheet's. Export CSV or XLSX "
    "instead."
)
CSV, XLS, XLSX, ODS, CAMT, MT940, JSON = "csv", "xls", "xlsx", "ods", "camt", "mt940", "json"


def find_format(content: bytes) -> str:
    """Return the format of a file, such as CSV or XLSX. Raise Refused."""
    if not content.strip():
        raise Refused(_("The file is empty. Export the statement again."), code="empty")
    if len(content) > LARGEST:
        raise Refused(
            _(
                "The file is larger than %(count)s MB. Export the statement in smaller "
                "parts, such as week by week."
            )
            % {"count": LARGEST // 1_000_000},
            code="large",
        )
    if content.startswith(b"%PDF"):
        raise Refused(
            _(
                "This is a PDF. Missing rows can't be found in a PDF. Export CSV, XLSX or "
                "XLS instead."
            ),
            code="pdf",
        )
    if content.startswith(b"PK"):
        return _find_in_zip(content)
    if content.startswith(_OLE):
        return _check_ole(content)
    return _find_text(content)


def open_camt(content: bytes) -> tuple[io.BytesIO, list[str]]:
    """Return the XML of a CAMT file, packed or not, and the names of the other files with it.

    `find_format` has already checked the packed parts. If there are more than `_MOST_NAMED` other
    files, one text has their number.
    """
    if not content.startswith(b"PK"):
        return io.BytesIO(content), []
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        (name,) = _list_xml(packed)
        others = [other[:100] for other in _list_files(packed) if other != name]
        if len(others) > _MOST_NAMED:
            others = [_("%(count)s other files of the archive") % {"count": len(others)}]
        with packed.open(name) as part:
            return io.BytesIO(part.read(_MOST_UNPACKED)), others


def _find_in_zip(content: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            # Some programs write the names of a workbook's parts with backslashes.
            names = [name.replace("\\", "/") for name in packed.namelist()]
            _check_parts(packed.infolist())
            if any(name.lower().startswith(_MACRO_PARTS) for name in names):
                raise Refused(_(MACROS), code="macros")
            if "xl/workbook.bin" in names:
                words = _("This is a binary spreadsheet (XLSB). Save the file as XLSX or CSV.")
                raise Refused(words, code="xlsb")
            if "xl/workbook.xml" in names or _is_open_document(packed):
                _check_xml_of(packed)
                return XLSX if "xl/workbook.xml" in names else ODS
            if len(_list_xml(packed)) == 1:
                with packed.open(_list_xml(packed)[0]) as part:
                    return _find_xml(part.read(_MOST_UNPACKED))
    except (zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError) as error:
        words = _("This file is damaged. Export the statement again.")
        raise Refused(words, code="damaged") from error
    words = _(
        "This archive can't be read. Unpack the archive and choose the statements one by one."
    )
    raise Refused(words, code="archive")


def _is_open_document(packed: zipfile.ZipFile) -> bool:
    """Return True for an OpenDocument spreadsheet. Raise Refused if it has a password."""
    if "mimetype" not in packed.namelist() or not packed.read("mimetype").startswith(
        b"application/vnd.oasis.opendocument.spreadsheet"
    ):
        return False
    if "META-INF/manifest.xml" in packed.namelist():
        with packed.open("META-INF/manifest.xml") as part:
            if b"encryption-data" in part.read(_MOST_UNPACKED):
                raise Refused(_(PASSWORD), code="password")
    return True


def _check_xml_of(packed: zipfile.ZipFile) -> None:
    """Raise Refused if a part of a spreadsheet declares entities.

    No spreadsheet program does this.
    """
    for name in packed.namelist():
        if name.endswith((".xml", ".rels")):
            with packed.open(name) as part:
                if b"<!DOCTYPE" in part.read(4_000):
                    raise Refused(_(_TYPES), code="types")


def _check_parts(parts: list[zipfile.ZipInfo]) -> None:
    if any(part.flag_bits & 1 for part in parts):
        raise Refused(_(PASSWORD), code="password")
    unpacked, packed = sum(x.file_size for x in parts), sum(x.compress_size for x in parts)
    is_bomb = unpacked > _MOST_UNPACKED or unpacked > 10_000_000 + packed * _MOST_RATIO
    if is_bomb or len(parts) > _MOST_PARTS:
        words = _(
            "After unpacking, this file is far larger than a statement. Export the statement as "
            "CSV instead."
        )
        raise Refused(words, code="unpacked")


def _list_xml(packed: zipfile.ZipFile) -> list[str]:
    return [name for name in _list_files(packed) if name.lower().endswith(".xml")]


def _list_files(packed: zipfile.ZipFile) -> list[str]:
    """Return the names of the files in an archive, without the files that macOS adds."""
    files = [name for name in packed.namelist() if not name.endswith("/")]
    return [x for x in files if not x.startswith("__MACOSX/") and x.rpartition("/")[2][:1] != "."]


def _check_ole(content: bytes) -> str:
    if "EncryptedPackage".encode("utf-16-le") in content or _FILEPASS.search(content):
        raise Refused(_(PASSWORD), code="password")
    if "_VBA_PROJECT".encode("utf-16-le") in content:
        raise Refused(_(MACROS), code="macros")
    if not any(name.encode("utf-16-le") in content for name in ("Workbook", "Book")):
        words = _("This is not a spreadsheet. Export the statement as CSV, XLSX or XLS.")
        raise Refused(words, code="no_spreadsheet")
    return XLS


def _find_text(content: bytes) -> str:
    start = content[:4_000].lstrip(b"\xef\xbb\xbf \t\r\n")
    is_wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    if is_wide and content[:100].decode("utf-16", errors="replace").lstrip().startswith("<"):
        return _find_xml(content.decode("utf-16", errors="replace").encode())
    if start.startswith(b"<"):
        return _find_xml(content)
    if re.match(rb"(?i)mime-version:", start):
        raise Refused(_(_WEB_PAGE), code="web_page")
    if start.startswith(_OTHERS) or (b"\0" in content and not is_wide):
        words = _(
            "This file is not a statement. Export the statement as CSV, XLSX, XLS or CAMT.053."
        )
        raise Refused(words, code="no_statement")
    if _MT940.search(content[:20_000]):
        # A SWIFT envelope begins with a brace, like JSON.
        return MT940
    return JSON if start[:1] in (b"{", b"[") and b'"' in start else CSV


def _find_xml(content: bytes) -> str:
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        if re.search(rb"(?i)<!doctype\s+html", content[:4_000]):
            raise Refused(_(_WEB_PAGE), code="web_page")
        raise Refused(_(_TYPES), code="types")
    if _LONG_TAG.search(content):
        words = _("This XML can't be read. Export the statement again.")
        raise Refused(words, code="xml")
    if _CAMT.search(content[:4_000]):
        return CAMT
    if re.search(rb"(?i)<(?:html|table|head|body)\b", content[:4_000]):
        raise Refused(_(_WEB_PAGE), code="web_page")
    words = _("This XML is not a CAMT.053 statement. Export CAMT.053, CSV or XLSX.")
    raise Refused(words, code="no_camt")
