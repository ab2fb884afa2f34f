"""What a browser prints, read back: the words, and where on the paper they stand."""

from typing import NamedTuple

import pypdfium2
from playwright.sync_api import Page

_MM = 25.4 / 72


class Paper(NamedTuple):
    """Printed pages. Sizes in millimetres: of the paper, and how far its signs reach across it."""

    pages: int
    size: tuple[int, int]
    text: str
    left: float
    right: float

    @property
    def bare(self) -> str:
        """The text without any space: where a line ends makes no difference."""
        return "".join(self.text.split())


def print_page(page: Page) -> Paper:
    """Print a page on the paper that its stylesheet names, and read that."""
    printed = pypdfium2.PdfDocument(page.pdf(prefer_css_page_size=True))
    text, left, right = "", 1e9, 0.0
    for sheet in printed:
        words = sheet.get_textpage()
        text += words.get_text_bounded() + "\n"
        for sign in range(words.count_chars()):
            if words.get_text_range(sign, 1).strip():
                box = words.get_charbox(sign)
                left, right = min(left, box[0] * _MM), max(right, box[2] * _MM)
    width, height = printed[0].get_size()
    return Paper(len(printed), (round(width * _MM), round(height * _MM)), text, left, right)
