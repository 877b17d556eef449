"""The commands `recall` and `search`, with their explanations (E9) and digests (C5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import Surface, surface_of
from cortex.surfaces.cli.inputs import given, moment_of, text_of, time_of
from cortex.surfaces.cli.memory_commands import AsOf, Kinds, Lanes, Since, Until, warn

if TYPE_CHECKING:
    from cortex.memory import Cortex

Query = Annotated[str, typer.Argument(metavar="QUERY", help="What to look for; `-` reads it from stdin.")]
Scope = Annotated[str | None, typer.Option(help="Only this scope.")]
Project = Annotated[
    str | None, typer.Option(metavar="SCOPE", help="The current project: rank its memories first, keep all others.")
]
Recipe = Annotated[str | None, typer.Option(help="The ranking recipe; see `cortex admin recipes`.")]
Limit = Annotated[int | None, typer.Option(help="The maximum number of hits.")]
Budget = Annotated[int | None, typer.Option(help="The maximum number of tokens in the block.")]
MinScore = Annotated[float | None, typer.Option(help="Leave out hits below this score, 0 to 1.")]
DeadlineMs = Annotated[float | None, typer.Option(help="Leave out what takes longer, in milliseconds.")]
Quarantined = Annotated[bool, typer.Option("--quarantined", help="Include quarantined memories.")]
Explain = Annotated[
    bool, typer.Option("--explain", help="Show every candidate, its score, and why it is shown or not.")
]
Block = Annotated[bool, typer.Option("--block", help="Print only the block to inject.")]


def recall(
    context: typer.Context,
    query: Query,
    scope: Scope = None,
    project: Project = None,
    recipe: Recipe = None,
    limit: Limit = None,
    budget: Budget = None,
    min_score: MinScore = None,
    kind: Kinds = None,
    lane: Lanes = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
    deadline_ms: DeadlineMs = None,
    quarantined: Quarantined = False,
    explain: Explain = False,
    synthesize: Annotated[
        bool, typer.Option("--synthesize", help="Write one text on the topic, with sources.")
    ] = False,
    block: Block = False,
) -> None:
    """Recall the few memories that help with a message, or none if none is relevant."""
    options = _options(
        scope, project, recipe, limit, budget, min_score, kind, lane, since, until, as_of, deadline_ms, quarantined
    )  # fmt: skip
    surface, text = surface_of(context), text_of(query, "query")
    if synthesize:
        _synthesize(surface, text, options, explain=explain, block=block)
    elif explain:
        _explain(surface, text, "auto", options)
    else:
        _show(surface, lambda engine: engine.recall(text, **options), block)


def search(
    context: typer.Context,
    query: Query,
    scope: Scope = None,
    project: Project = None,
    recipe: Recipe = None,
    limit: Limit = None,
    budget: Budget = None,
    min_score: MinScore = None,
    kind: Kinds = None,
    lane: Lanes = None,
    since: Since = None,
    until: Until = None,
    as_of: AsOf = None,
    deadline_ms: DeadlineMs = None,
    quarantined: Quarantined = False,
    explain: Explain = False,
    block: Block = False,
) -> None:
    """Search everything on a topic, including untrusted and superseded memories."""
    options = _options(
        scope, project, recipe, limit, budget, min_score, kind, lane, since, until, as_of, deadline_ms, quarantined
    )  # fmt: skip
    surface, text = surface_of(context), text_of(query, "query")
    if explain:
        _explain(surface, text, "search", options)
    else:
        _show(surface, lambda engine: engine.search(text, **options), block)


COMMANDS: dict[str, Callable[..., Any]] = {"recall": recall, "search": search}


def _options(
    scope: str | None, project: str | None, recipe: str | None, limit: int | None, budget: int | None,
    min_score: float | None, kinds: Sequence[str] | None, lanes: Sequence[str] | None, since: str | None,
    until: str | None, position: str | None, deadline_ms: float | None, quarantined: bool,
) -> dict[str, Any]:  # fmt: skip
    """The options as the engine takes them."""
    return given(
        scope=scope, project=project, recipe=recipe, limit=limit, budget=budget, min_score=min_score,
        kinds=list(kinds or ()), lanes=list(lanes or ()), since=time_of(since, "since"), until=time_of(until, "until"),
        as_of=moment_of(position), deadline_ms=deadline_ms, quarantined=quarantined or None,
    )  # fmt: skip


def _show(surface: Surface, find: Callable[[Cortex], Any], block: bool) -> None:
    with surface.engine() as engine:
        found = find(engine)
        if surface.json:
            from cortex.surfaces.wire.recall import RecallResponse

            output.show_response(RecallResponse.of(found))
        elif block:
            if found.block:
                output.plain(found.block)
        else:
            from cortex.surfaces.cli import rendering

            output.show(*rendering.result(found))
            warn(engine, found.receipt.degraded)


def _explain(surface: Surface, query: str, mode: str, options: dict[str, Any]) -> None:
    with surface.engine() as engine:
        found = engine.explain(query, mode=mode, **options)
        if surface.json:
            from cortex.surfaces.wire.recall import RecallResponse

            output.show_response(RecallResponse.of(found))
            return
        from cortex.surfaces.cli import rendering

        output.show(*rendering.explained(found))
        warn(engine, found.result.receipt.degraded)


_OF_A_SYNTHESIS = frozenset({"scope", "project", "recipe", "limit", "budget"})


def _synthesize(surface: Surface, query: str, options: dict[str, Any], **flags: bool) -> None:
    unused = sorted((options.keys() - _OF_A_SYNTHESIS) | {name for name, is_set in flags.items() if is_set})
    if unused:
        raise InvalidRequest(
            f"cannot be combined with {', '.join(unused)}", field="--synthesize", hint="leave out one of them"
        )
    with surface.engine() as engine:
        found = engine.synthesize(query, **options)
    if surface.json:
        from cortex.surfaces.wire.recall import SynthesisResponse

        output.show_response(SynthesisResponse.of(found))
        return
    from cortex.surfaces.cli import capture_rendering

    output.show(*capture_rendering.synthesized(found))
