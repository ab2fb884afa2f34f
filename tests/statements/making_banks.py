"""Makes CAMT.053 and MT940 of invented entries."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from .making import Event

ZERO = Decimal(0)


@dataclass(frozen=True)
class Message:
    """A part of a file, with the balances at both ends."""

    events: Sequence[Event]
    opening: Decimal
    closing: Decimal


def split(events: Sequence[Event], count: int, *, newest_first: bool = False) -> list[Message]:
    """Return messages that follow each other; the first is the longest."""
    opening, made = Decimal("1000.00"), list[Message]()
    size = len(events) // count
    starts = [0, *(len(events) - size * (count - at) for at in range(1, count)), len(events)]
    for start, end in pairwise(starts):
        part = events[start:end]
        closing = opening + sum((one.amount for one in part if one.kind != "failed"), ZERO)
        made.append(Message(part, opening, closing))
        opening = closing
    return made[::-1] if newest_first else made


def write_camt(events: Sequence[Event], *, version: int = 8) -> bytes:
    """A statement of one account; each payment is an entry, of which each third has two details."""
    return join_camt(split(events, 1), version=version)


def join_camt(messages: Sequence[Message], *, version: int = 8) -> bytes:
    wrap = (
        (lambda name: f"<Pty><Nm>{name}</Nm></Pty>")
        if version > 3
        else (lambda name: f"<Nm>{name}</Nm>")
    )
    statements = "".join(
        f"""<Stmt>
<Id>1</Id><FrToDt><FrDtTm>2026-10-01T00:00:00</FrDtTm><ToDtTm>2026-10-31T23:59:59</ToDtTm></FrToDt>
<Acct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>KES</Ccy><Ownr><Nm>Lender</Nm></Ownr></Acct>
{_write_balance("OPBD", one.opening)}{_write_balance("CLBD", one.closing)}{
            "".join(
                _write_entry(number, each, wrap(each.name), version)
                for number, each in enumerate(one.events)
            )
        }
</Stmt>"""
        for one in messages
    )
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.{version:02}"><BkToCstmrStmt>{
        statements
    }</BkToCstmrStmt></Document>""".encode()


def _write_balance(code: str, amount: Decimal) -> str:
    mark = "CRDT" if amount >= 0 else "DBIT"
    return (
        f"<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy='KES'>{abs(amount)}</Amt>"
        f"<CdtDbtInd>{mark}</CdtDbtInd><Dt><Dt>2026-10-01</Dt></Dt></Bal>"
    )


def _write_entry(number: int, one: Event, party: str, version: int) -> str:
    mark, status = (
        ("CRDT" if one.amount > 0 else "DBIT"),
        "PDNG" if one.kind == "failed" else "BOOK",
    )
    sts = f"<Sts><Cd>{status}</Cd></Sts>" if version > 7 else f"<Sts>{status}</Sts>"
    code = "<BkTxCd><Domn><Fmly><SubFmlyCd>CHRG</SubFmlyCd></Fmly></Domn></BkTxCd>"
    reversal = f"<RvslInd>{str(one.kind == 'reversal').lower()}</RvslInd>"
    amounts = [abs(one.amount)]
    if number % 3 == 0 and one.kind == "payment" and abs(one.amount) > 1:
        amounts = [abs(one.amount) - 1, Decimal(1)]
    details = "".join(
        f"<TxDtls><Refs><EndToEndId>{'NOTPROVIDED' if at else one.reference}</EndToEndId></Refs>"
        f"<Amt Ccy='KES'>{amount}</Amt><RltdPties><Dbtr>{party}</Dbtr></RltdPties>"
        f"<RmtInf><Ustrd>for</Ustrd><Ustrd>{one.reference}</Ustrd></RmtInf></TxDtls>"
        for at, amount in enumerate(amounts)
    )
    return (
        f"<Ntry><Amt Ccy='KES'>{abs(one.amount)}</Amt><CdtDbtInd>{mark}</CdtDbtInd>{reversal}{sts}"
        f"<BookgDt><Dt>{one.at:%Y-%m-%d}</Dt></BookgDt><AcctSvcrRef>{one.receipt}</AcctSvcrRef>"
        f"{code if one.kind == 'charge' else ''}<NtryDtls>{details}</NtryDtls></Ntry>"
    )


def write_mt940(events: Sequence[Event]) -> bytes:
    """A statement in two messages that follow each other."""
    return join_mt940(split(events, 2))


def join_mt940(messages: Sequence[Message]) -> bytes:
    return "".join(
        f":20:STMT\n:25:123456789\n:28C:1/1\n:60F:{_write_mark(one.opening)}261001KES"
        f"{_write_figure(one.opening)}\n"
        f"{''.join(_write_line(each) for each in one.events if each.kind != 'failed')}"
        f":62F:{_write_mark(one.closing)}261031KES{_write_figure(one.closing)}\n-\n"
        for one in messages
    ).encode()


def _write_line(one: Event) -> str:
    mark = "C" if one.amount > 0 else "D"
    if one.kind == "reversal":
        mark = "RC" if one.amount < 0 else "RD"
    kind = "NCHG" if one.kind == "charge" else "NTRF"
    return (
        f":61:{one.at:%y%m%d%m%d}{mark}{_write_figure(one.amount)}{kind}NONREF//{one.receipt}\n"
        f":86:/EREF/{one.reference or 'NOTPROVIDED'}/NAME/{one.name[:20]}/REMI/thanks\n"
    )


def _write_mark(amount: Decimal) -> str:
    return "C" if amount >= 0 else "D"


def _write_figure(amount: Decimal) -> str:
    return f"{abs(amount):.2f}".replace(".", ",")
