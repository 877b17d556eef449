"""Verbs of daily use (X1, E2): remember, recall, search, explain (E9), forget (L5), restore, list, show, stats."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.domain.kinds import Kind
from cortex.errors import InvalidRequest, NotFound
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of
from cortex.surfaces.cli.reading import duration_of, filter_of, given, moment_of, text_of, time_of

if TYPE_CHECKING:
    from cortex.domain.hits import RecallResult
    from cortex.domain.memory import Contradiction
    from cortex.domain.trace import Trace
    from cortex.memory import Cortex
    from cortex.services.edit import Forgotten, Remembered

UNCLEAR = 1
"""Exit code where a query meant several memories and nothing was done."""

KINDS = ", ".join(Kind)
LANES = "memories, notes, docs, sessions"
STATES = "active, superseded, forgotten, expired"
LABELS = "must_remember, nice_to_have, unknown, ignore"
TRUSTS = "trusted, untrusted, quarantined"

Text = Annotated[str, typer.Argument(metavar="TEXT", help="What to remember; `-` reads it from stdin.")]
Asked = Annotated[str, typer.Argument(metavar="QUERY", help="What to look for; `-` reads it from stdin.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="The id of a memory, turn or chunk.")]
Scope = Annotated[str | None, typer.Option(help="Only this scope.")]
Project = Annotated[
    str | None, typer.Option(metavar="SCOPE", help="The project at hand: its own memories come first, others stay.")
]
Scopes = Annotated[list[str] | None, typer.Option("--scope", help="Only this scope; may be given again.")]
Kinds = Annotated[list[str] | None, typer.Option("--kind", help=f"Only this kind; may be given again. {KINDS}")]
Lanes = Annotated[list[str] | None, typer.Option("--lane", help=f"Only this lane; may be given again. {LANES}")]
States = Annotated[list[str] | None, typer.Option("--state", help=f"Only this state; may be given again. {STATES}")]
Trusts = Annotated[list[str] | None, typer.Option("--trust", help=f"Only this trust tier. {TRUSTS}")]
Labels = Annotated[list[str] | None, typer.Option("--label", help=f"Only this importance. {LABELS}")]
Sessions = Annotated[list[str] | None, typer.Option("--session", help="Only turns of this session.")]
Since = Annotated[str | None, typer.Option(metavar="TIME", help="Only what is from then on (ISO 8601).")]
Until = Annotated[str | None, typer.Option(metavar="TIME", help="Only what is from before then (ISO 8601).")]
Recipe = Annotated[str | None, typer.Option(help="How to rank; see `cortex recipes`.")]
Limit = Annotated[int | None, typer.Option(help="How many hits at most.")]
Budget = Annotated[int | None, typer.Option(help="How many tokens the block may have.")]
MinScore = Annotated[float | None, typer.Option(help="Leave out hits below this score, 0 to 1.")]
AsOf = Annotated[
    str | None, typer.Option(metavar="TIME|POSITION", help="Ask what was known then: a time, or a ledger position.")
]
DeadlineMs = Annotated[float | None, typer.Option(help="Leave out what takes longer, in milliseconds.")]
Quarantined = Annotated[bool, typer.Option("--quarantined", help="Show quarantined memories too.")]
Explain = Annotated[bool, typer.Option("--explain", help="Show how each score came about.")]
Block = Annotated[bool, typer.Option("--block", help="Print just the block to inject.")]


def remember(
    context: typer.Context,
    text: Text,
    kind: Annotated[str | None, typer.Option(help=f"What sort of statement: {KINDS}.")] = None,
    scope: Annotated[str | None, typer.Option(help="The namespace it lives in.")] = None,
    topic: Annotated[str | None, typer.Option(help="A free label.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag; may be given again.")] = None,
    importance: Annotated[float | None, typer.Option(help="0 to 1.")] = None,
    label: Annotated[str | None, typer.Option(help=f"Graded importance: {LABELS}.")] = None,
    confidence: Annotated[float | None, typer.Option(help="0 to 1.")] = None,
    retention: Annotated[str | None, typer.Option(help="permanent, project, session or ttl.")] = None,
    ttl: Annotated[str | None, typer.Option(metavar="SPAN", help="How long it lives, such as 720h or 30d.")] = None,
    trust: Annotated[str | None, typer.Option(help=f"{TRUSTS}; never above what the source allows.")] = None,
    source_kind: Annotated[str | None, typer.Option(help="operator, user, assistant, system, tool, web.")] = None,
    source_ref: Annotated[str | None, typer.Option(help="Where it comes from: a link, a file, a ticket.")] = None,
    subject: Annotated[str | None, typer.Option(help="Whom or what it is about.")] = None,
    attribute: Annotated[str | None, typer.Option(help="Which property of the subject it states.")] = None,
    supersedes: Annotated[str | None, typer.Option(metavar="ID", help="The memory it replaces.")] = None,
    valid_from: Annotated[str | None, typer.Option(metavar="TIME", help="Since when it holds.")] = None,
    valid_to: Annotated[str | None, typer.Option(metavar="TIME", help="Until when it holds.")] = None,
    lang: Annotated[str | None, typer.Option(help="Its language.")] = None,
    embed: Annotated[bool, typer.Option(help="Embed it now, or leave that to `cortex backfill`.")] = True,
    as_new: Annotated[bool, typer.Option("--as-new", help="Store it as it is, whatever is known already.")] = False,
) -> None:
    """Remember a statement. What is known already is not stored twice; a changed value replaces the old one."""
    surface = surface_of(context)
    span = duration_of(ttl, "ttl")
    with surface.engine() as engine:
        kept = engine.remember(
            text_of(text, "text"),
            embed=embed,
            as_new=as_new,
            **given(
                kind=kind, scope=scope, topic=topic, tags=tuple(tag or ()) or None, importance=importance, label=label,
                confidence=confidence, retention=retention or ("ttl" if span else None), ttl=span, trust=trust,
                source_kind=source_kind, source_ref=source_ref, subject=subject, attribute=attribute,
                supersedes=supersedes, valid_from=time_of(valid_from, "valid_from"),
                valid_to=time_of(valid_to, "valid_to"), lang=lang,
            ),
        )  # fmt: skip
        if surface.json:
            from cortex.surfaces.wire.memories import RememberResponse

            output.show_response(RememberResponse.of(kept))
            return
        output.plain(kept.memory.id)
        _tell_verdict(kept)
        _warn(engine, kept.receipt.degraded)


def edit(
    context: typer.Context,
    id: Id,
    text: Annotated[str | None, typer.Option(help="What it says from now on; `-` reads it from stdin.")] = None,
    kind: Annotated[str | None, typer.Option(help=f"What sort of statement: {KINDS}.")] = None,
    scope: Annotated[str | None, typer.Option(help="The namespace it lives in.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag in place of those it has; may be given again.")] = None,
    importance: Annotated[float | None, typer.Option(help="0 to 1.")] = None,
    retention: Annotated[str | None, typer.Option(help="permanent, project or session.")] = None,
    expires: Annotated[str | None, typer.Option(metavar="TIME", help="When it is over (ISO 8601).")] = None,
    if_revision: Annotated[
        str | None, typer.Option(metavar="REVISION", help="Edit only what `show --json` gave as its revision.")
    ] = None,
) -> None:
    """Change what a memory says. What is not given stays, and earlier versions are kept."""
    surface = surface_of(context)
    changes = given(
        text=None if text is None else text_of(text, "text"), kind=kind, scope=scope, tags=tuple(tag or ()) or None,
        importance=importance, retention=retention, expires_at=time_of(expires, "expires"),
    )  # fmt: skip
    with surface.engine() as engine:
        done = engine.edit(id, if_revision=if_revision, **changes)
        if surface.json:
            from cortex.surfaces.wire.memories import EditResponse

            output.show_response(EditResponse.of(done))
            return
        output.plain(f"edited: {done.memory.id}" if done.receipt.facts["edited"] else "it says that already")
        _warn(engine, done.receipt.degraded)


def recall(
    context: typer.Context,
    query: Asked,
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
    """Recall what helps with a message: few lines, or nothing where nothing is relevant."""
    options = _options(
        scope, project, recipe, limit, budget, min_score, kind, lane, since, until, as_of, deadline_ms, quarantined
    )  # fmt: skip
    _answer(context, query, lambda engine, text: engine.recall(text, **options), explain=explain, block=block)


def search(
    context: typer.Context,
    query: Asked,
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
    """Search for what there is on a topic, untrusted and superseded memories included."""
    options = _options(
        scope, project, recipe, limit, budget, min_score, kind, lane, since, until, as_of, deadline_ms, quarantined
    )  # fmt: skip
    _answer(context, query, lambda engine, text: engine.search(text, **options), explain=explain, block=block)


def explain(
    context: typer.Context,
    query: Asked,
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
    mode: Annotated[str, typer.Option(help="auto, as `recall` asks, or search.")] = "auto",
) -> None:
    """Show every candidate of a recall, the parts of its score, and why it was shown or not."""
    surface = surface_of(context)
    options = _options(
        scope, project, recipe, limit, budget, min_score, kind, lane, since, until, as_of, deadline_ms, quarantined
    )  # fmt: skip
    with surface.engine() as engine:
        found = engine.explain(text_of(query, "query"), mode=mode, **options)
        if surface.json:
            from cortex.surfaces.wire.recall import RecallResponse

            output.show_response(RecallResponse.of(found))
            return
        from cortex.surfaces.cli import rendering

        output.show(*rendering.explained(found))
        _warn(engine, found.result.receipt.degraded)


def forget(
    context: typer.Context,
    id: Annotated[str | None, typer.Argument(metavar="ID", help="The id of a memory, turn or chunk.")] = None,
    query: Annotated[str | None, typer.Option(help="Forget the one memory that this means.")] = None,
    scope: Annotated[str | None, typer.Option(help="With --query: only in this scope.")] = None,
) -> int:
    """Forget a memory, and any that makes the same statement. `restore` undoes this; history keeps it."""
    surface = surface_of(context)
    if (id is None) == (query is None):
        raise InvalidRequest("give either an id or --query", field="id", hint="see `cortex forget --help`")
    with surface.engine() as engine:
        done = engine.forget(id) if id is not None else engine.forget_matching(query or "", scope=scope)
        if query is not None and not done.ids and not done.candidates:
            raise NotFound("nothing like that is remembered", hint="see `cortex list`")
        if surface.json:
            _show_forgotten(done)
        elif done.candidates:
            from cortex.surfaces.cli import rendering

            told = rendering.notice("the query may mean any of these, so nothing was forgotten", "forget one by its id")
            output.show(told, rendering.traces(done.candidates))
        else:
            _tell_forgotten(done)
    return UNCLEAR if done.candidates else 0


def _show_forgotten(done: Forgotten) -> None:
    from cortex.surfaces.wire.memories import ForgetResponse

    output.show_response(ForgetResponse.of(done))


def _tell_forgotten(done: Forgotten) -> None:
    if not done.ids:
        output.plain("it was forgotten already")
        return
    output.plain(f"forgotten: {done.ids[0]}")
    for twin in done.ids[1:]:
        output.plain(f"forgotten, as it says the same: {twin}")
    for turn in done.receipt.facts.get("turns", ()):
        output.plain(f"still there as what was said: {turn}")


def restore(context: typer.Context, id: Id) -> None:
    """Undo `forget`, or that a memory was superseded."""
    surface = surface_of(context)
    with surface.engine() as engine:
        done = engine.restore(id)
        if surface.json:
            _show_forgotten(done)
        else:
            _tell_restored(done, engine.get(id))


def _tell_restored(done: Forgotten, trace: Trace) -> None:
    if done.ids:
        output.plain(f"restored: {done.ids[0]}")
    else:
        replaced = getattr(trace, "supersedes", None)  # a turn replaces nothing
        fix = f"; `cortex restore {replaced}` brings back what it replaced" if replaced else ""
        output.plain(f"nothing to restore: it is {trace.state.value}{fix}")
    for twin in done.receipt.facts.get("twins", ()):
        output.plain(f"still forgotten, and says the same: {twin}")


def resolve(
    context: typer.Context,
    id: Annotated[str | None, typer.Argument(metavar="[ID]", help="The memory that is true.")] = None,
    over: Annotated[str | None, typer.Option(metavar="ID", help="Settle only what it has with this one.")] = None,
    both: Annotated[bool, typer.Option("--both", help="Both sides are true: flag them no longer.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="How many to show at most.")] = 50,
) -> None:
    """Show memories that contradict each other, or say which of them is true: it replaces the other side.

    `restore` of what was replaced takes that back.
    """
    surface = surface_of(context)
    with surface.engine() as engine:
        if id is None:
            _show_contradictions(engine.contradictions(limit=limit), surface.json)
            return
        done = engine.resolve(id, over=over, both=both)
    if surface.json:
        _show_forgotten(done)
    elif both:
        output.plain("both sides hold")
    else:
        output.plain("\n".join(f"replaced: {other}" for other in done.ids))


def _show_contradictions(found: Sequence[Contradiction], as_json: bool) -> None:
    if as_json:
        from cortex.surfaces.wire.memories import ContradictionsResponse

        output.show_response(ContradictionsResponse.of(found))
    elif not found:
        output.plain("nothing contradicts anything")
    else:
        from cortex.surfaces.cli import rendering

        output.show(*rendering.contradictions(found))


def list_(
    context: typer.Context,
    scope: Scopes = None,
    kind: Kinds = None,
    lane: Lanes = None,
    state: States = None,
    trust: Trusts = None,
    label: Labels = None,
    session: Sessions = None,
    since: Since = None,
    until: Until = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many at most.")] = 50,
    after: Annotated[str | None, typer.Option(metavar="ID", help="Go on after this one.")] = None,
) -> None:
    """List memories, turns and chunks, oldest first."""
    surface = surface_of(context)
    which = filter_of(
        scope=scope, kind=kind, lane=lane, state=state, trust=trust, label=label, session=session, since=since,
        until=until,
    )  # fmt: skip
    with surface.engine() as engine:
        found = engine.list(which, after=after, limit=limit)
        more = found[-1].id if len(found) == limit else None
        if surface.json:
            from cortex.surfaces.wire.memories import ListResponse

            output.show_response(ListResponse(memories=tuple(found), next=more))
        elif not found:
            output.plain("nothing is remembered that fits")
        else:
            from cortex.surfaces.cli import rendering

            output.show(rendering.traces(found))
            if more:
                output.plain(f"there may be more: --after {more}")


def show(context: typer.Context, id: Id) -> None:
    """Show one memory, turn or chunk, with its versions and the turns it came from."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.show(id)
        if surface.json:
            from cortex.surfaces.wire.memories import ShowResponse

            output.show_response(ShowResponse.of(found))
        else:
            from cortex.surfaces.cli import rendering

            output.show(*rendering.trace(found))


def stats(context: typer.Context, scope: Scopes = None, lane: Lanes = None) -> None:
    """Count what is remembered, by lane, scope, kind, importance, trust and state."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.stats(filter_of(scope=scope, lane=lane, any_state=True))
        if surface.json:
            from cortex.surfaces.wire.ledger import StatsResponse

            output.show_response(StatsResponse.of(found))
        else:
            from cortex.surfaces.cli import rendering

            output.show(*rendering.counts(found))


COMMANDS: dict[str, Callable[..., Any]] = {
    "remember": remember,
    "edit": edit,
    "recall": recall,
    "search": search,
    "explain": explain,
    "forget": forget,
    "resolve": resolve,
    "list": list_,
    "show": show,
    "stats": stats,
}


def _options(
    scope: str | None, project: str | None, recipe: str | None, limit: int | None, budget: int | None,
    min_score: float | None, kinds: Sequence[str] | None, lanes: Sequence[str] | None, since: str | None,
    until: str | None, position: str | None, deadline_ms: float | None, quarantined: bool,
) -> dict[str, Any]:  # fmt: skip
    """The options of a recall as the engine takes them."""
    return given(
        scope=scope, project=project, recipe=recipe, limit=limit, budget=budget, min_score=min_score,
        kinds=list(kinds or ()), lanes=list(lanes or ()), since=time_of(since, "since"), until=time_of(until, "until"),
        as_of=moment_of(position), deadline_ms=deadline_ms, quarantined=quarantined or None,
    )  # fmt: skip


def _answer(
    context: typer.Context,
    query: str,
    ask: Callable[[Cortex, str], RecallResult],
    *,
    explain: bool,
    block: bool,
) -> None:
    surface = surface_of(context)
    with surface.engine() as engine:
        found = ask(engine, text_of(query, "query"))
        if surface.json:
            from cortex.surfaces.wire.recall import RecallResponse

            output.show_response(RecallResponse.of(found))
        elif block:
            if found.block:
                output.plain(found.block)
        else:
            from cortex.surfaces.cli import rendering

            output.show(*rendering.result(found, explain=explain))
            _warn(engine, found.receipt.degraded)


def _tell_verdict(kept: Remembered) -> None:
    """Say what became of a statement that was not simply new."""
    from cortex.surfaces.cli import rendering

    others = ", ".join(kept.others)
    if kept.verdict in ("reinforces", "duplicate"):
        output.show(rendering.notice("it was remembered already", "store it again with --as-new"), stream=sys.stderr)
    elif kept.verdict == "supersedes":
        undo = " and ".join(f"`cortex restore {other}`" for other in kept.others)
        output.show(rendering.notice(f"it replaces {others}", f"undo with {undo}"), stream=sys.stderr)
    elif kept.verdict == "retracts":
        output.show(rendering.notice(f"it takes back {others}"), stream=sys.stderr)
    elif kept.verdict == "contradicts":
        fix = "keep the one that is true with `cortex resolve ID`, or both with --both"
        output.show(rendering.notice(f"it contradicts {others}", fix), stream=sys.stderr)


def _warn(engine: Cortex, degraded: Sequence[str]) -> None:
    """Say what could not be done as it should, and how to mend it."""
    if not degraded:
        return
    from cortex.surfaces.cli import rendering

    troubles = engine.status()["degraded"]
    told = [rendering.notice(f"{trouble['what']}: {trouble['why']}", trouble["fix"]) for trouble in troubles]
    output.show(*(told or [rendering.notice(f"degraded: {', '.join(degraded)}", "run `cortex doctor`")]))
