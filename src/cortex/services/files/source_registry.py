"""Which folders and files a tenant follows: those the settings name, and those that were given (B2, X15)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from cortex.context import Context
from cortex.domain.choices import chosen
from cortex.domain.lanes import Lane
from cortex.domain.scope import DEFAULT_SCOPE, Tenant
from cortex.domain.trust import TrustTier
from cortex.errors import InvalidRequest, NotFound
from cortex.ports.store import PatchSession
from cortex.workspace import sources
from cortex.workspace.sources import MARKDOWN, TRANSCRIPTS, Shape, Source

STATE = "cortex:files"
"""Where it is kept which folders are followed, and when they were last looked at."""

_SOURCE = "source"
_FOLLOWED = "sources"
_LANES: Mapping[Shape, tuple[Lane, ...]] = {
    Shape.WORKSPACE: (Lane.NOTES, Lane.DOCS),
    Shape.TREE: (Lane.NOTES, Lane.DOCS),
    Shape.TRANSCRIPTS: (Lane.SESSIONS,),
}


def kept(context: Context) -> Mapping[str, Any]:
    """What is kept of a tenant's files."""
    with context.store_view() as view:
        return view.state(STATE) or {}


def own_key(context: Context, name: str) -> str:
    """Under which this host keeps something of its files, where other hosts keep theirs beside it."""
    return f"{name}@{context.host}" if context.host else name


def keep(context: Context, parts: Mapping[str, Any]) -> None:
    """Keep these parts beside those there are: processes that keep different ones do not lose each other's."""
    context.apply([PatchSession(STATE, parts)])


@dataclass(frozen=True, slots=True)
class ConfiguredSources:
    """What the settings name: what can be followed, and why the rest cannot."""

    sources: list[Source] = field(default_factory=list)
    troubles: list[tuple[str, str]] = field(default_factory=list)


class SourceRegistry:
    """The folders and files that one tenant has on this host. Those of other hosts are theirs to follow."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._settings = context.settings.files

    def all(self) -> list[Source]:
        """What is followed: what the settings name, then what was given beside them."""
        return self._known()[1]

    def unusable(self) -> list[tuple[str, str]]:
        """What the settings name and cannot be followed at all, each with the reason."""
        return self._known()[0].troubles

    def troubles(self) -> list[tuple[str, str]]:
        """That, and what is followed and not there now."""
        named, known = self._known()
        return [*named.troubles, *((str(each.root), "is not there") for each in known if not each.root.exists())]

    def add(self, path: Path | str, shape: Shape | str, **options: Any) -> Source:
        """Index a folder or a file from now on. Added again, only the options that are given change."""
        shape = chosen(Shape, shape, "shape")
        _, known = self._known()
        before = _at(known, path, shape)
        given = _defaults(shape, before, self._settings.chunker) | _plain(options)
        _check_options(shape, **given)
        wanted = sources.registered(known, path, shape=shape, **{"name": _name_for(shape, known, before)} | given)
        source = _at(wanted, path, shape)
        assert source is not None
        keep(self._context, {self._key(source): source.to_json()})
        return source

    def remove(self, name_or_path: str) -> None:
        """Follow a folder no longer."""
        named, known = self._known()
        try:
            gone = sources.named(known, name_or_path)
        except NotFound:
            self._refuse_elsewhere(name_or_path)
            raise
        if fixed := [each for each in gone if each in named.sources]:
            raise InvalidRequest(
                f"{str(fixed[0].root)!r} is named by the settings", field="remove", hint="take it out of [files] there"
            )
        keep(self._context, {key: None for source in gone for key in (self._key(source), _key(_SOURCE, source))})

    def synced(self, parts: Mapping[str, Any]) -> None:
        """Keep what is to be known of a sync; where hosts share the files, with what this one follows."""
        followed = {_FOLLOWED: [source.to_json() for source in self.all()]} if self._context.host else {}
        keep(self._context, {own_key(self._context, name): part for name, part in {**parts, **followed}.items()})

    def elsewhere(self) -> dict[str, list[Source]]:
        """What other hosts followed when they last synced, by host."""
        items = ((key.partition("@"), plain) for key, plain in kept(self._context).items())
        return {
            host: [Source.from_json(each) for each in plain]
            for (name, _, host), plain in items
            if name == _FOLLOWED and host != self._context.host
        }

    def forget_host(self, host: str) -> None:
        """Keep nothing more of a host that is gone."""
        state = kept(self._context)
        keep(self._context, {key: None for key in state if key.partition(" ")[0].partition("@")[2] == host})

    def _refuse_elsewhere(self, name_or_path: str) -> None:
        for host, followed in self.elsewhere().items():
            if any(name_or_path in (each.name, str(each.root)) for each in followed):
                raise InvalidRequest(
                    f"{name_or_path!r} is indexed by the host {host}",
                    field="remove",
                    hint=f"remove it there; if that host is gone, run `cortex index --remove {host} --force`",
                )

    def _key(self, source: Source) -> str:
        return _key(own_key(self._context, _SOURCE), source)

    def _known(self) -> tuple[ConfiguredSources, list[Source]]:
        """What the settings name, and that with what was given beside them."""
        registered = list(self._registered())
        named = self._named(registered)
        return named, [*named.sources, *(each for each in registered if each not in named.sources)]

    def _registered(self) -> Iterator[Source]:
        own = own_key(self._context, _SOURCE)
        for key, plain in kept(self._context).items():
            whose = key.partition(" ")[0]
            if whose == own:
                yield Source.from_json(plain)
            elif whose == _SOURCE and (source := Source.from_json(plain)).root.exists():
                # From before the store was shared: it belongs to the host that has it.
                yield source

    def _named(self, registered: Sequence[Source]) -> ConfiguredSources:
        """What the settings name belongs to the agent and user the settings name. The options come from the caller."""
        found = ConfiguredSources()
        for path, shape, lane in self._in_settings():
            try:
                source = _at(registered, path, shape) or self._of(path, shape, lane, [*registered, *found.sources])
            except InvalidRequest as error:
                found.troubles.append((path, _why(error, path)))
            else:
                if (source.root, source.shape) not in {(each.root, each.shape) for each in found.sources}:
                    found.sources.append(source)
        return found

    def _in_settings(self) -> Iterator[tuple[str, Shape, Lane]]:
        settings, files = self._context.settings, self._settings
        if self._context.tenant != Tenant(settings.agent, settings.user):
            return
        if files.workspace:
            yield files.workspace, Shape.WORKSPACE, Lane.NOTES
        yield from ((path, Shape.TREE, Lane.NOTES) for path in files.extra_paths)
        yield from ((path, Shape.TREE, Lane.DOCS) for path in files.docs)
        yield from ((path, Shape.TRANSCRIPTS, Lane.SESSIONS) for path in files.transcripts)

    def _of(self, path: str, shape: Shape, lane: Lane, known: Sequence[Source]) -> Source:
        payload: dict[str, Any] = {"shape": shape, "lane": lane, "chunker": self._settings.chunker}
        try:
            wanted = sources.registered(known, path, name=_name_for(shape, known, None), **payload)
        except NotFound:
            # It keeps its place: what was read of it stays, and it is followed again as soon as it is there.
            return _absent(path, known, **payload)
        return _at(wanted, path, shape) or wanted[-1]


def _why(error: InvalidRequest, path: str) -> str:
    """What an error says of a path, without the path."""
    return error.message.removeprefix(f"{error.field}: ").removeprefix(f"{str(Path(path).expanduser())!r} ")


def _key(prefix: str, source: Source) -> str:
    return f"{prefix} {source.shape.value} {source.root}"


def _at(known: Sequence[Source], path: Path | str, shape: Shape) -> Source | None:
    """The one of that shape that lies at `path`, whatever it is called."""
    with suppress(ValueError, OSError, RuntimeError):
        root = Path(path).expanduser().resolve()
        return next((each for each in known if each.root == root and each.shape is shape), None)
    return None


def _name_for(shape: Shape, known: Sequence[Source], before: Source | None) -> str | None:
    """An agent's own workspace has no name; any further one is called like its folder."""
    if before is not None:
        return before.name
    return "" if shape is Shape.WORKSPACE and all(each.name for each in known) else None


def _defaults(shape: Shape, before: Source | None, chunker: str) -> dict[str, Any]:
    if before is None:
        return {"lane": _LANES[shape][0], "scope": DEFAULT_SCOPE, "trust": TrustTier.TRUSTED, "chunker": chunker}
    names = ("lane", "scope", "trust", "chunker", "summarize")
    return {name: getattr(before, name) for name in names}


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, by the names of lanes and tiers or as such."""
    choices: Mapping[str, type[StrEnum]] = {"lane": Lane, "trust": TrustTier}
    return {
        name: chosen(choices[name], value, name) if name in choices else value
        for name, value in options.items()
        if value is not None
    }


def _check_options(shape: Shape, *, lane: Lane, trust: TrustTier, summarize: bool = False, **_: Any) -> None:
    if lane not in _LANES[shape]:
        raise InvalidRequest(
            f"a {shape.value} is never in {lane.value!r}", field="lane", hint=f"one of {', '.join(_LANES[shape])}"
        )
    if shape is not Shape.TRANSCRIPTS:
        return
    if trust is not TrustTier.TRUSTED:
        raise InvalidRequest(
            "says nothing of transcripts", field="trust", hint="turns are trusted by who said them: leave it out"
        )
    if summarize:
        raise InvalidRequest("says nothing of transcripts", field="summarize", hint="leave it out")


def _absent(path: str, known: Sequence[Source], *, shape: Shape, **payload: Any) -> Source:
    """What is named and not there now, called as it would be if it were."""
    root = Path(path).expanduser().resolve()
    folder = root.parent if root.suffix.lower() in (*MARKDOWN, *TRANSCRIPTS) else root
    taken = {each.name.casefold() for each in known}
    own = _name_for(shape, known, None)
    names = [own] if own is not None else [folder.name, *(f"{folder.name}-{number}" for number in range(2, 100))]
    for name in itertools.filterfalse(lambda each: each.casefold() in taken, names):
        with suppress(InvalidRequest):  # some names cannot be the first part of a path
            return Source(name=name, root=root, shape=shape, **payload)
    raise InvalidRequest("is not there, and cannot be followed by its name", field=path, hint="give another folder")
