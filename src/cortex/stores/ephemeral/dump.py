"""A shelf as records (see `domain.dump`), and back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from cortex.domain.dump import DumpRecord, RecordKind
from cortex.domain.erasure import Erasure
from cortex.domain.events import Event, EventKind, Lag
from cortex.domain.identity import TraceId
from cortex.domain.passages import terms_of
from cortex.domain.receipt import Receipt
from cortex.domain.trace import canonical, from_fields, name_of
from cortex.domain.vectors import Basis, Calibration
from cortex.errors import Conflict
from cortex.ports.store import Job, JobState
from cortex.stores.ephemeral.shelf import Embedding, Fields, SaidVersion, Shelf, Use


def dump(shelf: Shelf, erasures: Sequence[Erasure]) -> Iterator[DumpRecord]:
    """The records of a shelf."""
    if unfinished := [each for each in erasures if not each.finished]:
        raise Conflict(
            f"erasure {unfinished[0].id} is not finished", hint="open the memory once more: that finishes it"
        )
    if shelf.is_empty:
        return
    for kind, read in _READ.items():
        for fields in read(shelf):
            yield DumpRecord(kind, fields)
    for each in erasures:
        yield DumpRecord(RecordKind.ERASURE, each.to_json())
    for fields in shelf.quarantined:
        yield DumpRecord(RecordKind.QUARANTINED, fields)


def _ledger(shelf: Shelf) -> Iterator[Fields]:
    position, seal = shelf.start
    lag = shelf.lag
    yield {
        "position": position,
        "seal": seal,
        "lag_ledger": lag.ledger.isoformat() if lag else None,
        "lag_clock": lag.clock.isoformat() if lag else None,
    }


def _events(shelf: Shelf) -> Iterator[Fields]:
    for each in shelf.events:
        yield {
            "position": each.position,
            "at": each.at.isoformat(),
            "kind": each.kind.value,
            "subject": each.subject,
            "commitment": each.commitment,
            "seal": each.seal,
            "actor": each.actor,
            "cause": each.cause,
        }


def _traces(shelf: Shelf) -> Iterator[Fields]:
    for id, versions in shelf.said.items():
        uses, last = shelf.uses.get(id, ()), versions[-1]
        yield {
            "id": id,
            "name": name_of(last.trace),
            "since": last.since,
            "salt": last.salt.hex(),
            "body": canonical(last.trace),
            "used": max(use.at for use in uses).isoformat() if uses else None,
            "uses": len(uses),
        }


def _versions(shelf: Shelf) -> Iterator[Fields]:
    for id, versions in shelf.said.items():
        for each in versions[:-1]:
            body = canonical(each.trace)
            yield {"id": id, "since": each.since, "until": each.until, "salt": each.salt.hex(), "body": body}


def _accesses(shelf: Shelf) -> Iterator[Fields]:
    for id in shelf.said:
        counted = Counter((use.position, use.at) for use in shelf.uses.get(id, ()))
        for (position, at), times in sorted(counted.items()):
            yield {"id": id, "position": position, "at": at.isoformat(), "times": times}


def _spaces(shelf: Shelf) -> Iterator[Fields]:
    yield from (shelf.spaces[key] for key in sorted(shelf.spaces))


def _calibrations(shelf: Shelf) -> Iterator[Fields]:
    for key in sorted(shelf.scales):
        for since, scale in dict(shelf.scales[key]).items():  # the last of those at one position counts
            yield {"space": key, "since": since, "floor": scale.floor, "texts": scale.texts}


def _vectors(shelf: Shelf) -> Iterator[Fields]:
    made = [(each, id) for id, some in shelf.embeddings.items() for each in some]
    for each, id in sorted(made, key=lambda pair: pair[0].number):
        for passage, vector in enumerate(each.vectors):
            yield {
                "space": each.space,
                "id": id,
                "passage": passage,
                "since": each.since,
                "until": each.until,
                "vector": vector.astype("<f4").tobytes().hex(),
            }


def _receipts(shelf: Shelf) -> Iterator[Fields]:
    for _, (receipt, query) in sorted(shelf.receipts.items()):
        yield {"receipt": receipt.to_json(), "query": query}


def _sessions(shelf: Shelf) -> Iterator[Fields]:
    for session, state in sorted(shelf.states.items()):
        yield {"session": session, "state": dict(state)}


def _jobs(shelf: Shelf) -> Iterator[Fields]:
    for _, job in sorted(shelf.jobs.items()):
        yield {
            "id": job.id,
            "kind": job.kind,
            "key": job.key,
            "due": job.due.isoformat(),
            "state": job.state.value,
            "attempts": job.attempts,
            "claimed": job.claimed_until.isoformat() if job.claimed_until else None,
            "error": job.error,
            "payload": dict(job.payload),
            "written": job.written_at.isoformat() if job.written_at else None,
        }


_READ = {
    RecordKind.LEDGER: _ledger,
    RecordKind.EVENT: _events,
    RecordKind.TRACE: _traces,
    RecordKind.VERSION: _versions,
    RecordKind.ACCESS: _accesses,
    RecordKind.SPACE: _spaces,
    RecordKind.CALIBRATION: _calibrations,
    RecordKind.VECTOR: _vectors,
    RecordKind.RECEIPT: _receipts,
    RecordKind.SESSION: _sessions,
    RecordKind.JOB: _jobs,
}


def load(records: Iterable[DumpRecord]) -> tuple[Shelf, list[Erasure]]:
    """The shelf that these records are of, and the erasures among them."""
    shelf, erasures = Shelf(), list[Erasure]()
    for kind, fields in records:
        match kind:
            case RecordKind.LEDGER:
                shelf.start = fields["position"], fields["seal"]
                if fields["lag_ledger"] and fields["lag_clock"]:
                    shelf.lag = Lag(_time(fields["lag_ledger"]), _time(fields["lag_clock"]))
            case RecordKind.EVENT:
                shelf.events.append(Event(**{**fields, "at": _time(fields["at"]), "kind": EventKind(fields["kind"])}))
            case RecordKind.TRACE | RecordKind.VERSION:
                _load_version(shelf, fields)
            case RecordKind.ACCESS:
                id, use = TraceId(fields["id"]), Use(fields["position"], _time(fields["at"]))
                shelf.uses[id] = (*shelf.uses.get(id, ()), *[use] * fields["times"])
            case RecordKind.SPACE:
                shelf.spaces = {**shelf.spaces, fields["key"]: fields}
            case RecordKind.CALIBRATION:
                key, basis = fields["space"], Basis.MEASURED if fields["texts"] else Basis.ESTIMATED
                scale = (fields["since"], Calibration(fields["floor"], basis, fields["texts"]))
                shelf.scales = {**shelf.scales, key: (*shelf.scales.get(key, ()), scale)}
            case RecordKind.VECTOR:
                _load_vector(shelf, fields)
            case RecordKind.RECEIPT:
                receipt = Receipt.from_json(fields["receipt"])
                shelf.receipts[receipt.id] = receipt, fields["query"]
            case RecordKind.SESSION:
                shelf.states[fields["session"]] = fields["state"]
            case RecordKind.JOB:
                shelf.jobs[fields["id"]] = _job(fields)
            case RecordKind.ERASURE:
                erasures.append(Erasure.from_json(fields))
                shelf.erased = shelf.erased | {fields["id"]}
            case RecordKind.QUARANTINED:
                shelf.quarantined = (*shelf.quarantined, fields)
    return shelf, erasures


def _load_version(shelf: Shelf, fields: Fields) -> None:
    """A trace, or what it said before: the present one comes first, and stays the last."""
    id = TraceId(fields["id"])
    known = shelf.said.get(id, ())
    name = fields["name"] if not known else name_of(known[-1].trace)
    trace = from_fields(name, json.loads(fields["body"]))
    salt = bytes.fromhex(fields["salt"])
    said = SaidVersion(trace, fields["since"], fields.get("until"), salt, tuple(map(Counter, terms_of(trace))))
    shelf.said[id] = (*known[:-1], said, *known[-1:]) if known else (said,)


def _load_vector(shelf: Shelf, fields: Fields) -> None:
    """One vector; the first passage begins an embedding."""
    id = TraceId(fields["id"])
    vector = np.frombuffer(bytes.fromhex(fields["vector"]), dtype="<f4").astype(np.float32)
    known = shelf.embeddings.get(id, ())
    if fields["passage"] == 0:
        number = 1 + max((each.number for some in shelf.embeddings.values() for each in some), default=0)
        fresh = Embedding(fields["space"], (vector,), fields["since"], fields["until"], number)
        shelf.embeddings[id] = (*known, fresh)
    else:
        shelf.embeddings[id] = (*known[:-1], replace(known[-1], vectors=(*known[-1].vectors, vector)))


def _job(fields: Fields) -> Job:
    times: dict[str, Any] = {name: _time(fields[name]) if fields[name] else None for name in ("claimed", "written")}
    return Job(
        id=fields["id"],
        kind=fields["kind"],
        key=fields["key"],
        due=_time(fields["due"]),
        payload=fields["payload"],
        state=JobState(fields["state"]),
        attempts=fields["attempts"],
        claimed_until=times["claimed"],
        error=fields["error"],
        written_at=times["written"],
    )


def _time(at: str) -> datetime:
    return datetime.fromisoformat(at)
