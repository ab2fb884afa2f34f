"""Convert a table of a known layout into a Statement, with a Line for each row."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, tzinfo
from decimal import Decimal
from itertools import chain, groupby
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from lendingadmin.desk.statements import lines
from lendingadmin.desk.statements.lines import (
    Flaw,
    Kind,
    Line,
    Refused,
    Statement,
    UnknownTable,
    list_others,
)

from .chain import are_newest_first, is_other_head
from .days import DayOrder, Moment, find_day_order, is_mixed, is_turned, is_within, read_moment
from .figures import (
    find_divider,
    find_heading_currency,
    find_reversed,
    read_amount,
    read_currency,
    read_id,
    read_party,
    read_reference,
)
from .head import read_head
from .layouts import Layout, Rule, find_layout, fold_heading, is_reference
from .meanings import (
    CURRENCY,
    DIVIDER,
    EMPTY,
    MOST_WORDS,
    SIDE,
    STATUS,
    Answers,
    find_deciding_columns,
    find_status_columns,
    fold_word,
    is_total,
    may_follow_total,
    read_status,
    read_word,
)

_HEAD = 60
_SAMPLE = 20
_CELLS = 3
# If at most one row in this many has a feature, or a single row, the feature is a fault of these
# rows.
_FEW = 10
_MOVED = ("amount", "paid_in", "paid_out")
# The fields that describe a payment, except its day and its id.
_NAMING = ("details", "payer", "reference", "phone")
_FEE = ("fee",)
_OWNERS = ("holder", "account")
_FIGURES = ("amount", "paid_in", "paid_out", "balance", "fee")
# The prefix of fields for columns that have more references.
_OTHER = "other "


class Context(NamedTuple):
    """The lender's time zone, today's date in it, the lender's currency, and people's answers.

    The currency gives the number of decimals if the table does not name a currency.
    """

    zone: tzinfo
    today: date
    currency: str
    answers: Answers


def read_rows(
    rows: Sequence[Sequence[str]],
    context: Context,
    day_first: bool | None,
    mapping: lines.Mapping | None,
) -> Statement | UnknownTable:
    """Return the statement of a table, or UnknownTable if its layout is not known.

    UnknownTable is also returned if the `mapping` lacks a status, side or currency column of the
    table. Raise Refused for a table without headings.
    """
    for at, row in enumerate(rows[:_HEAD]):
        if layout := find_layout(row):
            return _Reader(layout, rows, at, context).read(day_first)
    at = _find_header(rows, context.zone)
    header, below = list(rows[at]) if rows else [], rows[at + 1 :]
    if _is_payment(header, context.zone):
        raise Refused(
            _(
                "Row %(number)s is a payment, but there is no row with the names of the "
                "columns. Export the file with headings, or add headings above the first "
                "payment."
            )
            % {"number": at + 1}
        )
    deciding = find_deciding_columns(header, below)
    if mapping and all(getattr(mapping, name) for name in deciding):
        return _Reader(_build_layout(mapping), rows, at, context).read(day_first)
    return UnknownTable(
        header=header,
        header_row=at + 1,
        sample=[list(row) for row in below[:_SAMPLE]],
        fingerprint=make_fingerprint(header),
        deciding=deciding,
    )


def _is_payment(row: Sequence[str], zone: tzinfo) -> bool:
    """Return True if a row has a day, or an amount and several cells, so it may be a payment."""
    if sum(map(bool, row)) >= _CELLS and any(read_amount(cell) is not None for cell in row):
        return True
    return any(read_moment(x, zone, day_first=first).at for x in row for first in (True, False))


def make_fingerprint(header: Sequence[str]) -> str:
    """Return the fingerprint of headings; it is the same in any case and spacing."""
    folded = json.dumps([fold_heading(cell) for cell in header], ensure_ascii=False)
    return hashlib.sha256(folded.encode()).hexdigest()[:32]


def _find_header(rows: Sequence[Sequence[str]], zone: tzinfo) -> int:
    """Return the position of the row near the top that has the most cells with words."""

    def count(row: Sequence[str]) -> int:
        if _is_payment(row, zone):
            return 0
        return sum(bool(cell) and read_amount(cell) is None for cell in row)

    counts = [count(row) for row in rows[:_HEAD]]
    best = max(counts, default=0)
    return counts.index(best) if best >= _CELLS else 0


def _build_layout(mapping: lines.Mapping) -> Layout:
    headings = vars(mapping) | {"has_unique_ids": ""}
    columns = {name: (fold_heading(heading),) for name, heading in headings.items() if heading}
    return Layout(
        key=lines.MAPPED,
        network="",
        needs=frozenset(),
        columns=columns,
        texts=("details",),
        has_unique_ids=mapping.has_unique_ids,
    )


@dataclass
class _Reader:
    """The reader of one table; `at` is the place of its row of headings."""

    layout: Layout
    rows: Sequence[Sequence[str]]
    at: int
    context: Context

    def read(self, day_first: bool | None) -> Statement:
        """Return the statement, with days in the given or the likely order. Raise Refused."""
        self.zone = UTC if self.layout.is_utc else self.context.zone
        self.places = self._find_places()
        # The head, read with the day first and read with the month first.
        above = self.rows[: self.at]
        self.heads = [read_head(above, self.zone, day_first=first) for first in (True, False)]
        self.unknown_words, self.flaws = dict[str, list[str]](), list[Flaw]()
        full = [
            (number, row if len(row) >= self.width else [*row, *[""] * (self.width - len(row))])
            for number, row in enumerate(self.rows[self.at + 1 :], start=self.at + 2)
            if any(row)
        ]
        body = [(number, row) for number, row in full if not self._is_heading(row)]  # of each page
        order = self._find_order([row for _number, row in body], day_first)
        self.day_first = order.day_first
        head = dict(self._choose_head([row for _number, row in body]))
        named = str(head.pop("currency", ""))
        # The heading of the amounts counts first, because the head may name the account's currency.
        headings = (self.rows[self.at][x] for field in _MOVED for x in self.places.get(field, ()))
        own = next(filter(None, map(find_heading_currency, headings)), "")
        self.currency = own or read_currency(named.upper()) or named.upper()[:3]
        self.sign, self.instead = self._find_divider([row for _number, row in body])
        found = self._name_currencies(self._read_lines(body))
        self._find_rows_above()
        held = {self._get(row, "account") for _number, row in body[:200]} - {""}
        account = str(head.pop("account", "")) or (held.pop() if len(held) == 1 else "")
        self._check_one_head(full, found, account)
        return Statement(
            layout=self.layout.key,
            network=self.layout.network,
            account=account,
            currency=self.currency or lines.find_currency(found),
            lines=found,
            newest_first=are_newest_first(found),
            day_first=order.day_first,
            day_is_proposed=order.is_proposed,
            unknown_words=self.unknown_words,
            flaws=self.flaws,
            # Row numbers are counted, not lines, because a row and its fee are two lines.
            skipped=len(full) - len({line.number for line in found}),
            has_unique_ids=self.layout.has_unique_ids,
            **head,
        )

    def _find_places(self) -> dict[str, list[int]]:
        """Return the columns of each field; `a+b` means that two columns are joined."""
        headings = [fold_heading(cell) for cell in self.rows[self.at]]
        self.headings = [heading for heading in headings if heading]
        self.width = len(headings)
        places: dict[str, list[int]] = {}
        for field, names in self.layout.columns.items():
            for name in names:
                found = [_find_place(headings, part) for part in name.split("+")]
                if None not in found:
                    places[field] = [place for place in found if place is not None]
                    break
        # A table of a known layout may have a column of currencies or sides that the layout does
        # not name.
        deciding = find_deciding_columns(self.rows[self.at], ())
        for field in (CURRENCY, *([SIDE] if "amount" in places else [])):
            if field in deciding and field not in places:
                places[field] = [list(self.rows[self.at]).index(deciding[field])]
        if self.layout.incoming and {"amount", "type"} <= set(places):
            places.setdefault(SIDE, places["type"])
        if statuses := self._find_statuses(places):
            places[STATUS] = statuses
        used = {place for some in (*places.values(), self.statuses) for place in some}
        for place, heading in enumerate(headings):
            if place not in used and is_reference(heading, self.layout):
                places[f"{_OTHER}{place}"] = [place]
        decide = (*_MOVED, "balance", SIDE, CURRENCY)
        decides = [*self.statuses, *(at for field in decide for at in places.get(field, ()))]
        # A row with at most this many cells may end within an amount. The last column may be empty.
        self.last_decider = min(max(decides, default=0) + 1, self.width - 1)
        return places

    def _find_statuses(self, places: Mapping[str, list[int]]) -> list[int]:
        """Find the columns that show whether money moved, and set them on the reader.

        Return the columns to display as the status.
        """
        header, below = self.rows[self.at], self.rows[self.at + 1 :]
        used = {at for own in places.values() for at in own}
        others = find_status_columns(header, below, used)
        self.own_status = places.get(STATUS, ())
        self.statuses = {at: header[at] for at in (*self.own_status, *others)}
        held = {at: {row[at] for row in below if at < len(row)} for at in self.statuses}
        self.filled = {at for at, cells in held.items() if cells - {"", header[at]}}
        self.meanings = dict[tuple[int, str], tuple[bool | None, str]]()
        return [*self.own_status] or others[:1]

    def _is_heading(self, row: Sequence[str]) -> bool:
        """Return True if a row repeats the headings. Case and empty cells do not matter."""
        filled = [cell for cell in row if cell]
        if fold_heading(filled[0].lstrip("\ufeff")) != self.headings[0]:
            return False  # nearly all rows end here
        return [fold_heading(cell.lstrip("\ufeff")) for cell in filled] == self.headings

    def _find_order(self, body: Sequence[Sequence[str]], day_first: bool | None) -> DayOrder:
        texts = [self._get(row, "moment") for row in body]
        if is_mixed(texts):
            words = _(
                "Dates are written in two ways. Excel may have swapped day and month in some "
                "dates. Export the statement again and upload the file without opening it."
            )
            self.flaws.append(Flaw(0, words))
        order = DayOrder(bool(day_first))
        if day_first is None:
            order = find_day_order(
                texts,
                self.zone,
                [(head["begins"], head["ends"]) for head in self.heads if "begins" in head],
                usual=self.layout.day_first,
                today=self.context.today,
            )
        if is_turned(texts, self.zone, day_first=order.day_first):
            words = _(
                "Some dates are in the right order only if day and month are swapped. Excel "
                "may have swapped day and month. Export the statement again and upload the "
                "file without opening it."
            )
            self.flaws.append(Flaw(0, words))
        return order

    def _choose_head(self, body: Sequence[Sequence[str]]) -> dict[str, Any]:
        """Return the head with its dates read in the order that fits the rows."""
        first, *others = self.heads if self.day_first else self.heads[::-1]
        if others == [first]:
            return first
        texts = {self._get(row, "moment") for row in body}
        read = (read_moment(text, self.zone, day_first=self.day_first).at for text in texts)
        days = {moment.date() for moment in read if moment}
        fitting = (
            head
            for head in (first, *others)
            if "begins" in head and is_within(days, head["begins"], head["ends"])
        )
        return next(fitting, first)

    def _read_lines(self, body: Sequence[tuple[int, Sequence[str]]]) -> list[Line]:
        found, usual = list[Line](), self._find_usual_length(body)
        lined, short, read = list[int](), list[int](), 0
        for number, row in body:
            if any(row[self.width :]) or len(row) > usual:
                words = _(
                    "Row %(number)s has more cells than headings because its text has a "
                    "comma or a tab. The row's amount is not certain."
                )
                self.flaws.append(Flaw(number, words % {"number": number}))
                found.append(_make_broken(number))
            elif found and self._is_continued(row):
                # The row may be a footer, so references in its text only suggest a loan.
                at = next(at for at, line in enumerate(found) if line.number == found[-1].number)
                text = f"{found[at].details} {self._get(row, 'details')}".strip()
                found[at] = replace(found[at], details=text)
            elif lines := list(self._read_row(number, row)):
                found.extend(lines)
                read += 1
                if any("\n" in cell or "\r" in cell for cell in row):
                    lined.append(number)
                if len(self.rows[number - 1]) <= self.last_decider:
                    short.append(number)
        # If only a few rows have one of these features, these rows are faulty.
        for numbers, words in (
            (
                lined,
                _("Row %(number)s has several lines in one cell. The row may be several rows."),
            ),
            (
                short,
                _(
                    "Row %(number)s has fewer cells than the other rows. A part of the row may "
                    "be missing."
                ),
            ),
        ):
            if len(numbers) * _FEW <= read or len(numbers) == 1 < read:
                found = self._break_rows(found, numbers, words)
        return found

    def _break_rows(self, found: list[Line], numbers: Sequence[int], words: str) -> list[Line]:
        """Return the lines without the content of these rows, and add a flaw for each row."""
        self.flaws += [Flaw(number, words % {"number": number}) for number in numbers]
        rows = groupby(found, key=lambda line: line.number)
        parts = ([_make_broken(n)] if n in numbers else list(lines) for n, lines in rows)
        return list(chain.from_iterable(parts)) if numbers else found

    def _name_currencies(self, found: list[Line]) -> list[Line]:
        """Set the lender's currency on lines without one.

        Do this only if other lines name another currency.
        """
        own = self.context.currency
        bare = [line.amount is not None and not line.currency for line in found]
        if not own or not any(bare) or {line.currency for line in found} <= {"", own}:
            return found
        pairs = zip(found, bare, strict=True)
        return [replace(line, currency=own) if is_bare else line for line, is_bare in pairs]

    def _find_usual_length(self, body: Sequence[tuple[int, Sequence[str]]]) -> int:
        """Return the most cells that a row may have.

        If all rows have more cells than the headings, that is allowed.
        """
        lengths = [len(row) for _number, row in body if any(row)]
        headings = max(self.width, len(self.rows[self.at]))
        return max(headings, min(lengths)) if len(lengths) > 1 else headings

    def _is_continued(self, row: Sequence[str]) -> bool:
        """Return True if a row has nothing but more details for the row above."""
        places = self.places.get("details", ())
        filled = [at for at, cell in enumerate(row) if cell]
        return bool(places) and filled == [*places] and not any(map(is_total, row))

    def _find_rows_above(self) -> None:
        """Add a flaw for each payment above the headings, because such a row is not read."""
        for number, row in enumerate(self.rows[: self.at], start=1):
            full = [*row, *[""] * (self.width - len(row))]
            values = {field: self._get(full, field) for field in self.places}
            moments = [
                read_moment(values.get("moment", ""), self.zone, day_first=first)
                for first in (True, False)
            ]
            moment = next((one for one in moments if one.at), moments[0])
            has_amount = any(read_amount(values.get(name, "")) for name in _MOVED)
            if moment.at and has_amount and not _is_apart(full, values, moment, has_amount=True):
                words = _("Row %(number)s is above the headings and was not read.")
                self.flaws.append(Flaw(number, words % {"number": number}))

    def _check_one_head(
        self, full: Sequence[tuple[int, Sequence[str]]], found: Sequence[Line], account: str
    ) -> None:
        """Raise Refused if a head among the rows belongs to another statement."""
        dated = {line.number for line in found if line.moment}
        for is_row, group in groupby(full, key=lambda numbered: numbered[0] in dated):
            between = [] if is_row else list(group)
            rows = [row for _number, row in between if not self._is_heading(row)]
            is_new, above = len(rows) < len(between), self.rows[: self.at]
            if any(map(find_layout, rows)) or (
                rows and is_other_head(above, rows, account, self.zone, is_new=is_new)
            ):
                words = _(
                    "Row %(number)s starts another statement. Save each statement as a "
                    "separate file."
                )
                raise Refused(words % {"number": between[0][0]})

    def _find_divider(self, body: Sequence[Sequence[str]]) -> tuple[str, str]:
        """Return the point or comma that must be replaced in amounts, and its replacement.

        Return two empty texts if nothing must be replaced. If no amount of the table shows the
        meaning of a point or comma before three digits, ask a person.
        """
        texts = [self._get(row, field) for row in body for field in _FIGURES]
        sign, divides = find_divider(texts, self.currency or self.context.currency)
        if sign and divides is None:
            divides = read_word(DIVIDER, sign, self.context.answers)
            if divides is None:
                self._ask(DIVIDER, sign)
        if sign == "," and divides is False:
            return ",", "."
        return (".", "") if sign == "." and divides else ("", "")

    def _get(self, row: Sequence[str], field: str) -> str:
        places = self.places.get(field, ())
        # Nearly every field has one column, and joining is slow in a table with 20,000 rows.
        text = (
            row[places[0]] if len(places) == 1 else " ".join(x for at in places if (x := row[at]))
        )
        # JSON may have null characters and lone surrogates, which no database accepts.
        text = text.replace("\0", "")
        return text if text.isascii() else text.encode(errors="replace").decode()

    def _read_row(self, number: int, row: Sequence[str]) -> Iterator[Line]:
        values = {field: self._get(row, field) for field in self.places}
        if self.sign:
            changed = {
                x: values[x].replace(self.sign, self.instead) for x in _FIGURES if x in values
            }
            values |= changed
        written = values.get("paid_in") or values.get("amount") or values.get("paid_out") or ""
        named = values.get("currency", "")
        named = read_currency(named) or named or read_currency(written) or self.currency
        currency = named.upper()[:3]
        counted = currency or self.context.currency
        if self.layout.incoming and (read_amount(values.get("amount", ""), counted) or 0) < 0:
            values.pop(SIDE, None)  # the sign of the amount is enough
        amount = self._read_amount(values, counted)
        moment = read_moment(values.get("moment", ""), self.zone, day_first=self.day_first)
        if _is_apart(row, values, moment, has_amount=amount is not None):
            return
        fee = read_amount(values.get("fee", ""), counted)
        unread = (_FEE if fee is None else ()) if amount is not None else _MOVED
        if text := next((x for x in map(values.get, unread) if x), ""):
            words = _("Row %(number)s: the amount “%(text)s” can't be read.")
            self.flaws.append(Flaw(number, words % {"number": number, "text": text}))
        receipt, is_damaged = read_id(values.get("receipt", ""))
        is_done = self._read_status(row, asks=amount is not None)
        kind = Kind.FAILED if is_done is False else self._sort(values, amount)
        kind = Kind.OTHER if is_done is None else kind
        if receipt and not is_damaged and kind is Kind.PAYMENT:
            is_damaged = not self.layout.id_form.fullmatch(receipt)
        fee = abs(fee or Decimal(0))
        balance = read_amount(values.get("balance", ""), counted)
        payer, phone = read_party(values)
        reference, details = read_reference(values), values.get("details", "")
        others = [read_id(text)[0] for name, text in values.items() if name.startswith(_OTHER)]
        if not self.layout.has_unique_ids:  # may be the payer's reference
            others.append(receipt)
        line = Line(
            number=number,
            kind=kind,
            amount=amount,
            currency=currency,
            moment=moment.at,
            has_time=moment.has_time,
            receipt=receipt,
            balance=None if fee else balance,
            phone=phone,
            payer=payer,
            reference=reference,
            details=details,
            status=values.get("status", ""),
            reverses=find_reversed(values, receipt) if kind is Kind.REVERSAL else "",
            is_damaged=is_damaged,
            others=list_others(reference, details, *others),
        )
        yield line
        if fee and kind is not Kind.FAILED:
            yield replace(line, kind=Kind.CHARGE, amount=-fee, balance=balance)

    def _read_amount(self, values: Mapping[str, str], currency: str) -> Decimal | None:
        if "amount" in self.places:
            amount = read_amount(values["amount"], currency)
            is_out = self._read_side(values) is False
            return -abs(amount) if amount is not None and is_out else amount
        paid_in = read_amount(values.get("paid_in", ""), currency)
        paid_out = read_amount(values.get("paid_out", ""), currency)
        both = {"paid_in": paid_in, "paid_out": paid_out}
        # A dash is not an amount. If figures can't be read, the amount is unknown.
        is_unread = any(
            one is None and any(map(str.isdigit, values.get(field, "")))
            for field, one in both.items()
        )
        if is_unread or (paid_in is None and paid_out is None):
            return None
        # Operators write outgoing money with or without a minus. The sign of incoming money counts.
        return (paid_in or Decimal(0)) - abs(paid_out or Decimal(0))

    def _read_side(self, values: Mapping[str, str]) -> bool | None:
        """Return True if money came in, False if it went out, and None if the side is unknown."""
        if SIDE not in values:
            return True
        meaning = read_word(SIDE, values[SIDE], self.context.answers)
        if meaning is None and self.layout.incoming:
            meaning = self.layout.find_side(values[SIDE])
        return meaning

    def _ask(self, field: str, word: str) -> None:
        """Ask a person for the meaning of a word. Raise Refused for too many words."""
        asked = self.unknown_words.setdefault(field, [])
        if word not in asked:
            asked.append(word)
        if len(asked) > MOST_WORDS and self.layout.key == lines.MAPPED:
            places = self.statuses if field == STATUS else self.places[field]
            headings = ", ".join(self.rows[self.at][at] for at in places)
            words = _(
                "The column “%(heading)s” has more than %(count)s different words, so this "
                "column can't show which rows are payments. Choose another column."
            )
            raise Refused(words % {"heading": headings, "count": MOST_WORDS})

    def _read_status(self, row: Sequence[str], *, asks: bool) -> bool | None:
        """Return True if all status columns show a row as completed.

        For an unknown word return None; if `asks`, also ask a person.
        """
        unknown = list[str]()
        for at in self.statuses:
            # Most rows have the same words, so each word is read once.
            if (cell := (at, row[at])) not in self.meanings:
                self.meanings[cell] = read_status(
                    row[at],
                    self.context.answers,
                    heading=self.statuses[at],
                    is_own=at in self.own_status,
                    is_alone=at not in self.filled,
                )
            meaning, word = self.meanings[cell]
            if meaning is False:
                return False
            unknown += [word] if meaning is None else []
        for word in unknown if asks else ():
            self._ask(STATUS, word)
        return None if unknown else True

    def _sort(self, values: Mapping[str, str], amount: Decimal | None) -> Kind:
        """Return the kind of a row whose money moved, by the operator's type, then by sign.

        A payer may write anything into the details, and may have any name. Only the type column can
        show that incoming money is not a payment. If the row names a payer, only types with a
        single meaning count, because “School Fee Collection” is a payment.
        """
        if amount is None:
            return Kind.OTHER
        if self._read_side(values) is None:
            self._ask(SIDE, fold_word(values[SIDE]) or EMPTY)
            return Kind.OTHER
        fields = ("type",) if amount > 0 else self.layout.texts
        text = " \n".join(values.get(field, "") for field in fields)
        kind = _find_kind(self.layout.sorts, text)
        if (kind is None and amount < 0) or (kind and amount > 0 and self._names_payer(values)):
            kind = _find_kind(self.layout.certain, values.get("type", ""))
        if kind:
            return kind
        if amount > 0:
            return Kind.PAYMENT
        # A negative amount of money in is a reversed payment.
        is_reversed = (read_amount(values.get("paid_in", "")) or 0) < 0
        return Kind.REVERSAL if is_reversed else Kind.OTHER

    def _names_payer(self, values: Mapping[str, str]) -> bool:
        """Return True if a row names a reference, a phone or a payer.

        The operator and the owner of the account are not payers.
        """
        payer, phone = read_party(values)
        own = {fold_word(str(one.get(name, ""))) for one in self.heads for name in _OWNERS} - {""}
        name = fold_word(payer)
        is_own = name in ("", "sp") or any(one in (name, *name.split()) for one in own)
        return bool(phone or values.get("reference") or not is_own)


def _find_kind(rules: Sequence[Rule], text: str) -> Kind | None:
    return next((kind for kind, pattern in rules if pattern.search(text)), None)


def _is_apart(
    row: Sequence[str], values: Mapping[str, str], moment: Moment, *, has_amount: bool
) -> bool:
    """Return True if a row is only a total, a carried balance or text between the rows."""
    has_amount = has_amount or any(values.get(field) for field in _MOVED)
    when, receipt = values.get("moment", ""), values.get("receipt", "")
    # Most ids are letters with digits. They can't name a total, and reading their words takes long.
    is_id = receipt.isalnum() and not receipt.isalpha()
    if not receipt or (not is_id and is_total(receipt)):
        is_dated = moment.at is not None or (bool(when) and not is_total(when))
        if all(may_follow_total(values.get(field, "")) for field in _NAMING) and any(
            is_total(cell, is_dated=is_dated) for cell in row
        ):
            return True
        if not is_dated:
            return not has_amount
    return moment.at is None and not has_amount and sum(map(bool, row)) < _CELLS


def _find_place(headings: Sequence[str], name: str) -> int | None:
    name, _sign, count = name.partition("#")
    places = [at for at, heading in enumerate(headings) if heading == name]
    wanted = int(count or 1) - 1
    return places[wanted] if wanted < len(places) else None


def _make_broken(number: int) -> Line:
    return Line(number=number, kind=Kind.OTHER, amount=None, currency="", moment=None)
