"""What is there after a kill, compared with what must be: in a process of its own, which opens the home anew."""

from __future__ import annotations

import copy
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.soak.model import SHARED, Effect, Facts, Home, Op, User
from bench.soak.verbs import FAMILIES, SAYS, own_words, remembered
from cortex.access.tokens import Tokens
from cortex.clock import SystemClock
from cortex.domain.chunk import Chunk
from cortex.domain.events import EventKind
from cortex.domain.lanes import ANY_STATE, State
from cortex.domain.memory import Memory
from cortex.domain.turn import Turn
from cortex.memory import Cortex
from cortex.ports.store import Filter
from cortex.stores.file_documents import FileDocuments

ALL = Filter(states=ANY_STATE)
MANY = 1_000_000
LOST, TWICE, ERASED, VERIFY, STRANGE, FORKED, MODES, FAILED = (
    "acknowledged writes lost", "jobs done twice", "erased texts left", "findings of verify", "things nobody wrote",
    "memories with two successors", "files others can read", "calls that failed",
)  # fmt: skip
_DIGEST = re.compile(r"@[0-9a-f]+")
"""How files of one user differ from those of another."""

SORTS = (LOST, TWICE, ERASED, VERIFY, STRANGE, FORKED, MODES, FAILED)


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that is not as it must be."""

    sort: str
    what: str
    key: str = ""
    """What it is about, to look for in the logs."""


@dataclass(slots=True)
class Checked:
    """What a check found, how much it looked at, and what is known from now on."""

    home: Home
    found: list[Found] = field(default_factory=list)
    facts: int = 0
    texts: int = 0


def checked(home: Home, engine: Cortex, *, finish: bool) -> Checked:
    """Compare what `engine` finds with what must be there; with `finish` all background work is done first.

    A restore that was under way leaves either what was there, or what it brings back.
    """
    if finish:
        for name in home.users:
            engine.bind(user=name).run_jobs()
    outcomes = [_compared(each, engine, finish=finish) for each in _outcomes(home)]
    best = min(outcomes, key=lambda outcome: len(outcome.found))
    best.found += [Found(VERIFY, f"{each.code}: {each.detail}") for each in engine.verify()]
    return best


def _outcomes(home: Home) -> Iterator[Home]:
    back = [effect for user in home.users.values() for effect in user.open if effect.verb == "restore_backup"]
    for user in home.users.values():
        user.open = [effect for effect in user.open if effect.verb != "restore_backup"]
    yield home
    for effect in back:
        other = copy.deepcopy(home)
        other.done(effect, {})
        yield other


def _compared(home: Home, engine: Cortex, *, finish: bool) -> Checked:
    checked = Checked(home)
    tokens = Tokens(FileDocuments(home.path), SystemClock())
    for name, user in home.users.items():
        handle = engine.bind(user=name)
        if any(key.startswith("file ") for key in {*user.facts, *user.uncertain()}):
            handle.index()  # a file that was written says what is right, whether or not it was indexed before the kill
        traces = handle.list(ALL, limit=MANY)
        if name == SHARED:
            checked.found += _shared_is_right(home, traces)
            continue
        actual = _facts_of(traces, tokens, user)
        checked.facts += len(user.facts)
        checked.found += _is_as_acknowledged(home, name, user, actual)
        checked.found += _was_done_once(handle, user, traces, finish=finish)
    return checked


# --- what was acknowledged --------------------------------------------------------------------------------------------


def _facts_of(traces: Sequence[Any], tokens: Tokens, user: User) -> Facts:
    """What is stored, beside what was promised. Memories extracted from turns are checked elsewhere."""
    facts = {
        f"memory {each.id}": f"{each.state.value} {each.text}"
        for each in traces
        if isinstance(each, Memory) and not each.source_turns
    }
    turns = sorted((each for each in traces if isinstance(each, Turn)), key=lambda turn: (turn.session, turn.seq))
    said = Counter(f"turn {turn.session} {turn.text}" for turn in turns)
    facts |= {key: str(number) for key, number in said.items()}
    chunks = [each.text for each in traces if isinstance(each, Chunk)]
    known = {*user.facts, *user.uncertain()}
    for key in known:
        sort, _, what = key.partition(" ")
        if sort == "file" and any(what.split(" ")[1] in text for text in chunks):
            facts[key] = "1"
        elif sort == "token":
            facts[key] = "good" if tokens.check(what) else "revoked"
    return facts


def _is_as_acknowledged(home: Home, name: str, user: User, actual: Facts) -> Iterator[Found]:
    unsure = user.uncertain()
    extra = {key: value for key, value in actual.items() if key not in user.facts and key not in unsure}
    for effect in user.open:
        yield from _is_either(home, effect, user, actual, extra)
    user.open.clear()
    for key in user.fading & user.facts.keys():
        if actual.get(key) == f"expired {user.facts[key].partition(' ')[2]}":
            user.facts[key] = actual[key]
    for key, value in user.facts.items():
        if key not in unsure and actual.get(key) != value:
            yield Found(LOST, f"{name}: {key} is {_shown(actual.get(key))}, acknowledged was {value!r}", key)
    for key, value in extra.items():
        if key in user.erased:
            yield Found(ERASED, f"{name}: {key} was erased and is there again: {value!r}", key)
        else:
            yield Found(STRANGE, f"{name}: {key} is {value!r}, and nobody was given that", key)
    yield from _is_in_order(name, user, actual)


def _is_either(home: Home, effect: Effect, user: User, actual: Facts, extra: Facts) -> Iterator[Found]:
    """A call that was not acknowledged was carried out or not; where it is whole, not in part."""
    made = [key for value in effect.made for key in [_taken(extra, value, fades=effect.fades)] if key]
    now = {key: actual.get(key) for key in effect.sets}
    before = {key: user.facts.get(key) for key in effect.sets}
    after = dict(effect.sets)
    is_before = now == before and not made
    is_after = now == after and len(made) == len(effect.made)
    in_part = all(value in (before[key], after[key]) for key, value in now.items())
    if not (is_before or is_after or (in_part and not effect.whole)):
        key = next((key for key in now if now[key] != after[key]), effect.verb)
        message = f"{len(made)} of {len(effect.made)} made, is {now!r}, was {before!r}, was to be {after!r}"
        yield Found(LOST, f"{effect.user}: {effect.verb} was done in part: {message}", key)
    if now != before or made:
        took = replace(effect, gone=effect.gone if now == after else ())
        home.settle(took, {**now, **{key: actual[key] for key in made}})


def _taken(extra: Facts, value: str, *, fades: bool) -> str | None:
    """The key of a memory that says so, taken from those that nobody has accounted for yet."""
    for key, there in extra.items():
        if there == value or (fades and there == f"expired {value.partition(' ')[2]}"):
            del extra[key]
            return key
    return None


def _is_in_order(name: str, user: User, actual: Facts) -> Iterator[Found]:
    there = [key for key in actual if key.startswith("turn ")]
    for session, history in user.histories.items():
        stored = [key.split(" ", 2)[2] for key in there if key.startswith(f"turn {session} ")]
        if stored != [text for text in history if text in set(stored)]:
            yield Found(LOST, f"{name}: session {session} is not in its order", f"turn {session}")


def _shown(value: str | None) -> str:
    return "not there" if value is None else repr(value)


# --- what was done once -----------------------------------------------------------------------------------------------


def _was_done_once(engine: Cortex, user: User, traces: Sequence[Any], *, finish: bool) -> Iterator[Found]:
    """Every statement is extracted once from its turn, and the ledger and the receipts name no more."""
    name = engine.tenant.user
    said = {each.id: each.text for each in traces if isinstance(each, Turn) and each.text.startswith(SAYS)}
    extracted = [each for each in traces if isinstance(each, Memory) and each.source_turns]
    times = Counter(id for memory in extracted for id in memory.source_turns)
    for id, number in times.items():
        if number > 1:
            yield Found(TWICE, f"{name}: {number} memories were extracted from {said.get(id)!r}", said.get(id, id))
    for memory in extracted:
        expected = [remembered(text) for id in memory.source_turns if (text := said.get(id))]
        if not expected:
            yield Found(ERASED, f"{name}: {memory.text!r} was extracted from a turn that was erased", memory.text)
        elif (expected, memory.state, memory.reinforced) != ([memory.text], State.ACTIVE, 0):
            message = f"{memory.state.value}, reinforced {memory.reinforced} times, from {expected!r}"
            yield Found(TWICE, f"{name}: {memory.text!r} is {message}", memory.text)
    if finish:
        for id in said.keys() - times.keys():
            yield Found(LOST, f"{name}: nothing was extracted from {said[id]!r}, and no work is left", said[id])
        jobs = engine.status()["jobs"]
        if engine.next_due() is not None or jobs["failed"]:
            yield Found(FAILED, f"{name}: work is left: {jobs}")
    yield from _appears_once(engine, user)


def _appears_once(engine: Cortex, user: User) -> Iterator[Found]:
    name = engine.tenant.user
    made = Counter(event.subject for event in engine.events(limit=MANY) if event.kind is EventKind.REMEMBERED)
    for subject, number in made.items():
        if number > 1:
            yield Found(TWICE, f"{name}: {subject} was remembered {number} times", f"memory {subject}")
    worked = [receipt.facts for receipt in engine.receipts(limit=MANY, op="run_jobs")]
    turns = sum(map(len, user.histories.values()))
    statements = sum(text.startswith(SAYS) for history in user.histories.values() for text in history)
    for what, most in {"new": statements, "turns": turns, "embedded": turns}.items():
        counted = sum(facts["counts"].get(what, 0) for facts in worked)
        if counted > most:
            yield Found(TWICE, f"{name}: receipts of work tell of {counted} {what}, and there were {most}")


# --- what all share ---------------------------------------------------------------------------------------------------


def _shared_is_right(home: Home, traces: Sequence[Any]) -> Iterator[Found]:
    """Each shared value is one that was written, and no acknowledged write began after that one had ended."""
    there = {each.id: each for each in traces if isinstance(each, Memory)}
    for op in home.shared:
        if op.id and op.id not in there:
            yield Found(LOST, f"shared: {op.effect.verb} {op.effect.made} is not there", op.id)
    for key in home.users[SHARED].facts:
        memory = there.get(key.split(" ")[1])  # type: ignore[call-overload]
        if memory is None:
            yield Found(LOST, f"shared: {key} is not there", key)
            continue
        yield from _is_last(home, f"text {memory.id}", memory.text)
        yield from _is_last(home, f"state {memory.id}", memory.state.value)
    for number in range(FAMILIES):
        heads = [each for each in there.values() if each.scope == f"family{number}" and each.state is State.ACTIVE]
        if len(heads) > 1:
            items = [each.text for each in heads]
            yield Found(FORKED, f"shared: {len(heads)} successors are active in one line: {items}", f"family{number}")
    home.shared[:] = [_as_it_is(each) for each in there.values()]


def _as_it_is(memory: Memory) -> Op:
    sets = {f"text {memory.id}": memory.text, f"state {memory.id}": memory.state.value}
    return Op(Effect(verb="before", user=SHARED, sets=sets), 0.0, 0.0)


def _is_last(home: Home, register: str, value: str) -> Iterator[Found]:
    ops = [op for op in home.shared if register in op.effect.sets]
    wrote = [op for op in ops if op.effect.sets[register] == value]
    later = [op for op in ops if op.ended < float("inf") and all(op.began > each.ended for each in wrote)]
    # After a restore nobody knows what is there until somebody has changed it.
    is_known = any(op.ended < float("inf") for op in ops)
    if (is_known and not wrote) or later:
        text = ", ".join(f"{op.effect.verb} {op.effect.sets[register]!r}" for op in later)
        yield Found(LOST, f"shared: {register} is {value!r}; acknowledged after it was written: {text}", register)


# --- the bytes --------------------------------------------------------------------------------------------------------


def left_of_erased(home: Home, folder: str = "backups") -> Iterator[Found]:
    """Erased texts, or words of theirs alone, in any byte under home, which nobody has open.

    Backups keep theirs, unless those were to go too.
    """
    for path in [path for path in home.path.rglob("*") if path.is_file()]:
        content = path.read_bytes()
        for gone in home.gone:
            left = [needle for needle in (gone.text, *own_words(gone.text)) if needle.encode() in content]
            if left and (gone.everywhere or path.parent.name != folder):
                where = path.relative_to(home.path)
                yield Found(ERASED, f"{gone.text!r} was erased, and {left[0]!r} stands in {where}", gone.text)


def open_to_others(home: Path) -> Iterator[Found]:
    """Files that others than their owner may read."""
    for path in home.rglob("*"):
        mode = stat.S_IMODE(os.stat(path).st_mode)
        if path.is_file() and mode & 0o077:
            yield Found(MODES, f"{path.relative_to(home)} has mode {mode:o}", _DIGEST.sub("@…", path.name))
