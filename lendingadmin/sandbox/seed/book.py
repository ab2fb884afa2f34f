"""Plan of the loans of an app and of their repayments, for a given time.

A plan has dates and instalments, but no amounts. The sandbox computes the schedule with the
amounts, and the filler pays them.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from typing import Any

from lendingadmin.sandbox.rules.instants import day_end, day_start, read_days, write_timestamp
from lendingadmin.sandbox.seed.countries import APPS
from lendingadmin.sandbox.seed.people import Body, build_borrower, seed_random
from lendingadmin.sandbox.seed.reports import Reports, plan_reports

BORROWERS = {"kenya": 130, "ghana": 90}
LOANS = {"kenya": 245, "ghana": 180}

Product = Mapping[str, Any]

_OFFERED = 1  # a product's status
_MOST_PAID = 9  # most instalments that are paid; more would only take more time

_CHANNELS = ("mobile", "mobile", "mobile", "web", "physical")
_NETWORKS = {"kenya": ("M-PESA", "Airtel Money"), "ghana": ("MTN MoMo", "Telecel Cash")}


class Story(StrEnum):
    """History of a loan until now."""

    PENDING = "pending"
    NEW = "new"
    ON_TIME = "on_time"
    PARTLY = "partly_paid"
    LATE_30 = "late_30"
    LATE_60 = "late_60"
    LATE_90 = "late_90"
    LATE_MORE = "late_more"
    SETTLED_EARLY = "settled_early"
    SETTLED = "settled"
    SETTLED_LATE = "settled_late"


#: A cycle of 25 stories. So each app has every story, in the usual proportions of a lender.
_CYCLE = (
    "on_time settled late_30 on_time pending settled late_60 partly_paid settled_early new"
    " on_time late_more settled on_time late_90 settled_late on_time late_30 settled"
    " partly_paid new on_time settled_early late_60 settled"
)
_STORIES = tuple(map(Story, _CYCLE.split()))
_DAYS_LATE = {
    Story.LATE_30: (1, 30),
    Story.LATE_60: (31, 60),
    Story.LATE_90: (61, 90),
    Story.LATE_MORE: (91, 240),
}
_SETTLED = (Story.SETTLED_EARLY, Story.SETTLED, Story.SETTLED_LATE)


@dataclass(frozen=True)
class Payment:
    """A repayment: the `share` of an instalment that is paid. `instalment` counts from 1.

    If `instalment` is None, the repayment settles the loan.
    """

    instalment: int | None
    share: Decimal
    paid_at: datetime
    external_id: str
    channel: str
    network: str | None
    notes: str | None


@dataclass(frozen=True)
class Loan:
    """Body that creates a loan, and the later repayments, oldest first."""

    story: Story
    body: Body
    payments: tuple[Payment, ...]


@dataclass(frozen=True)
class Client:
    """A borrower with loans, oldest first, and with reports and assessments."""

    body: Body
    loans: tuple[Loan, ...]
    reports: Reports


def plan(app_id: str, now: datetime, products: Sequence[Product]) -> tuple[Client, ...]:
    """Return every borrower of the app with loans and repayments.

    No repayment is later than `now` (aware, UTC). `products` are the products in the service's
    list, with their ids and terms.
    """
    bodies = [build_borrower(app_id, n, now) for n in range(BORROWERS[app_id])]
    loans: list[list[Loan]] = [[] for _ in bodies]
    for n in range(LOANS[app_id]):
        chance = seed_random("holder", app_id, n)
        holder = n if n < len(bodies) * 2 // 3 else chance.randrange(len(bodies) * 9 // 10)
        loans[holder].append(plan_loan(app_id, n, bodies[holder], now, products))
    return tuple(
        Client(
            body,
            tuple(sorted(taken, key=lambda one: str(one.body["startDate"]))),
            plan_reports(app_id, n, body, now),
        )
        for n, (body, taken) in enumerate(zip(bodies, loans, strict=True))
    )


def plan_loan(
    app_id: str, n: int, holder: Body, now: datetime, products: Sequence[Product]
) -> Loan:
    """Return the n-th loan of an app, with its repayments. `holder` is the borrower's body."""
    chance = seed_random("loan", app_id, n)
    story = _STORIES[n % len(_STORIES)]
    product = _choose_product(chance, story, holder["category"], products)
    interval = read_days(product["terms"]["repaymentInterval"], "")
    count = _count_instalments(product)
    paid, start = _plan_progress(story, chance, count, interval, now)
    # The days of an instalment include the first and the last day, so an instalment is due on the
    # day before the next instalment starts.
    dues = [day_end((start + timedelta(days=interval * k - 1)).date()) for k in range(1, count + 1)]
    body: Body = {
        "accountId": f"L-{app_id[:1].upper()}{10001 + n}",
        "borrowerId": holder["borrowerId"],
        "category": holder["category"],
        "productId": product["productId"],
        "startDate": write_timestamp(start),
        "maturityDate": write_timestamp(dues[-1]),
        "contract": _build_contract(chance, app_id, holder["category"], product, start),
    }
    payments = tuple(_plan_payments(story, chance, app_id, n, paid, dues, now))
    return Loan(story, body, payments)


def _choose_product(
    chance: random.Random, story: Story, category: str, products: Sequence[Product]
) -> Product:
    """Return a suitable product.

    The period for a company is half a year or more. A settled loan has few instalments.
    """
    offered = [product for product in products if product["status"] == _OFFERED]
    if category == "company":
        fitting = [one for one in offered if read_days(one["terms"]["period"], "") >= 180]
    else:
        fitting = [one for one in offered if read_days(one["terms"]["period"], "") <= 360]
    if story in _SETTLED:
        fitting = [one for one in fitting if _count_instalments(one) <= 6]
    return chance.choice(fitting or offered)


def _count_instalments(product: Product) -> int:
    terms = product["terms"]
    return max(1, read_days(terms["period"], "") // read_days(terms["repaymentInterval"], ""))


def _plan_progress(
    story: Story, chance: random.Random, count: int, interval: int, now: datetime
) -> tuple[int, datetime]:
    """Return the number of fully paid instalments, and the start day of the loan."""
    today = day_start(now.date())
    paid = chance.randrange(min(count, _MOST_PAID))
    if story is Story.PENDING:
        return 0, today + timedelta(days=chance.randint(1, 12))
    if story is Story.NEW:
        return 0, today - timedelta(days=chance.randint(0, max(0, min(5, interval - 2))))
    if story in _DAYS_LATE:
        since_due = chance.randint(*_DAYS_LATE[story])
        return paid, today - timedelta(days=since_due + interval * (paid + 1) - 1)
    if story in _SETTLED:
        paid = max(0, count - 2) if story is Story.SETTLED_EARLY else count - 1
        return paid, today - timedelta(days=count * interval + chance.randint(50, 320))
    until_due = chance.randint(1, max(1, interval - 2))
    return paid, today + timedelta(days=until_due - interval * (paid + 1) + 1)


def _plan_payments(
    story: Story,
    chance: random.Random,
    app_id: str,
    n: int,
    paid: int,
    dues: Sequence[datetime],
    now: datetime,
) -> list[Payment]:
    made: list[Payment] = []

    def pay(moment: datetime, instalment: int | None, share: Decimal = Decimal(1)) -> None:
        moment = moment.replace(hour=chance.randint(5, 17), minute=chance.randint(0, 59), second=7)
        channel = chance.choice(_CHANNELS)
        sign = f"{app_id[0].upper()}{n:04d}{len(made) + 1}"
        made.append(
            Payment(
                instalment=instalment,
                share=share,
                paid_at=min(moment, now - timedelta(minutes=30)),
                external_id=f"{sign}{chance.getrandbits(24):06X}",
                channel=channel,
                network=None if channel == "physical" else chance.choice(_NETWORKS[app_id]),
                notes="Paid at the counter" if channel == "physical" else None,
            )
        )

    late = story in _DAYS_LATE
    for k in range(paid):
        offset = chance.choice((-2, -1, 0, 0, 1)) if late else chance.choice((-3, -1, 0, 0))
        pay(dues[k] + timedelta(days=offset), k + 1)
    last_due = dues[-1]
    if story is Story.SETTLED_EARLY:
        # Pay the rest after the last instalment that was paid separately.
        pay(last_due - timedelta(days=chance.randint(3, 12)), None)
    elif story is Story.SETTLED:
        pay(last_due - timedelta(days=chance.choice((0, 0, 1))), None)
    elif story is Story.SETTLED_LATE:
        pay(last_due + timedelta(days=chance.randint(4, 45)), None)
    elif story is Story.PARTLY or (late and chance.random() < 0.4):
        # Pay less than the instalment, so that it is partly paid and still due (or overdue).
        recent = dues[paid] - timedelta(days=chance.randint(1, 3))
        pay(min(recent, now - timedelta(days=1)), paid + 1, Decimal(chance.randint(20, 70)) / 100)
    return made


def _build_contract(
    chance: random.Random, app_id: str, category: str, product: Product, start: datetime
) -> Body:
    """Return a contract without instalments, which the service computes (Spec: LendingContract).

    Fees and penalties come from the product. The premium is random.
    """
    terms = product["terms"]
    amount = _choose_amount(chance, app_id, category)
    return {
        "productId": product["productId"],
        "versionNo": 1,
        "startDate": write_timestamp(start),
        "terms": {
            "period": terms["period"],
            "interest": {
                "baseRate": terms["interest"]["baseRate"],
                "riskPremiumRate": Decimal(chance.randint(0, 60)) / 1000,
            },
        },
        "amounts": {"requested": amount, "principal": amount},
    }


def _choose_amount(chance: random.Random, app_id: str, category: str) -> Decimal:
    """Return a round sum in the app's currency. Most sums are small; companies borrow more."""
    unit = APPS[app_id][1]
    steps = chance.lognormvariate(3.4 if category == "individual" else 6.0, 0.9)
    return (Decimal(steps).quantize(Decimal(1), ROUND_HALF_UP) + 2) * unit
