"""What a worker does: every verb of the engine, in any order, each recorded before it begins and after it returned."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from bench.soak.model import SHARED, Effect, Home, User
from cortex.access.tokens import Right, Tokens
from cortex.clock import SystemClock
from cortex.domain.identity import TraceId, Uuid7Source
from cortex.domain.memory import Draft, Retention
from cortex.domain.scope import Tenant
from cortex.domain.turn import TurnDraft
from cortex.errors import Conflict, EmbedderUnavailable, EngineError, StoreBusy
from cortex.ports.store import Filter
from cortex.stores.file_documents import FileDocuments

SAYS = "Remember that "
"""How a statement begins that becomes a memory of its own."""

FAMILIES = 2
"""How many shared memories are replaced again and again."""

_LETTERS = ("bdfgklmnprstvz", "aeiou")
_HEAD, _TAIL = 4, 10
_PER_WORKER = 10_000
_EXPECTED = (Conflict, StoreBusy, EmbedderUnavailable)
"""What a call may be refused with: somebody else was first, or nothing is to be embedded here."""


def remembered(said: str) -> str:
    """The memory of such a statement."""
    words = said.removeprefix(SAYS)
    return f"{words[:1].upper()}{words[1:]}"


class Broken(Exception):
    """The server is gone: nobody knows what became of the call."""


def word(serial: int, number: int) -> str:
    """A word nobody else uses, made like a name of two parts: an index keeps those as they are written."""
    digest = hashlib.blake2b(f"{serial} {number}".encode(), digest_size=_HEAD + _TAIL).digest()
    letters = "".join(_LETTERS[place % 2][one % len(_LETTERS[place % 2])] for place, one in enumerate(digest))
    return f"{letters[:_HEAD]}-{letters[_HEAD:]}"


def own_words(text: str) -> list[str]:
    """What an index would hold of such words: of the first part only what does not stand before it already."""
    return re.findall(rf"\b\w{{{_HEAD}}}(-\w{{{_TAIL}}})\b", text)


class Log:
    """The lines a worker leaves behind: each is written whole, and outlives a kill."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def tell(self, what: str, **payload: Any) -> None:
        line = json.dumps({"what": what, "at": time.monotonic(), **payload}, ensure_ascii=False)
        os.write(self._file, line.encode() + b"\n")


@dataclass(slots=True)
class Worker:
    """One process at one home: it changes what is its user's alone, and what all share."""

    engine: Any
    """An `Cortex`, or a `RemoteCortex`, which has the same verbs."""
    home: Home
    name: str
    serial: int
    rng: random.Random
    log: Log
    alone: bool = False
    patch: Callable[[str, str, str], None] | None = None
    """Edits a memory over HTTP, where there is a server."""
    _number: int = 0
    _turns: dict[str, str] = field(default_factory=dict)
    _hooks: Any = None

    # --- the life of a worker -----------------------------------------------------------------------------------------

    def run(self, first: Sequence[str], seconds: float) -> None:
        """Do `first`, then whatever comes, until killed; not for ever, should nobody come."""
        until = time.monotonic() + seconds
        for verb in first:
            self.do(verb)
        names = list(self.verbs)
        weights = [WEIGHTS.get(name, 1) for name in names]
        while time.monotonic() < until:
            self.do(self.rng.choices(names, weights)[0])

    def do(self, verb: str) -> None:
        """Carry out one verb, where there is something to do it with."""
        self.verbs[verb]()

    @property
    def verbs(self) -> dict[str, Callable[[], None]]:
        found = {name: getattr(self, f"_{name}") for name in VERBS}
        if self.patch is not None:
            found = {name: call for name, call in found.items() if name not in ONLY_HERE}
        return {name: call for name, call in found.items() if (name in ALONE) <= self.alone}

    @property
    def _user(self) -> User:
        return self.home.user(self.name)

    def _text(self) -> tuple[str, str]:
        """A statement that is like no other, and its word."""
        self._number += 1
        own, other = word(self.serial, 2 * self._number), word(self.serial, 2 * self._number + 1)
        # Statements with other numbers are never taken for the same, however alike a model finds them.
        thing = f"{self.rng.choice(_THINGS)} {self.serial * _PER_WORKER + self._number}"
        return f"{thing} of {own} {self.rng.choice(_RELATIONS)} {other}", own

    def _call(
        self, effect: Effect, call: Callable[[], Any], ids: Callable[[Any], Sequence[str]] = lambda _: (),
        took: Callable[[Any], bool] = lambda _: True,
    ) -> Any:  # fmt: skip
        """Carry out `call` and tell of it. None where it was refused, or did nothing."""
        self.log.tell("begin", effect=effect.to_json())
        if effect.user != SHARED:
            self.home.begin(effect)
        try:
            done = call()
        except EngineError as error:
            if self.patch is not None and broke_off(error):
                raise Broken from error
            expected = isinstance(error, _EXPECTED) or error.code in {"conflict", "busy"}
            self.log.tell("refused", code=error.code, expected=expected, message=str(error)[:300])
            if effect.user != SHARED:
                self.home.left_open(effect)
            return None
        payload = {"ids": list(ids(done)), "took": took(done)}
        self.log.tell("done", **payload)
        if effect.user != SHARED:
            self.home.done(effect, payload)
        return done if payload["took"] else None

    def _look(self, verb: str, call: Callable[[], Any]) -> Any:
        """Something that changes nothing that anybody was promised."""
        return self._call(Effect(verb=verb, user=self.name), call)

    def _some(self, *, state: str = "active", lasting: bool | None = None) -> str | None:
        """One of our memories in this state. Half of them last: the others may be erased."""
        user = self._user
        found = [
            key for key in user.keys("memory")
            if user.facts[key].startswith(f"{state} ") and key not in user.fading
            and lasting in (None, _lasts(key))
        ]  # fmt: skip
        return self.rng.choice(found) if found else None

    def _is_said_once(self, key: str) -> bool:
        """Whether no other memory ever said the same."""
        others = {text for other, texts in self._user.texts.items() if other != key for text in texts}
        return others.isdisjoint(self._user.texts[key])

    def _that_say_the_same(self, key: str) -> list[str]:
        """The memory and its twins, in whatever state."""
        text, facts = self._user.facts[key].partition(" ")[2], self._user.facts
        return [each for each in facts if each.startswith("memory ") and facts[each].partition(" ")[2] == text]

    # --- remember and forget ------------------------------------------------------------------------------------------

    def _remember(self) -> None:
        text, _ = self._text()
        fields = {"scope": self.rng.choice(("personal", "infra")), "tags": ("soak",)}
        self._made("remember", text, lambda: self.engine.remember(text, as_new=True, **fields))

    def _made(self, verb: str, text: str, call: Callable[[], Any], **more: Any) -> Any:
        effect = Effect(verb=verb, user=self.name, made=(f"active {text}",), **more)
        return self._call(effect, call, lambda done: [done.memory.id])

    def _supersede(self) -> None:
        if key := self._some():
            text, _ = self._text()
            old = {key: _in_state(self._user.facts[key], "superseded")}
            self._made("supersede", text, lambda: self.engine.remember(text, supersedes=_id(key)), sets=old)

    def _remember_all(self) -> None:
        texts = [self._text()[0] for _ in range(3)]
        drafts, made = [Draft(text=text) for text in texts], tuple(f"active {text}" for text in texts)
        # Over a server each is a request of its own.
        effect = Effect(verb="remember_all", user=self.name, made=made, whole=self.patch is None)
        self._call(effect, lambda: self.engine.remember_all(drafts), lambda done: done.ids)

    def _edit(self) -> None:
        if key := self._some():
            text, _ = self._text()
            self._call(
                Effect(verb="edit", user=self.name, sets={key: f"active {text}"}),
                lambda: self._edited(self.engine, self.name, _id(key), text),
            )

    def _edited(self, engine: Any, user: str, id: str, text: str) -> None:
        if self.patch is not None:
            self.patch(user, id, text)
            return
        found = engine.get(id)
        (page,) = engine.export_markdown(Filter(ids=frozenset({TraceId(id)})))
        edited = page.text.replace(f"- {found.text}\n", f"- {text}\n")
        if edited == page.text:
            raise Conflict("it is no longer active, or says something else")
        engine.import_markdown(edited)

    def _forget(self) -> None:
        key = self._some()
        if key is None:
            return
        same = self._that_say_the_same(key)
        if self._user.uncertain().isdisjoint(same):
            # Its active twins are forgotten with it.
            active = [each for each in same if self._user.facts[each].startswith("active ")]
            after = {each: _in_state(self._user.facts[each], "forgotten") for each in active}
            self._call(Effect(verb="forget", user=self.name, sets=after), lambda: self.engine.forget(_id(key)))

    def _restore(self) -> None:
        if key := self._some(state="forgotten"):
            self._call(
                Effect(verb="restore", user=self.name, sets={key: _in_state(self._user.facts[key], "active")}),
                lambda: self.engine.restore(_id(key)),
            )

    def _forget_matching(self) -> None:
        key = self._some(lasting=True)
        if key and self._is_said_once(key):
            says = self._user.facts[key].partition(" ")[2]
            # By the words that nothing else has: where it was forgotten already, nothing else matches.
            words = " ".join(own_words(says))
            self._call(
                Effect(verb="forget_matching", user=self.name, sets={key: f"forgotten {says}"}),
                lambda: self.engine.forget_matching(words),
                took=lambda done: list(done.ids) == [_id(key)],
            )

    def _erase(self, *, everywhere: bool | None = None) -> None:
        key = self._some(lasting=False) or self._some(state="forgotten", lasting=False)
        # What is said elsewhere too would be there still, and rightly so.
        if key and self._is_said_once(key):
            self._gone({key: None}, [_id(key)], self._user.texts[key], everywhere)

    def _erase_turn(self) -> None:
        keys = [key for key in self._user.keys("turn") if key in self._turns]
        if keys:
            key = self.rng.choice(keys)
            said = key.split(" ", 2)[2]
            self._gone({key: None}, [self._turns[key]], [said, said.removeprefix(SAYS), remembered(said)])

    def _gone(
        self, sets: dict[str, str | None], ids: Sequence[str], texts: Sequence[str], everywhere: bool | None = None
    ) -> None:
        if everywhere is None:
            everywhere = self.alone and self.rng.random() < 0.5
        self._call(
            Effect(verb="erase", user=self.name, sets=sets, gone=tuple(texts), everywhere=everywhere),
            lambda: self.engine.erase(*ids, backups=everywhere),
        )

    # --- capture ------------------------------------------------------------------------------------------------------

    def _store_turns(self) -> None:
        session, texts = f"{self.name}-kept", [self._text()[0] for _ in range(2)]
        if self._is_settled(session):
            self._call(
                self._said("store_turns", session, texts),
                lambda: self.engine.store_turns(session, [TurnDraft(text=text) for text in texts]),
            )

    def _ingest(self) -> None:
        self._take_in("ingest", lambda session, messages: self.engine.ingest(messages, session=session, debounce=False))

    def _capture(self) -> None:
        self._take_in("capture", lambda session, messages: self.engine.capture(messages, session=session))

    def _after(self) -> None:
        self._take_in("after", self._after_turn)

    def _after_turn(self, session: str, messages: list[dict[str, str]]) -> None:
        hooks = self._hooks = self._hooks or self.engine.hooks()
        before = dict(hooks.failures)
        hooks.after(messages, session=session)
        if not hooks.flush(10.0) or dict(hooks.failures) != before:
            # It never raises: what it could not do is counted.
            raise StoreBusy("the hook could not store the turn", hint=str(hooks.failures))

    def _take_in(self, verb: str, call: Callable[[str, list[dict[str, str]]], Any]) -> None:
        """Hand over everything said in a session so far and something new; what was erased is sent again too."""
        session, user = f"{self.name}-{self.rng.randrange(3)}", self._user
        if not self._is_settled(session):
            return
        (said, _), (_, first), (_, second) = self._text(), self._text(), self._text()
        new = [f"{SAYS}{said[0].lower()}{said[1:]}.", f"Noted: {first}, {second}."]
        history = [*user.histories.get(session, ()), *new]
        items = [{"role": "user" if text.startswith(SAYS) else "assistant", "content": text} for text in history]
        fresh = [text for text in history if (key := _turn(session, text)) not in user.facts and key not in user.erased]
        done = self._call(self._said(verb, session, fresh), lambda: call(session, items))
        for text, id in zip(history, getattr(done, "ids", None) or (), strict=False):
            if id is not None and text.startswith(SAYS):
                self._turns[_turn(session, text)] = id

    def _said(self, verb: str, session: str, texts: Sequence[str]) -> Effect:
        return Effect(verb=verb, user=self.name, sets={_turn(session, text): "1" for text in texts})

    def _is_settled(self, session: str) -> bool:
        """Whether it is known what is stored of a session."""
        return not any(key.startswith(f"turn {session} ") for key in self._user.uncertain())

    def _before(self) -> None:
        hooks = self._hooks = self._hooks or self.engine.hooks()
        about = self._some(lasting=True)
        message = f"what do you know of {self._user.facts[about].split(' ')[2] if about else 'the harbour'}?"
        self._look("before", lambda: hooks.before(message, session=f"{self.name}-{self.serial}-0"))

    def _work(self) -> None:
        """Anybody's background work: each step of it is done by one process alone."""
        user = self.rng.choice([name for name in (*self.home.users, self.name) if name != SHARED])
        self._look("work", self.engine.bind(user=user).run_jobs)

    # --- recall -------------------------------------------------------------------------------------------------------

    def _recall(self) -> None:
        verb = self.rng.choice(("recall", "search", "synthesize"))
        about = self._some(lasting=True)
        query = self._user.facts[about].partition(" ")[2] if about else "where is the harbour?"
        self._look(verb, lambda: getattr(self.engine, verb)(query))

    def _read(self) -> None:
        verb = self.rng.choice(("status", "stats", "receipts", "timeline", "growth"))
        self._look(verb, getattr(self.engine, verb))

    # --- exchange -----------------------------------------------------------------------------------------------------

    def _import(self) -> None:
        now = datetime.now(UTC)
        made = [(Uuid7Source()(now), self._text()[0]) for _ in range(2)]
        lines = [
            json.dumps({"type": "memory", "id": id, "text": text, "created_at": now.isoformat()}) for id, text in made
        ]
        effect = Effect(verb="import", user=self.name, sets={f"memory {id}": f"active {text}" for id, text in made})
        self._call(effect, lambda: self.engine.import_(lines))

    def _export(self) -> None:
        self._look("export", lambda: len(list(self.engine.export(redact=False))))

    def _export_markdown(self) -> None:
        self._look("export_markdown", self.engine.export_markdown)

    # --- upkeep -------------------------------------------------------------------------------------------------------

    def _backfill(self) -> None:
        self._look("backfill", self.engine.backfill)

    def _optimize(self) -> None:
        self._look("optimize", self.engine.optimize)

    def _verify(self) -> None:
        found = [each for each in self._look("verify", self.engine.verify) or () if each.code != UNFINISHED]
        if found:
            self.log.tell("finding", message=f"verify beside others: {[str(each) for each in found][:5]}")

    def _backup(self) -> None:
        self._look("backup", self.engine.backup)

    def _consolidate(self) -> None:
        """Something expires, something was said twice; then the lifecycle runs, and at times is taken back."""
        if self.patch is None and self.rng.random() < 0.7:
            self._something_to_consolidate()
        if self.patch is not None:
            self._look("consolidate", self.engine.consolidate)
            return
        plans = [plan for step in self.engine.consolidate(dry_run=True).outcome.steps.values() for plan in step.plans]
        after = {f"memory {c.trace.id}": f"{c.trace.state.value} {c.trace.text}" for p in plans for c in p.changes}
        before = {key: self._user.facts.get(key) for key in after}
        if unknown := [key for key, value in before.items() if value is None]:
            after = {key: value for key, value in after.items() if key not in unknown}
        done = self._call(Effect(verb="consolidate", user=self.name, sets=after, whole=False), self.engine.consolidate)
        if done is not None and done.outcome.run is not None and after and not unknown and self.rng.random() < 0.5:
            run = str(done.outcome.run)
            effect = Effect(verb="undo_consolidation", user=self.name, sets=before, whole=False)
            self._call(effect, lambda: self.engine.undo_consolidation(run))

    def _something_to_consolidate(self) -> None:
        text, _ = self._text()
        short = {"retention": Retention.TTL, "ttl": timedelta(milliseconds=1)}
        self._made("remember", text, lambda: self.engine.remember(text, as_new=True, **short), fades=True)
        text, _ = self._text()
        for _ in range(2):
            self._made("remember", text, lambda: self.engine.remember(text, as_new=True))

    def _restore_backup(self) -> None:
        """A backup, some changes, and back again: only where nobody else uses the home."""
        point = f"{self.serial}-{self._number}"
        made = self._call(Effect(verb="backup", user=self.name, backup=point), self.engine.backup)
        if made is not None:
            self._remember()
            self._forget()
            self._erase(everywhere=False)  # else the backup would be gone
            self._ingest()
            name = made.backup.path.name
            self._call(
                Effect(verb="restore_backup", user=self.name, backup=point), lambda: self.engine.restore_backup(name)
            )

    # --- files --------------------------------------------------------------------------------------------------------

    def _index(self) -> None:
        folder = self.home.path.parent / "notes" / self.name
        folder.mkdir(parents=True, exist_ok=True)
        text, own = self._text()
        path = folder / f"{self.rng.randrange(4)}.md"
        before = {key: None for key in self._user.facts if key.startswith(f"file {path.name} ")}
        effect = Effect(verb="index", user=self.name, sets={**before, f"file {path.name} {own}": "1"})

        def index() -> Any:
            # As editors do: a process killed meanwhile leaves the old file or the new one.
            fresh = path.with_suffix(".new")
            fresh.write_text(f"# Notes\n\n{text}.\n", "utf-8")
            fresh.replace(path)
            return self.engine.index(folder)

        if not self._user.uncertain() & {f"file {path.name} {own}", *before}:
            self._call(effect, index)

    def _memory_search(self) -> None:
        self._look("memory_search", lambda: self.engine.memory_search("what do the notes say?"))

    # --- tokens -------------------------------------------------------------------------------------------------------

    def _token(self) -> None:
        tokens = Tokens(FileDocuments(self.home.path), SystemClock())
        kept = [key for key in self._user.keys("token") if self._user.facts[key] == "good"]
        if kept and self.rng.random() < 0.3:
            key = self.rng.choice(kept)
            self._call(
                Effect(verb="token revoke", user=self.name, sets={key: "revoked"}),
                lambda: tokens.revoke(key.split(" ")[1]),
            )
            return
        made = self._look("token create", lambda: tokens.create(Tenant("main", self.name), [Right.WRITE]))
        if made is not None:  # until it is known, nobody can ask for it
            self._call(Effect(verb="token", user=self.name, sets={f"token {made[0]}": "good"}), lambda: None)

    # --- what all share -----------------------------------------------------------------------------------------------

    def _shared(self) -> None:
        """Change one of the memories that all change at once."""
        keys = self.home.user(SHARED).keys("memory")
        if not keys:
            return
        id, engine = _id(self.rng.choice(keys)), self.engine.bind(user=SHARED)
        what = self.rng.choice(("edit", "edit", "forget", "restore"))
        if what == "edit":
            text, _ = self._text()
            effect = Effect(verb="shared edit", user=SHARED, sets={f"text {id}": text})
            self._call(effect, lambda: self._edited(engine, SHARED, id, text))
            return
        after = "forgotten" if what == "forget" else "active"
        self._call(
            Effect(verb=f"shared {what}", user=SHARED, sets={f"state {id}": after}),
            lambda: getattr(engine, what)(id),
            took=lambda done: bool(done.ids),
        )

    def _shared_successor(self) -> None:
        """Replace what another may be about to replace."""
        engine, text = self.engine.bind(user=SHARED), self._text()[0]
        family = f"family{self.rng.randrange(FAMILIES)}"
        heads = engine.list(Filter(scopes=frozenset({family})), limit=1_000)
        if heads:
            head = self.rng.choice(heads[-2:])
            self._call(
                Effect(verb="shared supersede", user=SHARED, made=(f"{family} {text}",)),
                lambda: engine.remember(text, scope=family, supersedes=head.id),
                lambda done: [done.memory.id],
            )


VERBS = (
    "remember", "supersede", "remember_all", "edit", "forget", "restore", "forget_matching", "erase", "erase_turn",
    "store_turns", "ingest", "capture", "after", "before", "work", "recall", "read", "import", "export",
    "export_markdown", "backfill", "optimize", "verify", "backup", "consolidate", "restore_backup", "index",
    "memory_search", "token", "shared", "shared_successor",
)  # fmt: skip
"""Every verb there is."""

UNFINISHED = "erasure"
"""What `verify` says of an erase that waits for other processes to let go: only where there are none, it is over."""

ALONE = frozenset({"restore_backup"})
"""Those that need the home for themselves."""

ONLY_HERE = frozenset({"store_turns", "restore_backup"})
"""Those that a server does not offer, or that take other ids there."""

WEIGHTS: Mapping[str, int] = {"remember": 4, "ingest": 3, "edit": 3, "forget": 2, "restore": 2, "shared": 4}

_THINGS = ("Crate", "Barrel", "Ladder", "Anchor", "Lantern", "Basket")
_RELATIONS = ("stands beside", "belongs to", "hangs over", "was sold to")


def broke_off(error: EngineError) -> bool:
    """Whether a server gave no answer."""
    return error.code in {"store_unavailable", "deadline_exceeded"}


def _turn(session: str, text: str) -> str:
    return f"turn {session} {text}"


def _id(key: str) -> str:
    return key.split(" ", 1)[1]


def _in_state(value: str, state: str) -> str:
    return f"{state} {value.partition(' ')[2]}"


def _lasts(key: str) -> bool:
    return int(key[-1], 16) % 2 == 0
