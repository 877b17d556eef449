"""The command `init`: sets up a home, by options alone or by a short dialog.

All questions come before any change, so an interrupted dialog leaves nothing behind. Every step may be repeated.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex import registry, settings
from cortex.errors import EngineError, InvalidRequest, ModelUnavailable, NotFound, StoreUnavailable, full_disk
from cortex.surfaces.cli import model_files, output
from cortex.surfaces.cli.context import Surface, surface_of

if TYPE_CHECKING:
    from cortex.host_settings import GivenSetting, HostSettings
    from cortex.settings import Settings
    from cortex.surfaces.cli.host_detection import DetectedHost, Notes

_MOST_PROBLEMS = 3


def init(
    context: typer.Context,
    embedder: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The embedder: local, auto, openai, …, or none."),
    ] = None,
    model: Annotated[bool, typer.Option(help="Download the local embedding model (34 MB).")] = True,
    llm: Annotated[
        str | None, typer.Option(metavar="NAME", help="The language model: anthropic, openai, …, or none.")
    ] = None,
    notes: Annotated[
        list[Path] | None, typer.Option(metavar="PATH", help="A folder of notes to index; repeatable.")
    ] = None,
    host: Annotated[list[str] | None, typer.Option(metavar="NAME", help="An MCP host to connect; repeatable.")] = None,
    from_: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Take over the memory settings of a host, such as openclaw.json."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask; use the defaults.")] = False,
) -> int:
    """Set up Cortex: settings, database, embedding model, notes to index, and MCP hosts to connect.

    On a terminal it asks. It is safe to run again: existing settings are kept, and nothing is done twice.
    """
    surface = surface_of(context)
    setup = Setup(
        surface.root, embedder, llm,
        notes=tuple(map(_notes_at, notes)) if notes else None,
        hosts=tuple(map(_host_named, host)) if host else None,
        fetch=model,
        host_settings=_settings_in(from_) if from_ is not None else None,
    )  # fmt: skip
    setup.check()
    if yes or surface.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _without_dialog(surface, setup)
    from cortex.surfaces.cli import prompts

    return prompts.run(surface, setup)


COMMANDS: dict[str, Callable[..., Any]] = {"init": init}


@dataclass(frozen=True, slots=True)
class Setup:
    """The choices to apply; None keeps a setting as it is, or has the dialog ask."""

    home: Path
    embedder: str | None = None
    llm: str | None = None
    notes: tuple[Notes, ...] | None = None
    hosts: tuple[DetectedHost, ...] | None = None
    fetch: bool = True
    host_settings: HostSettings | None = None
    """The settings of a host, to be taken over."""

    @property
    def changes(self) -> dict[str, Any]:
        """The settings to change."""
        chosen = {"embedding.provider": self.embedder, "llm.provider": self.llm}
        taken = {name: given.value for name, given in self._taken.items()}
        return taken | {name: value for name, value in chosen.items() if value is not None}

    @property
    def _taken(self) -> dict[str, GivenSetting]:
        return {} if self.host_settings is None else dict(self.host_settings.settings)

    def check(self) -> None:
        """Refuse providers that do not exist, and settings of a host that cannot be taken over; nothing is changed."""
        for group, name in (("cortex.embedders", self.embedder), ("cortex.llms", self.llm)):
            if name is not None:
                registry.find(group, name)
        if self.host_settings is None:
            return
        from cortex import host_settings

        file = self.home / settings.FILE_NAME
        for name, given in self._taken.items():
            own = _at(settings.given_in(file), name)
            if own is not None and not given.implied and not host_settings.is_same(own, given.value):
                raise host_settings.differing(f"{name} in {file}", given.origin)
            if own is not None:
                del self.host_settings.settings[name]
        settings.load(self.home, self.host_settings.nested(), self.host_settings.origins)


def _settings_in(file: Path) -> HostSettings:
    """The settings of a host's configuration that concern memory."""
    from cortex import host_settings
    from cortex.surfaces.mcp import json_config

    try:
        text = file.expanduser().read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise NotFound(
            f"{str(file)!r} cannot be read: {why}", hint="give --from a host's configuration file"
        ) from error
    found = host_settings.in_openclaw(json_config.read(text, field=str(file)).plain)
    if not found.settings and not found.no_effect:
        raise NotFound(
            f"{str(file)!r} has no settings of memory", hint="such as memoryCortex, memorySearch or memory.search"
        )
    return found


def _at(tree: Mapping[str, Any], name: str) -> Any:
    """What a nested table has under a dotted name."""
    found: Any = tree
    for key in name.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found


def _notes_at(path: Path) -> Notes:
    from cortex.surfaces.cli.host_detection import Notes

    if not path.expanduser().exists():
        raise NotFound(f"{str(path)!r} does not exist", hint="give --notes a folder or file that exists")
    return Notes.at(path)


def _host_named(name: str) -> DetectedHost:
    from cortex.surfaces.cli import host_detection
    from cortex.surfaces.mcp.hosts import HOSTS

    if name not in HOSTS:
        raise InvalidRequest(f"{name[:64]!r} is unknown", field="--host", hint=f"one of {', '.join(HOSTS)}")
    return host_detection.inspect(HOSTS[name], Path.home())


# --- steps ------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Result:
    """What was done, and the problems that did not stop the rest."""

    done: list[str] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    """Each with its fix."""
    notes: list[dict[str, Any]] = field(default_factory=list)
    hosts: list[dict[str, Any]] = field(default_factory=list)
    next_steps: list[str] = field(default_factory=list)
    """What to do in the hosts that were connected."""


def apply(surface: Surface, setup: Setup, report: Callable[[str], None], *, attended: bool = False) -> Result:
    """Apply all choices; `report` gets a line for each step.

    With a user waiting (`attended`), slow work is left to the background and an error does not stop the other steps.
    """
    settings.load(setup.home)  # do not touch a file that cannot be read
    result = Result()
    steps: list[Callable[[], Iterator[str]]] = [partial(_create_home, surface, setup, result)]
    if setup.notes:
        steps.append(partial(_index, surface, setup.notes, result, attended))
    steps += [partial(_connect, surface, setup.home, host, result) for host in setup.hosts or ()]
    for number, step in enumerate(steps):
        try:
            for line in step():
                result.done.append(line)
                report(line)
        except EngineError as error:
            if not attended or number == 0:
                raise
            result.problems.append((error.message, error.hint))
    return result


def _create_home(surface: Surface, setup: Setup, result: Result) -> Iterator[str]:
    home = setup.home
    try:
        for folder in reversed((home, *home.absolute().parents)):
            if not folder.exists():  # `parents=True` would create the others readable by everyone
                folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise full_disk(error, home) or StoreUnavailable(
            f"{home} cannot be created: {error.strerror or error}", hint="choose another --home, or fix the permissions"
        ) from error
    yield from _write_settings(home, setup.changes, result)
    for key, because in setup.host_settings.no_effect if setup.host_settings else ():
        result.problems.append((f"{key} has no effect here", because))
    with surface.engine() as engine:
        engine.stats()
        yield f"memory of agent {engine.tenant.agent} in {home}"
        model = model_files.embedder(engine, home) if setup.fetch else None
    if model is None:
        return
    try:
        was_here = model_files.is_here(home, model)
        model_files.fetch(home, [model])
    except ModelUnavailable as error:
        result.problems.append((f"recall uses keywords only: {error.message}", error.hint))
    else:
        yield f"embedding model {'already installed' if was_here else 'downloaded'}"


def _write_settings(home: Path, wanted: dict[str, Any], result: Result) -> Iterator[str]:
    """Write a first settings file, or change the existing one."""
    from cortex import settings_file

    path, failed = home / settings.FILE_NAME, set[str]()
    is_new = not path.exists()
    text, changed = settings_file.template() if is_new else path.read_bytes().decode("utf-8"), []
    for name, value in wanted.items():
        if _is_set(home, name, value):
            continue
        # A key of a vendor is not repeated on a terminal.
        shown = "…" if ".options." in name else settings_file.toml(value)
        if (after := settings_file.put(text, name, value)) is None:
            section, _, key = name.rpartition(".")
            fix = f"write {key} = {shown} under [{section}] in {path}"
            result.problems.append((f"{name} cannot be set without changing the rest of the file", fix))
            failed.add(name)
        else:
            text = after
            changed.append(f"{name} = {shown}")
    if is_new or changed:
        settings_file.write(path, text)
        yield f"settings in {path}" + (f": {', '.join(changed)}" if changed else "")
    variables = {setting: variable for setting, variable, _, _ in settings.describe()}
    for name, value in wanted.items():
        if name not in failed and name in variables and not _is_set(home, name, value):
            fix = f"the environment overrides it: unset {variables[name]}"
            result.problems.append((f"{name} is still {_current(home, name)!r}", fix))


def _is_set(home: Path, name: str, value: Any) -> bool:
    """Whether a setting has this value already, from any source."""
    from cortex.host_settings import is_same

    return is_same(_current(home, name), value)


def _current(home: Path, name: str) -> Any:
    found: Any = settings.load(home)
    for key in name.split("."):
        found = found.get(key) if isinstance(found, Mapping) else getattr(found, key, None)
    return found


def _index(surface: Surface, notes: tuple[Notes, ...], result: Result, attended: bool) -> Iterator[str]:
    with surface.engine() as engine:
        for each in notes:
            source = engine.files.add(each.path, shape=each.shape)
            result.notes.append({"path": str(source.root), "shape": source.shape.value})
            yield f"notes in {source.root}: {each.description}"
        if attended and any(each.is_large for each in notes):
            fix = "run `cortex index`; `cortex serve` does it automatically"
            result.problems.append(("the notes are large and not indexed yet", fix))
            return
        with output.progress("indexing") as progress:
            indexed = engine.index(progress=progress)
    yield f"{indexed.synced.seen:,} files indexed in {indexed.receipt.latency_ms / 1000:.1f} s"
    for path, why in indexed.problems[:_MOST_PROBLEMS]:
        result.problems.append((f"{path} {why}", "see `cortex index --list`"))


def _connect(surface: Surface, home: Path, detected: DetectedHost, result: Result) -> Iterator[str]:
    from cortex.surfaces.cli.host_detection import NAME
    from cortex.surfaces.mcp import hosts

    host = detected.host
    written = hosts.write(host, NAME, mcp_command(surface, home), detected.file)
    backup = str(written.backup) if written.backup else None
    result.hosts.append({"host": host.name, "file": str(written.file), "changed": written.changed, "backup": backup})
    if not written.changed:
        yield f"{host.title} already connected"
        return
    result.next_steps.append(f"{host.title}: {host.next_step.replace('<name>', NAME)}")
    yield f"{host.title} connected in {written.file}" + (f"; backup: {backup}" if backup else "")


def mcp_command(surface: Surface, home: Path) -> list[str]:
    """The command that a host has to start."""
    from cortex.surfaces.mcp import hosts

    return hosts.command_for(sys.executable, home.absolute(), surface.agent, surface.user)


# --- without a dialog -------------------------------------------------------------------------------------------------


def _without_dialog(surface: Surface, setup: Setup) -> int:
    result = apply(surface, setup, (lambda _: None) if surface.json else lambda line: output.plain(f"ready: {line}"))
    loaded = settings.load(setup.home)
    notes = [str(each.path) for each in detected_notes() if each not in (setup.notes or ())]
    hosts = [each.host.name for each in unconnected_hosts(setup.home) if each not in (setup.hosts or ())]
    if surface.json:
        output.show_json({
            "home": str(setup.home),
            "done": result.done,
            "embedder": loaded.embedding.provider,
            "llm": loaded.llm.provider,
            "notes": result.notes,
            "hosts": result.hosts,
            "found": {"notes": notes, "hosts": hosts},
            "problems": [{"message": message, "hint": hint} for message, hint in result.problems],
        })  # fmt: skip
        return 0
    from cortex.surfaces.cli import rendering

    output.show(*(rendering.notice(message, hint) for message, hint in result.problems))
    for path in notes:
        output.plain(f"found: notes in {path}; index them with `cortex init --notes {shlex.quote(path)}`")
    for name in hosts:
        output.plain(f"found: {name}; connect it with `cortex init --host {name}`")
    steps = ('cortex remember "The deploy key rotates on Mondays"', f"cortex serve, then open {dashboard_url(loaded)}")
    for line in (*result.next_steps, *steps, "cortex doctor"):
        output.plain(f"next: {line}")
    return 0


def detected_notes() -> list[Notes]:
    """The agent workspaces on this machine."""
    from cortex.surfaces.cli import host_detection

    return host_detection.found_notes(Path.home(), Path("."))


def unconnected_hosts(home: Path) -> list[DetectedHost]:
    """The hosts on this machine that do not use the memory in `home`, and whose files can be read."""
    from cortex.surfaces.cli import host_detection

    return [each for each in host_detection.found(Path.home()) if not each.problem and not each.is_connected(home)]


def dashboard_url(loaded: Settings) -> str:
    """The address of the dashboard for a browser on this machine."""
    host, port = loaded.serve.host, loaded.serve.port
    if host in {"", "0.0.0.0", "::"}:  # noqa: S104 - all interfaces
        host = "127.0.0.1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
