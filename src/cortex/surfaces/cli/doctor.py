"""The commands `status`, a summary, and `doctor`, which tries out everything an installation needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.domain.health import Check, Group
from cortex.errors import EngineError, ModelUnavailable
from cortex.services.health.health_checks import NETWORK_SECONDS
from cortex.surfaces.cli import model_files, output
from cortex.surfaces.cli.context import Surface, surface_of
from cortex.surfaces.http.server_file import announced

if TYPE_CHECKING:
    from cortex.memory import Cortex

FAILED = 1
"""Exit code if a check failed."""


def status(context: typer.Context) -> None:
    """Show what is stored, how Cortex is set up, and what needs fixing."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.status()
    server = announced(str(surface.root.absolute()))
    found["server"] = server and {"url": server.url, "pid": server.pid, "version": server.version}
    if surface.json:
        output.show_json(found)
    else:
        from cortex.surfaces.cli import rendering

        output.show(*rendering.status(found))


def doctor(
    context: typer.Context,
    fix: Annotated[
        bool, typer.Option("--fix", help="Fix what is safe to fix: home, permissions, model files, indexes.")
    ] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Do not use the network.")] = False,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="How long to wait for other servers.")
    ] = NETWORK_SECONDS,
) -> int:
    """Check the whole installation, and show how to fix each problem."""
    surface = surface_of(context)
    fixed = list(_fix(surface, _checks(surface, offline, timeout), offline)) if fix else []
    found = _checks(surface, offline, timeout)
    if surface.json:
        from cortex.surfaces.wire.upkeep import DoctorResponse

        output.show_json(DoctorResponse.of(found).to_json() | {"fixed": fixed})
    else:
        from cortex.surfaces.cli import rendering

        for each in fixed:
            output.plain(each)
        output.show(*rendering.checks(found, fixable=FIXES))
    return FAILED if any(each.ok is False for each in found) else 0


COMMANDS: dict[str, Callable[..., Any]] = {"status": status, "doctor": doctor}


def _checks(surface: Surface, offline: bool, patience: float) -> Sequence[Check]:
    """All checks in order of their groups; without an engine, those that need none and the reason."""
    from cortex import settings
    from cortex.services.health import environment_checks as machine
    from cortex.services.health import report as health
    from cortex.surfaces.cli.environment import EnvironmentChecks, with_key_hint

    try:
        loaded = settings.load(surface.root)
        with surface.engine() as engine:
            environment = EnvironmentChecks(surface.root, Path.home(), loaded, offline=offline, patience=patience)
            found = health.checks(engine.context, lambda: engine.searching.status(), offline=offline, patience=patience)
            found = [with_key_hint(check, loaded) for check in found]
            found += [*_model_files(surface, engine), *environment.checks()]
    except EngineError as error:
        found = [*machine.checks(surface.root), *_store_checks(surface.root)]
        if all(each.ok is not False for each in found):  # such as an unknown provider, or a foreign database
            found.append(Check("engine", False, error.message, error.hint, Group.MEMORY))
    order = list(Group)
    return sorted(found, key=lambda check: order.index(check.group))


def _store_checks(home: Path) -> Sequence[Check]:
    """What the store needs of this machine; nothing where the settings name none."""
    from cortex import settings, wiring

    try:
        return wiring.store_checks(home, settings.load(home))
    except EngineError:  # reported by the check of the settings or of the engine
        return []


def _model_files(surface: Surface, engine: Cortex) -> Iterator[Check]:
    """Whether the files of the models in use match their pins, byte by byte."""
    from cortex.settings import models_home
    from cortex.wiring import model_store

    folder, wanted = models_home(surface.root), model_files.in_use(engine, surface.root)
    store = model_store(surface.root)
    here = [each.model.name for each in store.status() if each.state.value != "absent" and each.model.name in wanted]
    try:
        for name in here:
            store.verify(name)
    except ModelUnavailable as error:
        yield Check("model files", False, error.message, error.hint, Group.PROVIDERS)
        return
    if here:
        yield Check("model files", True, f"{', '.join(here)} in {folder}, verified", group=Group.PROVIDERS)
    elif wanted and engine.settings.embedding.provider != "none":
        yield Check("model files", None, f"none in {folder}", "run `cortex models fetch`", Group.PROVIDERS)


# --- fixes ------------------------------------------------------------------------------------------------------------


def _fix(surface: Surface, found: Iterable[Check], offline: bool) -> Iterator[str]:
    """Fix what is safe to fix; yield a line for each result."""
    done: set[Callable[..., Any]] = set()
    for check in found:
        fix = FIXES.get(check.name)
        if check.ok is True or fix is None or fix in done or (offline and fix is _fetch_models):
            continue
        done.add(fix)
        try:
            if result := fix(surface):
                yield f"fixed: {result}"
        except (EngineError, OSError) as error:
            yield f"not fixed: {check.name}: {error}"


def _create_home(surface: Surface) -> str:
    is_new = not surface.root.exists()
    surface.root.mkdir(parents=True, exist_ok=True, mode=0o700)
    surface.root.chmod(0o700)
    return f"created {surface.root}" if is_new else f"permissions of {surface.root} set to owner-only"


def _make_private(surface: Surface) -> str:
    from cortex.services.health import environment_checks as machine
    from cortex.surfaces.cli.rendering import several

    changed = machine.make_private(surface.root)
    return f"permissions of {several(len(changed), 'file')} in {surface.root} set to owner-only" if changed else ""


def _fetch_models(surface: Surface) -> str:
    with surface.engine() as engine:
        wanted = model_files.in_use(engine, surface.root)
    model_files.fetch(surface.root, wanted)
    return f"downloaded {', '.join(wanted)}" if wanted else ""


def _repair(surface: Surface) -> str:
    with surface.engine() as engine:
        repaired = sum(finding.repaired for finding in engine.verify(repair=True))
    return f"repaired {repaired} findings in the database"


FIXES: dict[str, Callable[[Surface], str]] = {
    "home": _create_home,
    "permissions": _make_private,
    "embedder": _fetch_models,
    "reranker": _fetch_models,
    "model files": _fetch_models,
    "database": _repair,
}
"""What `--fix` does for each check."""
