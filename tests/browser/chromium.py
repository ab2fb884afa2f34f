"""The system's Chromium."""

import os
import shutil

from playwright.sync_api import Browser, BrowserContext, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MISSING = f"no Chromium: none of {', '.join(NAMES)} is in PATH"

# Told to the console, where the test that opened the page finds it.
TELL_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (event) => console.error(
  `CSP: ${event.violatedDirective} blocked ${event.blockedURI} (line ${event.lineNumber})`
));
"""

# Nobody closes the dialog of a browser without a screen, and while it is open nothing else is
# printed. That a page asked for it is noted.
_NOTE_PRINT = "window.print = () => { document.documentElement.dataset.printed = 'yes'; };"


def find() -> str | None:
    """The path of a Chromium, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def launch(playwright: Playwright) -> Browser:
    """Start it. Raises RuntimeError where there is none."""
    path = find()
    if path is None:
        raise RuntimeError(MISSING)
    # Chromium refuses to run as root inside its own sandbox, as in a container.
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    return playwright.chromium.launch(executable_path=path, args=arguments)


def sit_down(browser: Browser, address: str, **options: object) -> BrowserContext:
    """A person's own browser session at the dashboard; violations of the CSP reach its console."""
    session = browser.new_context(
        base_url=address, locale="en-GB", timezone_id="Africa/Nairobi", **options
    )  # type: ignore[arg-type]
    session.add_init_script(TELL_VIOLATIONS)
    session.add_init_script(_NOTE_PRINT)
    session.set_default_timeout(10_000)
    return session
