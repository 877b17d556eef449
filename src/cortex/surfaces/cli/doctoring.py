"""The verb `doctor`: everything an installation needs is tried out, and what is wrong is told with its exact fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import EngineError, ModelUnavailable
from cortex.services.health.health_checks import NETWORK_SECONDS, Check, Group
from cortex.surfaces.cli import model_files, output
from cortex.surfaces.cli.context import Surface, surface_of

if TYPE_CHECKING:
    from cortex.memory import Cortex

UNWELL = 1
"""Exit code where something does not work."""


def doctor(
    context: typer.Context,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend what is safe: home, permissions, model files, indexes.")
    ] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Ask nobody over the network.")] = False,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="How long others have to answer.")
    ] = NETWORK_SECONDS,
) -> int:
    """Check everything an installation needs, down to embedding a text, and say how to mend what is wrong."""
    surface = surface_of(context)
    done = list(_mended(surface, _checked(surface, offline, timeout), offline)) if fix else []
    found = _checked(surface, offline, timeout)
    if surface.json:
        from cortex.surfaces.wire.upkeep import DoctorResponse

        output.show_json(DoctorResponse.of(found).to_json() | {"mended": done})
    else:
        from cortex.surfaces.cli import rendering

        for each in done:
            output.plain(each)
        output.show(*rendering.checks(found, mends=MENDS))
    return UNWELL if any(each.ok is False for each in found) else 0


COMMANDS: dict[str, Callable[..., Any]] = {"doctor": doctor}


def _checked(surface: Surface, offline: bool, patience: float) -> Sequence[Check]:
    """All checks, by what they are about; where no engine can be built, those that need none, which then say why."""
    from cortex import settings
    from cortex.services.health import environment_checks as machine
    from cortex.services.health import report as health
    from cortex.surfaces.cli import surroundings

    try:
        loaded = settings.load(surface.root)
        with surface.engine() as engine:
            around = surroundings.Surroundings(surface.root, Path.home(), loaded, offline=offline, patience=patience)
            found = health.checks(
                engine.context, lambda: engine.searching.status(), offline=offline, patience=patience
            )
            found = [surroundings.spelt_out(check, loaded) for check in found]
            found += [*_model_files(surface, engine), *around.checks()]
    except EngineError as error:
        found = machine.checks(surface.root)
        if all(each.ok is not False for each in found):  # a provider that is not known, a database that is not ours
            found.append(Check("engine", False, error.message, error.hint, Group.MEMORY))
    order = list(Group)
    return sorted(found, key=lambda check: order.index(check.group))


def _model_files(surface: Surface, engine: Cortex) -> Iterator[Check]:
    """Whether the files of the models in use are those that are pinned, to the last byte."""
    from cortex.settings import models_home
    from cortex.wiring import model_store

    place, wanted = models_home(surface.root), model_files.in_use(engine, surface.root)
    store = model_store(surface.root)
    here = [each.model.name for each in store.status() if each.state.value != "absent" and each.model.name in wanted]
    try:
        for name in here:
            store.verify(name)
    except ModelUnavailable as error:
        yield Check("model files", False, error.message, error.hint, Group.PROVIDERS)
        return
    if here:
        yield Check("model files", True, f"{', '.join(here)} in {place}, as pinned", group=Group.PROVIDERS)
    elif wanted and engine.settings.embedding.provider != "none":
        yield Check("model files", None, f"none in {place}", "run `cortex models fetch`", Group.PROVIDERS)


# --- mending ----------------------------------------------------------------------------------------------------------


def _mended(surface: Surface, found: Iterable[Check], offline: bool) -> Iterator[str]:
    """Mend what can be mended without asking; tells what was done, and what could not be."""
    done: set[Callable[..., Any]] = set()
    for check in found:
        mend = MENDS.get(check.name)
        if check.ok is True or mend is None or mend in done or (offline and mend is _fetch_models):
            continue
        done.add(mend)
        try:
            if told := mend(surface):
                yield f"mended: {told}"
        except (EngineError, OSError) as error:
            yield f"not mended: {check.name}: {error}"


def _make_home(surface: Surface) -> str:
    made = not surface.root.exists()
    surface.root.mkdir(parents=True, exist_ok=True, mode=0o700)
    surface.root.chmod(0o700)
    return f"made {surface.root}" if made else f"{surface.root} is for its owner's eyes alone"


def _close_to_others(surface: Surface) -> str:
    from cortex.services.health import environment_checks as machine

    changed = machine.make_private(surface.root)
    return f"{_several(len(changed))} under {surface.root} for the owner's eyes alone" if changed else ""


def _several(number: int) -> str:
    return "1 file" if number == 1 else f"{number:,} files"


def _fetch_models(surface: Surface) -> str:
    with surface.engine() as engine:
        wanted = model_files.in_use(engine, surface.root)
    if not wanted:
        return ""
    model_files.fetch(surface.root, wanted)
    return f"fetched {', '.join(wanted)}"


def _repair(surface: Surface) -> str:
    with surface.engine() as engine:
        repaired = sum(finding.repaired for finding in engine.verify(repair=True))
    return f"repaired {repaired} of the findings in the database"


MENDS: dict[str, Callable[[Surface], str]] = {
    "home": _make_home,
    "permissions": _close_to_others,
    "embedder": _fetch_models,
    "reranker": _fetch_models,
    "model files": _fetch_models,
    "database": _repair,
}
"""What `--fix` does about which check."""
