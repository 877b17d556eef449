"""The verb `init`: from nothing to a memory that works, by a short conversation or by options alone.

Everything is asked before anything is done, so whoever breaks the conversation off leaves nothing behind. What is done
is done in whole steps, each of which may be done again.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex import settings
from cortex.errors import (
    EngineError,
    InvalidRequest,
    ModelUnavailable,
    NotFound,
    StoreUnavailable,
    full_disk,
    install_command,
)
from cortex.surfaces.cli import model_files, output
from cortex.surfaces.cli.context import Surface, surface_of

if TYPE_CHECKING:
    from cortex.settings import Settings
    from cortex.surfaces.cli.asking import Offer
    from cortex.surfaces.cli.hosts_here import HostHere
    from cortex.surfaces.cli.notes_here import Notes

_MOST_PROBLEMS = 3
_PROVIDERS = {"embedding.provider": "cortex.embedders", "llm.provider": "cortex.llms"}


def init(
    context: typer.Context,
    embedder: Annotated[
        str | None, typer.Option(metavar="NAME", help="What embeds: local, auto, openai, …, or none for keywords.")
    ] = None,
    model: Annotated[bool, typer.Option(help="Fetch the local embedding model (34 MB).")] = True,
    llm: Annotated[
        str | None, typer.Option(metavar="NAME", help="The language model: anthropic, openai, …, or none.")
    ] = None,
    notes: Annotated[
        list[Path] | None, typer.Option(metavar="PATH", help="A folder of notes to follow; may be given again.")
    ] = None,
    host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="An MCP host to connect; may be given again.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Ask nothing; what no option says is as by default.")
    ] = False,
) -> int:
    """Set up a home: settings, database, embedding model, notes to follow, hosts to connect; asks on a terminal.

    Safe to run again: a settings file that is there keeps what it says, and nothing is done twice.
    """
    surface = surface_of(context)
    given = _given(surface, embedder, llm, notes or (), host or (), fetch=model)
    if yes or surface.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _silently(surface, given)
    from cortex.surfaces.cli import guiding

    return guiding.guide(surface, given)


COMMANDS: dict[str, Callable[..., Any]] = {"init": init}


# --- what is wished for -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a set-up is to be like; None leaves a setting as it is, or to be asked for."""

    home: Path
    embedder: str | None = None
    llm: str | None = None
    notes: tuple[Notes, ...] | None = None
    hosts: tuple[HostHere, ...] | None = None
    fetch: bool = True

    @property
    def providers(self) -> dict[str, str]:
        """The settings that are to be as wished."""
        wished = {"embedding.provider": self.embedder, "llm.provider": self.llm}
        return {name: value for name, value in wished.items() if value is not None}


def _given(
    surface: Surface,
    embedder: str | None,
    llm: str | None,
    notes: Sequence[Path],
    hosts: Sequence[str],
    *,
    fetch: bool,
) -> Wishes:
    """What the options say, refused before anything is made where it cannot be had."""
    from cortex import registry

    wishes = Wishes(surface.root, embedder, llm, fetch=fetch)
    for name, provider in wishes.providers.items():
        registry.find(_PROVIDERS[name], provider)
    return replace(
        wishes,
        notes=tuple(_notes_at(path) for path in notes) or None,
        hosts=tuple(_host_named(name) for name in hosts) or None,
    )


def _notes_at(path: Path) -> Notes:
    from cortex.surfaces.cli.notes_here import Notes

    if not path.expanduser().exists():
        raise NotFound(f"nothing is at {str(path)!r}", hint="give --notes a folder or file that exists")
    return Notes.at(path)


def _host_named(name: str) -> HostHere:
    from cortex.surfaces.cli import hosts_here
    from cortex.surfaces.mcp.hosts import HOSTS

    if name not in HOSTS:
        raise InvalidRequest(f"{name[:64]!r} is not known", field="--host", hint=f"one of {', '.join(HOSTS)}")
    return hosts_here.looked_at(HOSTS[name], Path.home())


# --- what is done -----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Outcome:
    """What was done, as plain values, and what went wrong without stopping the rest."""

    done: list[str] = field(default_factory=list)
    troubles: list[tuple[str, str]] = field(default_factory=list)
    """Each with what to do about it."""
    notes: list[dict[str, Any]] = field(default_factory=list)
    hosts: list[dict[str, Any]] = field(default_factory=list)
    afterwards: list[str] = field(default_factory=list)
    """What is to be done in the programs that were connected."""


Tell = Callable[[str], None]
"""Told each step when it is done."""


def carry_out(surface: Surface, wishes: Wishes, tell: Tell, *, attended: bool = False) -> Outcome:
    """Set everything up as wished. Each step is done wholly, and costs nothing where it was done before.

    Where somebody waits (`attended`), what takes minutes is left to the background, and what fails stops nothing else.
    """
    outcome, root = Outcome(), wishes.home
    settings.load(root)  # a file that cannot be read is not added to

    def did(what: str) -> None:
        outcome.done.append(what)
        tell(what)

    _make_home(root)
    for told in _write_settings(root, wishes, outcome):
        did(told)
    with surface.engine() as engine:
        engine.stats()
        did(f"memory of agent {engine.tenant.agent} in {root}")
        model = model_files.embedder(engine, root) if wishes.fetch else None
    if model is not None:
        _bring(model, root, outcome, did)
    steps: list[Callable[[], Iterator[str]]] = []
    if wishes.notes:
        steps.append(lambda: _follow(surface, wishes.notes or (), outcome, attended))
    steps += [partial(_connect, surface, root, here, outcome) for here in wishes.hosts or ()]
    for step in steps:
        try:
            for told in step():
                did(told)
        except EngineError as error:
            if not attended:
                raise
            outcome.troubles.append((error.message, error.hint))
    return outcome


def _make_home(root: Path) -> None:
    try:
        for folder in reversed((root, *root.absolute().parents)):
            if not folder.exists():  # `parents=True` would make those in between for everyone to read
                folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise full_disk(error, root) or StoreUnavailable(
            f"{root} cannot be made: {error.strerror or error}", hint="choose another --home, or mend the permissions"
        ) from error


def _write_settings(root: Path, wishes: Wishes, outcome: Outcome) -> Iterator[str]:
    """Write a first settings file, and what is wished for into it or into the one there is."""
    from cortex.surfaces.cli import settings_file

    path = root / settings.FILE_NAME
    is_new = not path.exists()
    before = settings_file.template() if is_new else path.read_bytes().decode("utf-8")
    text, changed = before, []
    for name, value in wishes.providers.items():
        if _in_force(root, name) == value:
            continue
        after = settings_file.put(text, name, value)
        if after is None:
            section, _, key = name.rpartition(".")
            fix = f'write {key} = "{value}" under [{section}] in {path}'
            outcome.troubles.append((f"{name} could not be set without touching the rest of the file", fix))
            continue
        text = after
        changed.append(f'{name} = "{value}"')
    if is_new or changed:
        settings_file.write(path, text)
        yield f"settings in {path}" + (f": {', '.join(changed)}" if changed else "")
    for name, value in wishes.providers.items():
        if (now := _in_force(root, name)) != value and not any(name in trouble for trouble, _ in outcome.troubles):
            outcome.troubles.append(
                (f"{name} is {now!r} all the same", f"the environment says so: unset {_as_variable(name)}")
            )


def _in_force(root: Path, name: str) -> Any:
    found: Any = settings.load(root)
    for part in name.split("."):
        found = getattr(found, part)
    return found


def _as_variable(name: str) -> str:
    return next(variable for setting, variable, _, _ in settings.describe() if setting == name)


def _bring(model: str, root: Path, outcome: Outcome, did: Tell) -> None:
    try:
        was_here = model_files.is_here(root, model)
        model_files.fetch(root, [model])
    except ModelUnavailable as error:
        outcome.troubles.append((f"recall goes by keywords alone: {error.message}", error.hint))
    else:
        did("embedding model" + (", here already" if was_here else ", fetched"))


def _follow(surface: Surface, notes: Sequence[Notes], outcome: Outcome, attended: bool) -> Iterator[str]:
    with surface.engine() as engine:
        for each in notes:
            source = engine.files.add(each.path, shape=each.shape)
            outcome.notes.append({"path": str(source.root), "shape": source.shape.value})
            yield f"following {source.root}: {each.what}"
        if attended and any(each.is_much for each in notes):
            fix = "run `cortex index`; `cortex serve` does it by itself"
            outcome.troubles.append(("the notes are many, and not indexed yet", fix))
            return
        with output.progress("indexing") as progress:
            indexed = engine.index(progress=progress)
        yield f"{indexed.synced.seen:,} files indexed in {indexed.receipt.latency_ms / 1000:.1f} s"
        outcome.troubles += [(f"{path} {why}", "see `cortex files`") for path, why in indexed.problems[:_MOST_PROBLEMS]]


def _connect(surface: Surface, root: Path, here: HostHere, outcome: Outcome) -> Iterator[str]:
    from cortex.surfaces.cli.hosts_here import NAME
    from cortex.surfaces.mcp import hosts

    written = hosts.write(here.host, NAME, mcp_command(surface, root), here.file)
    outcome.hosts.append(
        {
            "host": here.host.name,
            "file": str(written.file),
            "changed": written.changed,
            "backup": str(written.backup) if written.backup else None,
        }
    )
    if not written.changed:
        yield f"{here.host.title} knows of it already"
        return
    outcome.afterwards.append(f"{here.host.title}: {here.host.afterwards.replace('<name>', NAME)}")
    kept = f"; as it was before: {written.backup}" if written.backup else ""
    yield f"{here.host.title} connected in {written.file}{kept}"


def mcp_command(surface: Surface, root: Path) -> list[str]:
    """What a host has to start."""
    from cortex.surfaces.mcp import hosts

    return hosts.command_for(sys.executable, root.absolute(), surface.agent, surface.user)


# --- without a conversation -------------------------------------------------------------------------------------------


def _silently(surface: Surface, wishes: Wishes) -> int:
    outcome = carry_out(
        surface, wishes, (lambda _: None) if surface.json else lambda told: output.plain(f"ready: {told}")
    )
    loaded = settings.load(wishes.home)
    others = _others(wishes)
    if surface.json:
        told = [{"message": message, "hint": hint} for message, hint in outcome.troubles]
        output.show_json(
            {
                "home": str(wishes.home),
                "done": outcome.done,
                "embedder": loaded.embedding.provider,
                "llm": loaded.llm.provider,
                "notes": outcome.notes,
                "hosts": outcome.hosts,
                "found": others,
                "trouble": told[0] if told else None,
                "troubles": told,
            }
        )
        return 0
    from cortex.surfaces.cli import rendering

    output.show(*(rendering.notice(message, hint) for message, hint in outcome.troubles))
    for path in others["notes"]:
        output.plain(f"found: notes in {path}; follow them with `cortex init --notes {shlex.quote(path)}`")
    for name in others["hosts"]:
        output.plain(f"found: {name}; connect it with `cortex init --host {name}`")
    for told_ in outcome.afterwards:
        output.plain(f"next: {told_}")
    output.plain('next: cortex remember "The deploy key rotates on Mondays"')
    output.plain(f"next: cortex serve, then {dashboard(loaded)}")
    output.plain("next: cortex doctor")
    return 0


def _others(wishes: Wishes) -> dict[str, list[str]]:
    """What was found on this machine and is not asked for here."""
    notes = [str(each.path) for each in proposed_notes() if each not in (wishes.notes or ())]
    hosts = [each.host.name for each in unconnected(wishes.home) if each not in (wishes.hosts or ())]
    return {"notes": notes, "hosts": hosts}


# --- what there is to offer -------------------------------------------------------------------------------------------


def embedder_offers(root: Path, current: str) -> list[Offer]:
    """What can embed on this machine, with the keys its environment has."""
    from cortex.surfaces.cli.asking import Offer
    from cortex.surfaces.cli.vendors import EMBEDDERS

    offers = [_local_offer(root)]
    for name, vendor in EMBEDDERS.items():
        if key := vendor.key(settings.variable):
            offers.append(Offer(name, f"{vendor.title}'s API: {key} is set", _need("cortex.embedders", name, root)))
    offers.append(Offer("auto", "the first of these that can be used; local before all others"))
    offers.append(Offer("none", "no vectors: recall goes by keywords alone"))
    if current not in {offer.name for offer in offers}:
        offers.insert(0, Offer(current, "as it is set now"))
    return offers


def llm_offers(root: Path, current: str) -> list[Offer]:
    """Which language models the environment has keys for; none is always possible."""
    from cortex.surfaces.cli.asking import Offer
    from cortex.surfaces.cli.vendors import LLMS

    offers = [Offer("none", "memories are drawn by rules; nothing is spent, and nothing leaves this machine")]
    for name, vendor in LLMS.items():
        if key := vendor.key(settings.variable):
            about = f"{vendor.title} draws more from conversations, within a budget: {key} is set"
            offers.append(Offer(name, about, _need("cortex.llms", name, root)))
    if current not in {offer.name for offer in offers}:
        offers.append(Offer(current, "as it is set now"))
    return offers


def _local_offer(root: Path) -> Offer:
    from importlib.util import find_spec

    from cortex.surfaces.cli.asking import Offer

    name = model_files.known(root)[0]
    state = "here already" if model_files.is_here(root, name) else "34 MB, fetched once"
    need = "" if find_spec("onnxruntime") else f"`{install_command('local')}`"
    return Offer("local", f"on this machine's processor, nothing leaves it: {name}, {state}", need)


def _need(group: str, name: str, root: Path) -> str:
    """What has to be installed for a provider, if anything has to be."""
    from cortex import registry
    from cortex.ports.probed import trouble_of

    factory = registry.find(group, name)
    made = factory({}, settings.models_home(root)) if group == "cortex.embedders" else factory({}, 1.0)
    trouble = trouble_of(made)
    return trouble.hint.removeprefix("run ") if trouble is not None and "pip install" in trouble.hint else ""


def proposed_notes() -> list[Notes]:
    """The folders of notes found on this machine."""
    from cortex.surfaces.cli import notes_here
    from cortex.surfaces.mcp.hosts import HOSTS

    user_home = Path.home()
    told = notes_here.openclaw_configuration(HOSTS["openclaw"].file(user_home))
    return notes_here.found(user_home, Path("."), told)


def unconnected(root: Path) -> list[HostHere]:
    """The hosts of this machine that do not use the memory under `root`, and whose files can be read."""
    from cortex.surfaces.cli import hosts_here

    return [each for each in hosts_here.found(Path.home()) if not each.trouble and not each.is_connected(root)]


def followed(surface: Surface, root: Path) -> set[Path]:
    """The folders that are followed already; nothing is made to find that out."""
    if not (root / "agents").is_dir():
        return set()
    try:
        with surface.engine() as engine:
            return {source.root for source in engine.files.sources()}
    except EngineError:  # what is wrong with it is told when it is set up
        return set()


def dashboard(loaded: Settings) -> str:
    """Where a browser finds the server."""
    host, port = loaded.serve.host, loaded.serve.port
    if host in {"", "0.0.0.0", "::"}:  # noqa: S104 - where a browser of this machine finds it
        host = "127.0.0.1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
