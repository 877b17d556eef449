"""What must be there: every fact that was acknowledged, and for what was under way both outcomes."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

SHARED = "shared"
"""The user whose memories all workers change at once."""

Facts = dict[str, str]
"""What is known of one user, by key: `memory ID` is `state text`, `turn SESSION TEXT` is how often it is there, …"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What one call changes: recorded before it begins, so that a kill in its midst leaves two right outcomes."""

    verb: str
    user: str
    sets: Mapping[str, str | None] = field(default_factory=dict)
    """The facts after it; None for what is gone."""
    made: tuple[str, ...] = ()
    """New memories, as `state text`: their ids are known once it is done."""
    whole: bool = True
    """Whether all of it is done or nothing."""
    fades: bool = False
    """Whether what it makes expires soon."""
    gone: tuple[str, ...] = ()
    """Texts that no byte may hold afterwards."""
    everywhere: bool = False
    """Whether that includes the backups."""
    backup: str = ""
    """The name of a point that a backup keeps, or, of a restore, goes back to."""

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> Effect:
        return cls(**{**payload, "made": tuple(payload["made"]), "gone": tuple(payload["gone"])})

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def writes(self) -> int:
        """How many facts it changes."""
        return len(self.sets) + len(self.made)


@dataclass(slots=True)
class User:
    """What is known of one user."""

    facts: Facts = field(default_factory=dict)
    open: list[Effect] = field(default_factory=list)
    """What was begun and not acknowledged: either outcome is right, and nothing else."""
    fading: set[str] = field(default_factory=set)
    """Keys of memories that may expire at any time."""
    histories: dict[str, list[str]] = field(default_factory=dict)
    """What was ever handed over of each session, in its order."""
    erased: set[str] = field(default_factory=set)
    """Keys of what must never come back: not by a restore, nor when a session is sent again."""
    texts: dict[str, list[str]] = field(default_factory=dict)
    """All that each memory ever said."""

    def uncertain(self) -> set[str]:
        return {key for effect in self.open for key in effect.sets}

    def keys(self, what: str) -> list[str]:
        """What there is for certain, such as every `memory`."""
        unsure = self.uncertain()
        return [key for key in self.facts if key.startswith(f"{what} ") and key not in unsure]


@dataclass(frozen=True, slots=True)
class Op:
    """A change of something shared, by when it began and ended; one that was not acknowledged never did."""

    effect: Effect
    began: float
    ended: float
    id: str = ""


@dataclass(frozen=True, slots=True)
class Gone:
    """A text that was erased."""

    text: str
    everywhere: bool


@dataclass(slots=True)
class Home:
    """Everything that must be under one home."""

    path: Path
    users: dict[str, User] = field(default_factory=dict)
    shared: list[Op] = field(default_factory=list)
    gone: list[Gone] = field(default_factory=list)
    points: dict[str, dict[str, User]] = field(default_factory=dict)
    """What a backup keeps, by its name."""

    def user(self, name: str) -> User:
        return self.users.setdefault(name, User())

    def begin(self, effect: Effect) -> None:
        histories = self.user(effect.user).histories
        for key, value in effect.sets.items():
            if key.startswith("turn ") and value is not None:
                _, session, text = key.split(" ", 2)
                history = histories.setdefault(session, [])
                if text not in history:
                    history.append(text)

    def done(self, effect: Effect, payload: Mapping[str, Any]) -> None:
        """It was acknowledged: from now on it must be there."""
        if not payload.get("took", True):
            return
        if effect.verb == "restore_backup":
            self._go_back(effect.backup)
            return
        if effect.backup:
            self.points[effect.backup] = copy.deepcopy(self.users)
        made = {f"memory {id}": value for id, value in zip(payload.get("ids", ()), effect.made, strict=True)}
        self._set(effect, {**effect.sets, **made})

    def left_open(self, effect: Effect) -> None:
        """It was begun, and nobody knows what became of it."""
        self.user(effect.user).open.append(effect)

    def settle(self, effect: Effect, found: Mapping[str, str | None]) -> None:
        """It turned out to have been done, as `found` tells."""
        self._set(effect, found)

    def _set(self, effect: Effect, sets: Mapping[str, str | None]) -> None:
        user = self.user(effect.user)
        for key, value in sets.items():
            if value is None:
                user.facts.pop(key, None)
                if effect.gone:
                    user.erased.add(key)
            else:
                user.facts[key] = value
                text, said = value.partition(" ")[2], user.texts.setdefault(key, [])
                if key.startswith("memory ") and text not in said:
                    said.append(text)
                if effect.fades and key.startswith("memory "):
                    user.fading.add(key)
        self.gone += [Gone(text, effect.everywhere) for text in effect.gone]

    def _go_back(self, point: str) -> None:
        """As it was then, but for what was erased since: that stays away."""
        users = copy.deepcopy(self.points[point])
        for name, user in users.items():
            now = self.users.get(name, User())
            # Files and tokens are kept elsewhere: tokens stay, and the files are followed again by the next look.
            user.facts = {
                key: value for key, value in user.facts.items()
                if key not in now.erased and not key.startswith(("file ", "token "))
            }  # fmt: skip
            user.facts |= {key: value for key, value in now.facts.items() if key.startswith("token ")}
            user.histories, user.erased = now.histories, now.erased
        self.users = users
        self.shared.clear()  # all that is known of it is that nobody changed it since


# --- the log of a worker ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a worker's log."""

    what: str
    at: float
    details: Mapping[str, Any]


def read_log(path: Path) -> list[Record]:
    """What a worker wrote before it was killed; a line cut short was never finished."""
    if not path.exists():
        return []
    lines = path.read_text("utf-8").split("\n")[:-1]
    return [Record(details.pop("what"), details.pop("at"), details) for details in map(json.loads, lines)]


def replayed(home: Home, records: Iterable[Record]) -> Effect | None:
    """Bring `home` up to what a worker acknowledged; gives the call that was under way when the log ends."""
    under_way: Effect | None = None
    began = 0.0
    for record in records:
        if record.what == "begin":
            under_way, began = Effect.of(record.details["effect"]), record.at
            if under_way.user != SHARED:
                home.begin(under_way)
        elif record.what in {"done", "refused"} and under_way is not None:
            _acknowledged(home, under_way, began, record)
            under_way = None
    if under_way is not None:
        _left(home, under_way, began)
    return under_way


def _acknowledged(home: Home, effect: Effect, began: float, record: Record) -> None:
    if effect.user == SHARED:
        if record.what == "done" and record.details.get("took", True):
            home.shared.append(Op(effect, began, record.at, (record.details.get("ids") or [""])[0]))
        elif record.what == "refused":
            home.shared.append(Op(effect, began, float("inf")))
    elif record.what == "done":
        home.done(effect, record.details)
    else:
        home.left_open(effect)


def _left(home: Home, effect: Effect, began: float) -> None:
    if effect.user == SHARED:
        home.shared.append(Op(effect, began, float("inf")))
    else:
        home.left_open(effect)
