"""Moving damaged rows to the quarantine table, and what `verify` says after a repair."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from cortex.domain.events import EventKind
from cortex.ports.store import Finding
from cortex.stores.relational.checksums import SUMMED
from cortex.stores.relational.connection import SqlConnection
from cortex.stores.relational.ledger import NOBODY, Ledger, head_of
from cortex.stores.relational.proof import commitment_of


def move_away(
    connection: SqlConnection, source: str, where: str, values: tuple[object, ...], key: str, why: str,
    *, columns: Sequence[str], as_bytes: Callable[[str], str], nothing: str,
    user: int | None = None, subject: str | None = None, next_seal: str = "",
) -> None:  # fmt: skip
    """Move a row to the quarantine table as it is, and leave an event that says so.

    `columns` are those of its table, `as_bytes` reads one as bytes in SQL, and `nothing` is no bytes at all.
    """
    content = SUMMED[source].content if source in SUMMED else ""
    others = [column for column in columns if column != content]
    shown = ", ".join(map(as_bytes, others))
    body = as_bytes(content) if content else nothing
    found = connection.execute(f"SELECT {body}, {shown} FROM {source} WHERE {where}", values).fetchone()
    if found is None:
        return
    rest = {name: None if value is None else value.hex() for name, value in zip(others, found[1:], strict=True)}
    text = json.dumps(rest, sort_keys=True)
    commitment = commitment_of(source, key, text, found[0])
    position = _record(connection, user or NOBODY, subject or f"{source}/{key}", commitment)
    connection.execute(
        "INSERT INTO quarantine (source, key, user, position, why, seal, body, rest) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (source, key, user, position, why, next_seal, found[0], text),
    )
    connection.execute(f"DELETE FROM {source} WHERE {where}", values)


def _record(connection: SqlConnection, user: int, subject: str, commitment: str) -> int:
    """An event for what was set aside, as of the last one: what happens to the rows is no news of their user's."""
    at = head_of(connection, user).at
    if at is None:
        (at,) = connection.execute("SELECT coalesce(max(at), 0) FROM events").fetchone()
    ledger = Ledger(connection, user, at, head=lambda: head_of(connection, user), recorded=True, actor="store")
    ledger.record(EventKind.DAMAGED, subject, commitment)
    ledger.write()
    return ledger.position


def after_repair(before: Sequence[Finding], left: Sequence[Finding]) -> Iterator[Finding]:
    """What was found before a repair, with whether it was repaired, and what was found only afterwards."""
    known = {finding.detail for finding in before}
    for finding in before:
        still_there = any(finding.code == other.code for other in left if not other.repaired)
        yield Finding(finding.code, finding.detail, repaired=finding.repaired or not still_there)
    yield from (finding for finding in left if finding.detail not in known)
