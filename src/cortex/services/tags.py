"""Tags: created by name, or by themselves before large changes (E18)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cortex.context import Context, seal_at
from cortex.domain.receipt import Receipt
from cortex.domain.tags import (
    LARGE,
    MOST_NAMED,
    TAGS,
    Tag,
    automatic_name,
    checked_name,
    checked_reason,
    new_name,
    outdated,
    tags_in,
)
from cortex.errors import InvalidRequest, NotFound
from cortex.ports.store import ExpectState, PatchSession, View, retry_on_conflict


@dataclass(frozen=True, slots=True)
class TagResult:
    """The tags that were created or removed: one for each user."""

    tags: tuple[Tag, ...]
    receipt: Receipt


class TagService:
    """The tags of one user, or with `everyone` of all users of the agent."""

    def __init__(self, context: Context) -> None:
        self._context = context

    @property
    def user(self) -> str:
        return self._context.tenant.user

    def all(self) -> Sequence[Tag]:
        with self._context.store_view() as view:
            return self._tags(view)

    def create(self, name: str, *, reason: str = "", everyone: bool = False) -> TagResult:
        name, reason = new_name(name), checked_reason(reason)
        self.require()
        with self._context.recording("tag") as record:
            handles = list(self.handles(everyone))
            for handle in handles:  # before the first is created
                handle._refuse_taken(name)
            created = tuple(handle.put(reason, named=name) for handle in handles)
            record.close(self._context.position(), tag=name, users=len(created), reason=reason)
        return TagResult(created, record.receipt)

    def remove(self, name: str, *, everyone: bool = False) -> TagResult:
        name = checked_name(name)
        self.require()
        with self._context.recording("untag") as record:
            handles = [handle for handle in self.handles(everyone) if handle.has(name)]
            if not handles:
                raise NotFound(f"no tag {name!r}", hint="see `cortex admin tags`")
            removed = tuple(retry_on_conflict(lambda handle=handle: handle._drop(name)) for handle in handles)  # type: ignore[misc]
            record.close(self._context.position(), tag=name, users=len(removed))
        return TagResult(removed, record.receipt)

    def automatic(self, reason: str, *, position: int | None = None) -> Tag | None:
        """A tag before a large change, at the present position or the one given; the latest 20 are kept.

        None where the store has no tags. Where there is one for this reason at this position already, that one serves.
        """
        if not self._context.store.abilities.tags:
            return None
        return self.put(reason, position=position)

    def automatic_before(self, reason: str, memories: int, position: int | None = None) -> None:
        """An automatic tag here, or at `position`, if a change of so many memories after it is a large one."""
        if memories > LARGE:
            self.automatic(reason, position=position)

    def put(self, reason: str, *, named: str | None = None, position: int | None = None) -> Tag:
        """Create a tag, automatic unless it is `named`; one for this reason at this position serves again."""

        def attempt() -> Tag:
            with self._context.store_view() as view:
                known = self._tags(view)
                at = view.position if position is None else position
                if named is None:
                    same = next(
                        (tag for tag in known if tag.automatic and (tag.position, tag.reason) == (at, reason)), None
                    )
                    if same is not None:
                        return same
                tag = self._tag(view, known, reason, named, at)
            dropped: dict[str, object] = {} if named else dict.fromkeys(outdated([*known, tag]))
            self._context.apply(
                [ExpectState(TAGS, {tag.name: None}), PatchSession(TAGS, {**dropped, tag.name: tag.to_state()})]
            )
            return tag

        return retry_on_conflict(attempt)

    def _tag(self, view: View, known: Sequence[Tag], reason: str, named: str | None, position: int) -> Tag:
        now, names = self._context.clock.now(), {tag.name for tag in known}
        if named in names:
            raise _Taken(named)
        if named and sum(not tag.automatic for tag in known) >= MOST_NAMED:
            raise InvalidRequest(
                f"would be one more than {MOST_NAMED:,}",
                field="tag",
                hint="remove one with `cortex admin tag --delete`",
            )
        seal = seal_at(view, position)
        if seal is None:
            raise InvalidRequest(f"{position} is not a position of the ledger", field="position", hint="give another")
        return Tag(
            name=named or automatic_name(reason, now, names), user=self.user, position=position,
            seal=seal, at=now, reason=reason, automatic=named is None,
        )  # fmt: skip

    def _refuse_taken(self, name: str) -> None:
        if self.has(name):
            raise _Taken(name)

    def has(self, name: str) -> bool:
        """Whether there is a tag of this name."""
        return any(tag.name == name for tag in self.all())

    def _drop(self, name: str) -> Tag:
        with self._context.store_view() as view:
            tag = next((tag for tag in self._tags(view) if tag.name == name), None)
            state = (view.state(TAGS) or {}).get(name)
        if tag is None:
            raise NotFound(f"no tag {name!r}", hint="see `cortex admin tags`")
        self._context.apply([ExpectState(TAGS, {name: state}), PatchSession(TAGS, {name: None})])
        return tag

    def _tags(self, view: View) -> list[Tag]:
        return tags_in(view.state(TAGS), self.user)

    def handles(self, everyone: bool) -> Iterator[TagService]:
        """The tags of this user, or of every user of the agent."""
        own = self.user
        others = [user for user in self._context.store.users() if user != own] if everyone else []
        return (TagService(self._context.bind(user=user)) for user in [own, *others])

    def require(self) -> None:
        """Refuse a store that has no tags."""
        self._context.dependencies.require(self._context.tenant.agent, "tags", self._context.store.abilities)


class _Taken(InvalidRequest):
    def __init__(self, name: str | None) -> None:
        super().__init__(f"{name!r} exists already", field="tag", hint="use another name, or remove that one first")
