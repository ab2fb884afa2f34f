"""People who open the dashboard through nginx: what they do, are told, and how long it takes."""

import random
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import requests
from requests.adapters import HTTPAdapter

from tests.proof.claims import read_receipt
from tests.proof.crashing import APP
from tests.proof.desk import Confirm, Page, fill_in, form_url, open_confirm, press
from tests.proof.fleet import Fleet
from tests.proof.invariants import Key
from tests.proof.prepare import PASSWORD
from tests.proxies import HOST

# Seconds between two things that a person does, about.
THINK = 0.6
# Each sign-in hashes a password, which is slow on purpose.
_THINK_OF_SIGN_IN = 15.0
_CSRF = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
_KINDS = {
    r"GET /accounts/login/": "sign in: page",
    r"POST /accounts/login/": "sign in: password",
    r"GET .*/repayments/new": "record: form",
    r"POST .*/repayments/new": "record: what was typed",
    r"GET .*/confirm$": "record: review",
    r"POST .*/confirm$": "record: confirm",
    r"GET .*/repayments/\d+/$": "record: receipt",
    r"GET .*/export\.csv$": "journal as CSV",
    r"GET /apps/\w+/loans/[^/]+/$": "loan",
    r"GET /apps/\w+/(?:loans|repayments|borrowers)/$": "lists",
    r"GET /apps/\w+/$": "home page",
}


class Asked(NamedTuple):
    """One request of a person; status 0 says that the connection broke."""

    begin: float
    seconds: float
    kind: str
    status: int


@dataclass
class Notes:
    """What all people saw: each request, and which repayments a receipt called recorded."""

    asked: list[Asked] = field(default_factory=list)
    told: dict[int, Key] = field(default_factory=dict)
    pressed_again: int = 0


class _Adapter(HTTPAdapter):
    """Looks for the certificate of HOST, wherever it connects to."""

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        super().init_poolmanager(*args, server_hostname=HOST, assert_hostname=HOST, **kwargs)


class Visitor:
    """A browser of one person, at nginx."""

    def __init__(self, fleet: Fleet, person: str, notes: Notes) -> None:
        self._fleet, self.person, self.notes = fleet, person, notes
        self._http = self._open()

    def _open(self) -> requests.Session:
        http = requests.Session()
        http.trust_env, http.verify = False, str(self._fleet.certificate)
        http.mount("https://", _Adapter())
        http.headers.update({"Host": HOST, "Referer": f"https://{HOST}/"})
        return http

    def sign_in(self) -> bool:
        """Sign in with a browser of no past; whether it led in."""
        self._http.close()
        self._http = self._open()
        token = _CSRF.search(self.get("/accounts/login/").text)
        if token is None:
            return False
        fields = {"login": self.person, "password": PASSWORD, "csrfmiddlewaretoken": token[1]}
        return self.post("/accounts/login/", fields).status == 302

    def get(self, path: str) -> Page:
        return self._send("GET", path, None)

    def post(self, path: str, fields: dict[str, str]) -> Page:
        return self._send("POST", path, fields)

    def _send(self, method: str, path: str, fields: dict[str, str] | None) -> Page:
        headers = {"X-CSRFToken": self._http.cookies.get("__Host-csrftoken", "")}
        begin = time.monotonic()
        try:
            answer = self._http.request(
                method, self._fleet.url + path, data=fields, headers=headers,
                allow_redirects=False, timeout=120,
            )  # fmt: skip
            page = Page(answer.status_code, answer.text, answer.headers.get("Location", ""))
        except requests.RequestException:
            page = Page(0, "")
        kind = _name_kind(f"{method} {path.partition('?')[0]}")
        self.notes.asked.append(Asked(begin, time.monotonic() - begin, kind, page.status))
        return page

    def note_told(self, number: int, key: Key) -> None:
        """Open the receipt, and note it where it says that this was recorded."""
        page = self.get(f"/apps/{APP}/repayments/{number}/")
        if page.status == 200 and read_receipt(number, page.text).saved == "It is recorded.":
            self.notes.told[number] = key

    def press(self, confirm: Confirm) -> Page:
        """Press “Record it”, and again where there was no answer, as people do."""
        page = press(self, confirm)
        for _ in range(8):
            if page.status and page.status < 500:
                break
            self.notes.pressed_again += 1
            time.sleep(1)
            page = press(self, confirm)
        return page


def _name_kind(line: str) -> str:
    return next((kind for at, kind in _KINDS.items() if re.fullmatch(at, line)), "others")


def sign_in_all(visitors: Sequence[Visitor], arrive: float) -> float:
    """All from one address, who arrive over so many seconds; after how many the last was in."""
    began = time.monotonic()

    def come_in(number: int) -> bool:
        """Whom a busy host holds back tries again a few seconds later, as people do."""
        time.sleep(arrive * number / len(visitors))
        tries = (visitors[number].sign_in() or time.sleep(3) for _ in range(10))
        return any(tries)

    with ThreadPoolExecutor(len(visitors)) as pool:
        came_in = list(pool.map(come_in, range(len(visitors))))
    answered = Counter((one.kind, one.status) for one in visitors[0].notes.asked)
    assert all(came_in), f"{came_in.count(False)} people could not sign in: {answered}"
    return time.monotonic() - began


class _Person(threading.Thread):
    """Somebody at work until all go home."""

    def __init__(self, number: int, visitor: Visitor, loans: list[str], seed: int) -> None:
        super().__init__(daemon=True)
        self.number, self.visitor, self.loans = number, visitor, loans
        self.random, self.count = random.Random(seed * 1000 + number), 0
        self.goes_home = threading.Event()
        self.error: BaseException | None = None

    def run(self) -> None:
        # Of ten, seven record, two read, and one signs in again and again.
        act = {0: self.sign_in, 1: self.read, 2: self.read}.get(self.number % 10, self.record)
        pause = _THINK_OF_SIGN_IN if act == self.sign_in else THINK
        try:
            while not self.goes_home.wait(self.random.random() * 2 * pause):
                act()
        except BaseException as error:
            self.error = error

    def record(self) -> None:
        self.count += 1
        loan = self.random.choice(self.loans)
        key = (loan, f"P{self.number}-{self.count}")
        amount = f"{self.random.randrange(100, 50000) / 100:.2f}"
        url = fill_in(self.visitor, form_url(APP, loan), key[1], amount)
        confirm = open_confirm(self.visitor, url) if url else None
        if confirm:
            number = self.visitor.press(confirm).receipt
            if number:
                self.visitor.note_told(number, key)

    def read(self) -> None:
        loan = self.random.choice(self.loans)
        for path in ("", "loans/", f"loans/{loan}/", "repayments/"):
            self.visitor.get(f"/apps/{APP}/{path}")

    def sign_in(self) -> None:
        self.visitor.sign_in()


@contextmanager
def people_at_work(visitors: Sequence[Visitor], loans: list[str], seed: int) -> Iterator[None]:
    """Let each work while the block lasts. Raises what went wrong with one of them."""
    people = [
        _Person(number, visitor, loans, seed) for number, visitor in enumerate(visitors, start=10)
    ]
    for person in people:
        person.start()
    try:
        yield
    finally:
        for person in people:
            person.goes_home.set()
        for person in people:
            person.join()
    errors = [person.error for person in people if person.error]
    if errors:
        raise errors[0]
