"""Clicks, keys and seconds of the jobs of a day, each from Home to its end.

A click is the mouse, or Enter on a link or a button. Everything else that is typed is a key, what
is typed of names and amounts too. Seconds are the machine's: nobody reads or thinks here.
"""

from time import monotonic
from typing import Any

from playwright.sync_api import Locator, Page

#: The most clicks and keys of each job. They only go down.
CEILINGS = {
    "a phone number to a printed receipt": (3, 27),
    "the same by Find and keyboard": (1, 32),
    "the same by Find and mouse": (4, 33),
    "twenty repayments of one person": (39, 468),
    "one of several loans, to the receipt": (1, 33),
    "a closed loan, to the form with its warning": (1, 11),
    "from another page to the form of a person": (1, 17),
    "more than is owed, to its sending": (1, 22),
    "end of day, opened": (1, 0),
    "end of day, cash counted and printed": (3, 2),
    "a leaver is locked out": (3, 0),
    "a statement of 30 rows, 9 of them odd": (17, 34),
    "ten pasted rows": (7, 2),
    "a collection sheet, made and printed": (4, 0),
    "the sheet returned, three amounts recorded": (5, 24),
    "ten calls noted": (3, 143),
    "an approval by a second person": (2, 0),
    "what do I owe, on paper, by keys": (1, 1),
    "what do I owe, on paper, by mouse": (2, 0),
    "key facts of an offer, from the borrower": (2, 0),
    "a notice, on paper, by keys": (1, 2),
    "a notice, on paper, by mouse": (2, 0),
    "a stranger to a borrower": (2, 23),
    "a stranger to a loan": (10, 23),
}
_IS_CONTROL = "() => document.activeElement.matches('a, button, summary')"


class Watch:
    """A page and a person, of whom each click and key is counted, job by job."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = self.keys = 0
        self._since = monotonic()

    def click(self, target: Locator) -> None:
        """Press with the mouse."""
        self.clicks += 1
        target.click()

    def choose_file(self, target: Locator, file: Any) -> None:
        """Open the browser's window, and press the file; its name is not typed."""
        self.clicks += 2
        target.set_input_files(file)

    def press(self, *keys: str) -> None:
        """Press keys that are not typed into a field."""
        for key in keys:
            if key == "Enter" and self.page.evaluate(_IS_CONTROL):
                self.clicks += 1
            else:
                self.keys += 1
            self.page.keyboard.press(key)

    def type(self, words: str) -> None:
        """Type into what has the focus."""
        self.keys += len(words)
        self.page.keyboard.type(words)

    def paste(self, words: str) -> None:
        """Paste into what has the focus, with Ctrl and V."""
        self.keys += 2
        self.page.keyboard.insert_text(words)


class Table:
    """The rows of the jobs that ended."""

    def __init__(self) -> None:
        self._rows: list[tuple[str, int, int, float]] = []

    def stop(self, watch: Watch, job: str) -> None:
        """Add the row of this job; fail where it took more than before."""
        seconds = monotonic() - watch._since
        self._rows.append((job, watch.clicks, watch.keys, seconds))
        clicks, keys = CEILINGS[job]
        assert watch.clicks <= clicks and watch.keys <= keys, self._rows[-1]

    def print(self) -> None:
        """Print the table."""
        print(f"\n{'job':<52}{'clicks':>7}{'keys':>6}{'seconds':>9}")  # noqa: T201 - for pytest -s
        for job, clicks, keys, seconds in self._rows:
            print(f"{job:<52}{clicks:>7}{keys:>6}{seconds:>9.1f}")  # noqa: T201
