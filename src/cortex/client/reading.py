"""What a server answers, as the values that the engine itself gives."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Any

from cortex.domain.chunk import Chunk
from cortex.domain.events import Event, EventKind
from cortex.domain.growth import Day
from cortex.domain.hits import Hit, Recollection, ScoreParts
from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.domain.receipt import Receipt
from cortex.domain.trace import Trace, from_fields, parse_time
from cortex.domain.trust import TrustTier
from cortex.domain.turn import Turn
from cortex.exchange import BadLine, Dedupe, ImportPlan, MarkdownPlan
from cortex.lifecycle.backups import Backup, read_name
from cortex.lifecycle.flow import Outcome, Step
from cortex.lifecycle.planned import Planned
from cortex.lifecycle.undoing import Run, Undone
from cortex.lifecycle.upkeep import Anomaly
from cortex.ports.store import Counts, Version
from cortex.recall.flow import Answer, Dropped, Tried
from cortex.recall.packing import Packed
from cortex.recall.ranking import Scored
from cortex.recall.replaying import Replay
from cortex.recall.synthesis import Method, Synthesis
from cortex.services.browse import Alive, Shown
from cortex.services.erasure import Certificate, Erased
from cortex.services.files.files import Indexed
from cortex.services.files.transcript_sync import Heard
from cortex.services.health.health_checks import Check, Group
from cortex.services.lifecycle import TakenBack, Tended
from cortex.services.recall import Explained, Synthesised
from cortex.services.timeline import Happened, Timeline
from cortex.services.turn_hooks import Injection
from cortex.workspace.flow import Synced
from cortex.workspace.flush import FlushPlan, FlushSettings, Reason

Told = dict[str, Any]

_FIELDS = {
    name: frozenset(field.name for field in fields(cls))
    for name, cls in (("memory", Memory), ("turn", Turn), ("chunk", Chunk))
}


# --- traces -----------------------------------------------------------------------------------------------------------


def trace(told: Told) -> Trace:
    """A memory, turn or chunk."""
    return _trace(told["type"], told)


def memory(told: Told) -> Memory:
    found = trace(told)
    assert isinstance(found, Memory)  # where a memory is answered, it is one
    return found


def _trace(name: str, told: Told) -> Trace:
    return from_fields(name, {key: value for key, value in told.items() if key in _FIELDS[name]})


def shown(told: Told) -> Shown:
    versions = (Version(_trace(told["type"], each), each["since"], each["until"]) for each in told["versions"])
    return Shown(trace(told), tuple(versions), tuple(map(trace, told["sources"])), tuple(map(memory, told["derived"])))


def counts(told: Told) -> Counts:
    return Counts(**told | {name: parse_time(told[name]) if told[name] else None for name in ("oldest", "newest")})


# --- recall -----------------------------------------------------------------------------------------------------------


def hit(told: Told) -> Hit:
    return Hit(
        trace=trace(told["trace"]),
        score=told["score"],
        parts=ScoreParts(told["parts"], tuple(told["reasons"])),
        legs=tuple(told["legs"]),
        excerpt=told["excerpt"],
    )


def recollection(told: Told) -> Recollection:
    hits = tuple(map(hit, told["hits"]))
    return Recollection(hits, told["block"], told["tokens"], Receipt.from_json(told["receipt"]))


def explained(told: Told) -> Explained:
    """With every candidate; the plan and the legs as such stay with the server."""
    found = recollection(told)
    answer = Answer(
        packed=Packed(found.block, found.tokens, found.hits),
        skipped=told["skipped"],
        tried=[Tried(**each) for each in told["tiers"]],
        ranked=[
            Scored(
                trace=trace(each["trace"]),
                legs=tuple(each["legs"]),
                parts=dict(each["parts"]),
                reasons=list(each["reasons"]),
                similarity=each["similarity"],
                evidence=each["evidence"],
            )
            for each in told["candidates"]
        ],
        dropped=[Dropped(**each) for each in told["dropped"]],
        degraded=list(told["degraded"]),
    )
    return Explained(found, answer)


def replay(told: Told) -> Replay:
    answer = Answer(packed=Packed("", 0, tuple(map(hit, told["hits"]))))
    return Replay(told["same"], Receipt.from_json(told["receipt"]), answer, tuple(told["differences"]))


def synthesised(told: Told) -> Synthesised:
    made = Synthesis(
        text=told["response"],
        ids=tuple(told["ids"]),
        method=Method(told["method"]),
        sources=told["sources"],
        trust=TrustTier(told["trust"]),
        because=told["because"],
    )
    return Synthesised(made, recollection(told["recollection"]), Receipt.from_json(told["receipt"]))


def injection(told: Told) -> Injection:
    return Injection(**told | {"ids": tuple(told["ids"]), "degraded": tuple(told["degraded"])})


# --- looking ----------------------------------------------------------------------------------------------------------


def event(told: Told, kind: str) -> Event:
    return Event(
        position=told["position"],
        at=parse_time(told["at"]),
        kind=EventKind(kind),
        subject=told["subject"],
        commitment=told["commitment"],
        seal=told["seal"],
    )


def timeline(told: Told) -> Timeline:
    happened = (
        Happened(event(each, each["event"]), trace(each["trace"]) if each["trace"] else None) for each in told["events"]
    )
    return Timeline(tuple(happened), told["next"])


def day(told: Told) -> Day:
    return Day(**told | {"day": date.fromisoformat(told["day"])})


def check(told: Told) -> Check:
    return Check(**told | {"group": Group(told["group"])})


def alive(told: Told) -> Alive:
    return Alive(told["position"], told["total"], told["jobs"], told["files"]["reindexing"])


# --- exchange and upkeep ----------------------------------------------------------------------------------------------


def import_plan(receipt: Receipt) -> ImportPlan:
    """In numbers: what was imported is known to whoever sent it."""
    facts = receipt.facts
    return ImportPlan(
        dedupe=Dedupe(facts["dedupe"]),
        dry_run=facts["dry_run"],
        trusted=facts["trusted"],
        lines=facts["lines"],
        duplicates=Counter(facts["duplicates"]),
        bad=[BadLine(each["line"], each["field"], each["reason"]) for each in facts["badLines"]],
    )


def markdown_plan(receipt: Receipt, *, dry_run: bool, trusted: bool) -> MarkdownPlan:
    """In numbers: the ids are in the receipt."""
    facts = receipt.facts
    return MarkdownPlan(
        dry_run=dry_run,
        trusted=trusted,
        position=receipt.position,
        unchanged=facts["unchanged"],
        same=facts["same"],
    )


def indexed(told: Told) -> Indexed:
    def typed(part: Told) -> dict[str, Any]:
        return {**part, "problems": [(path, why) for path, why in part["problems"]]}

    return Indexed(
        Synced(**typed(told["synced"])), Heard(**typed(told["transcripts"])), Receipt.from_json(told["receipt"])
    )


@dataclass(frozen=True, slots=True)
class PlannedThere(Planned):
    """Changes a server has planned: which memories they are of, not what these say."""

    of: tuple[TraceId, ...] = ()

    @property
    def ids(self) -> tuple[TraceId, ...]:
        return self.of


@dataclass(slots=True)
class StepThere(Step):
    """A step a server has planned."""

    @property
    def changes(self) -> int:
        return sum(len(plan.ids) for plan in self.plans)


def _planned(told: Told) -> PlannedThere:
    return PlannedThere((), told["reason"], (), tuple(told["ids"]))


def tended(told: Told) -> Tended:
    receipt = Receipt.from_json(told["receipt"])
    facts = receipt.facts
    steps: dict[str, Step] = {
        name: StepThere(
            plans=[
                PlannedThere((), each["reason"], (), tuple(each["ids"]))
                for each in told["plans"]
                if each["step"] == name
            ],
            applied=step["applied"],
            passed_over=step["passedOver"],
        )
        for name, step in facts["steps"].items()
    }
    outcome = Outcome(
        steps=steps,
        dry_run=facts["dryRun"],
        position=receipt.position,
        run=Run.named(told["run"]) if told["run"] else None,
        anomalies=[Anomaly(**each) for each in told["anomalies"]],
        degraded=receipt.degraded,
    )
    return Tended(outcome, receipt)


def taken_back(told: Told) -> TakenBack:
    receipt = Receipt.from_json(told["receipt"])
    run = Run.named(receipt.facts["run"])
    return TakenBack(Undone(run, tuple(told["restored"]), tuple(told["refused"]), receipt.position), receipt)


def erased(told: Told) -> Erased:
    receipt, earlier = Receipt.from_json(told["receipt"]), tuple(told["earlier"])
    return Erased(certificate(told["certificate"]), receipt, earlier)


def certificate(told: Told) -> Certificate:
    return Certificate.from_json(told)


def certificates(told: Told) -> list[Certificate]:
    return [certificate(each) for each in told["erasures"]]


def backup(told: Told) -> Backup:
    """By its name, as the server's own reading of it; the path is one of the server's."""
    path = Path(told["file"])
    found = read_name(path) or Backup(path, told["agent"], parse_time(told["at"]))
    return replace(found, bytes=told["bytes"])


def flush_plan(told: Told) -> FlushPlan:
    plan = told["plan"]
    return FlushPlan(
        reason=Reason(plan["reason"]),
        threshold=plan["threshold"],
        tokens_used=plan["tokens_used"],
        estimated=plan["estimated"],
        transcript_bytes=plan["transcript_bytes"],
        cycle=plan["cycle"],
        target=plan["target"],
        target_exists=plan["target_exists"],
        settings=FlushSettings(**told["settings"]),
    )
