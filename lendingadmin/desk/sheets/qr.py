"""The QR code of a sheet, as a path that a template draws: no image, and no style in the page."""

from typing import NamedTuple

import segno

# The white edge that a reader needs, in modules.
_EDGE = 4


class QrCode(NamedTuple):
    """A QR code in modules: how wide it is with its edge, and the dark ones as an SVG path."""

    size: int
    path: str


def build_qr(text: str) -> QrCode:
    """A QR code with the highest error correction: three tenths of it may be dirty or torn."""
    code = segno.make_qr(text, error="h", boost_error=False)
    rows = list(code.matrix_iter(border=_EDGE))
    dark = (
        f"M{x} {y}h1v1h-1z"
        for y, row in enumerate(rows)
        for x, is_dark in enumerate(row)
        if is_dark
    )
    return QrCode(len(rows), "".join(dark))
