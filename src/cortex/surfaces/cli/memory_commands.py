"""The commands for single memories (X1, E2): remember, list, get, edit, forget, unforget, resolve, stats."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cortex.errors import InvalidRequest, NotFound
from cortex.kinds import Kind
from cortex.surfaces.cli import output
from cortex.surfaces.cli.context import surface_of
from cortex.surfaces.cli.inputs import duration_of, filter_of, given, moment_of, text_of, time_of

if TYPE_CHECKING:
    from cortex.domain.memory import Contradiction
    from cortex.domain.trace import Trace
    from cortex.memory import Cortex
    from cortex.services.edit import Forgotten, Remembered

AMBIGUOUS = 1
"""Exit code of `forget --query` if several memories match and none was forgotten."""

KINDS = ", ".join(Kind)
LANES = "memories, notes, docs, sessions, outcomes"
STATES = "active, superseded, forgotten, expired"
LABELS = "must_remember, nice_to_have, unknown, ignore"
TRUSTS = "trusted, untrusted, quarantined"

Text = Annotated[str, typer.Argument(metavar="TEXT", help="What to remember; `-` reads it from stdin.")]
Id = Annotated[str, typer.Argument(metavar="ID", help="The ID of a memory, turn or chunk.")]
Scopes = Annotated[list[str] | None, typer.Option("--scope", help="Only this scope; repeatable.")]
Kinds = Annotated[list[str] | None, typer.Option("--kind", help=f"Only this kind; repeatable. {KINDS}")]
Lanes = Annotated[list[str] | None, typer.Option("--lane", help=f"Only this lane; repeatable. {LANES}")]
States = Annotated[list[str] | None, typer.Option("--state", help=f"Only this state; repeatable. {STATES}")]
Trusts = Annotated[list[str] | None, typer.Option("--trust", help=f"Only this trust tier. {TRUSTS}")]
Labels = Annotated[list[str] | None, typer.Option("--label", help=f"Only this importance. {LABELS}")]
Sessions = Annotated[list[str] | None, typer.Option("--session", help="Only turns of this session.")]
Since = Annotated[str | None, typer.Option(metavar="TIME", help="Only from this time on (ISO 8601).")]
Until = Annotated[str | None, typer.Option(metavar="TIME", help="Only before this time (ISO 8601).")]

AsOf = Annotated[
    str | None,
    typer.Option(metavar="TIME|POSITION|TAG", help="Read an earlier state: a time, a ledger position or a tag."),
]


def remember(
    context: typer.Context,
    text: Text,
    kind: Annotated[str | None, typer.Option(help=f"The kind of memory: {KINDS}.")] = None,
    scope: Annotated[str | None, typer.Option(help="The scope to store it in.")] = None,
    topic: Annotated[str | None, typer.Option(help="A topic of your choice.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag; repeatable.")] = None,
    importance: Annotated[float | None, typer.Option(help="Its importance, 0 to 1.")] = None,
    label: Annotated[str | None, typer.Option(help=f"Its importance in words: {LABELS}.")] = None,
    confidence: Annotated[float | None, typer.Option(help="How certain it is, 0 to 1.")] = None,
    retention: Annotated[
        str | None, typer.Option(help="How long to keep it: permanent, project, session or ttl.")
    ] = None,
    ttl: Annotated[
        str | None, typer.Option(metavar="SPAN", help="Expire after this time, such as 720h or 30d.")
    ] = None,
    trust: Annotated[
        str | None, typer.Option(help=f"The trust tier: {TRUSTS}; never above what the source allows.")
    ] = None,
    source_kind: Annotated[
        str | None, typer.Option(help="Who says it: operator, user, assistant, system, tool, web.")
    ] = None,
    source_ref: Annotated[str | None, typer.Option(help="The source: a link, a file, a ticket.")] = None,
    subject: Annotated[str | None, typer.Option(help="Who or what it is about.")] = None,
    attribute: Annotated[str | None, typer.Option(help="The property of the subject that it states.")] = None,
    supersedes: Annotated[str | None, typer.Option(metavar="ID", help="The memory it replaces.")] = None,
    valid_from: Annotated[str | None, typer.Option(metavar="TIME", help="True from this time on.")] = None,
    valid_to: Annotated[str | None, typer.Option(metavar="TIME", help="True until this time.")] = None,
    lang: Annotated[str | None, typer.Option(help="Its language, such as en.")] = None,
    embed: Annotated[bool, typer.Option(help="Embed it now, or later by `cortex admin backfill`.")] = True,
    as_new: Annotated[bool, typer.Option("--as-new", help="Store it even if it is known already.")] = False,
) -> None:
    """Remember a statement. Duplicates are not stored twice; a changed value replaces the old one or is flagged."""
    surface = surface_of(context)
    span = duration_of(ttl, "ttl")
    with surface.engine() as engine:
        stored = engine.remember(
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

            output.show_response(RememberResponse.of(stored))
            return
        output.plain(stored.memory.id)
        _show_verdict(stored)
        warn(engine, stored.receipt.degraded)


def edit(
    context: typer.Context,
    id: Id,
    text: Annotated[str | None, typer.Option(help="The new text; `-` reads it from stdin.")] = None,
    kind: Annotated[str | None, typer.Option(help=f"The kind of memory: {KINDS}.")] = None,
    scope: Annotated[str | None, typer.Option(help="The scope to store it in.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="A tag that replaces the current tags; repeatable.")] = None,
    importance: Annotated[float | None, typer.Option(help="Its importance, 0 to 1.")] = None,
    label: Annotated[str | None, typer.Option(help="Its importance label, such as must_remember.")] = None,
    retention: Annotated[str | None, typer.Option(help="How long to keep it: permanent, project or session.")] = None,
    expires: Annotated[str | None, typer.Option(metavar="TIME", help="The time it expires (ISO 8601).")] = None,
    if_revision: Annotated[
        str | None, typer.Option(metavar="REVISION", help="Edit only if `get --json` still shows this revision.")
    ] = None,
) -> None:
    """Change a memory. Only what you give changes; earlier versions are kept."""
    surface = surface_of(context)
    changes = given(
        text=None if text is None else text_of(text, "text"), kind=kind, scope=scope, tags=tuple(tag or ()) or None,
        importance=importance, label=label, retention=retention, expires_at=time_of(expires, "expires"),
    )  # fmt: skip
    if not changes:
        raise InvalidRequest(
            "has nothing to change", field="edit", hint="give --text, --kind, --scope or another option"
        )
    with surface.engine() as engine:
        done = engine.edit(id, if_revision=if_revision, **changes)
        if surface.json:
            from cortex.surfaces.wire.memories import EditResponse

            output.show_response(EditResponse.of(done))
            return
        output.plain(f"edited: {done.memory.id}" if done.receipt.facts["edited"] else "nothing to change")
        warn(engine, done.receipt.degraded)


def forget(
    context: typer.Context,
    id: Annotated[str | None, typer.Argument(metavar="ID", help="The ID of a memory, turn or chunk.")] = None,
    query: Annotated[str | None, typer.Option(help="Forget the one memory that matches this text.")] = None,
    scope: Annotated[str | None, typer.Option(help="With --query: only in this scope.")] = None,
) -> int:
    """Forget a memory and its duplicates. `admin unforget` undoes this; `erase` deletes for good."""
    surface = surface_of(context)
    if (id is None) == (query is None):
        raise InvalidRequest("give either an ID or --query", field="id", hint="see `cortex forget --help`")
    with surface.engine() as engine:
        done = engine.forget(id) if id is not None else engine.forget_matching(query or "", scope=scope)
        if query is not None and not done.ids and not done.candidates:
            raise NotFound("no memory matches this query", hint="see `cortex list`")
        if surface.json:
            _show_forgotten(done)
        elif done.candidates:
            from cortex.surfaces.cli import rendering

            notice = rendering.notice("several memories match, so nothing was forgotten", "forget one by its ID")
            output.show(notice, rendering.traces(done.candidates))
        else:
            _report_forgotten(done)
    return AMBIGUOUS if done.candidates else 0


def _show_forgotten(done: Forgotten) -> None:
    from cortex.surfaces.wire.memories import ForgetResponse

    output.show_response(ForgetResponse.of(done))


def _report_forgotten(done: Forgotten) -> None:
    if not done.ids:
        output.plain("already forgotten")
        return
    output.plain(f"forgotten: {done.ids[0]}")
    for twin in done.ids[1:]:
        output.plain(f"forgotten (duplicate): {twin}")
    for turn in done.receipt.facts.get("turns", ()):
        output.plain(f"the turn it came from is kept: {turn}")


def unforget(context: typer.Context, id: Id) -> None:
    """Bring back a memory that was forgotten or replaced."""
    surface = surface_of(context)
    with surface.engine() as engine:
        done = engine.restore(id)
        if surface.json:
            _show_forgotten(done)
        else:
            _report_unforgotten(done, engine.get(id))


def _report_unforgotten(done: Forgotten, trace: Trace) -> None:
    if done.ids:
        output.plain(f"active again: {done.ids[0]}")
    else:
        replaced = getattr(trace, "supersedes", None)  # a turn replaces nothing
        fix = f"; `cortex admin unforget {replaced}` brings back what it replaced" if replaced else ""
        output.plain(f"nothing to bring back: it is {trace.state.value}{fix}")
    for twin in done.receipt.facts.get("twins", ()):
        output.plain(f"still forgotten (duplicate): {twin}")


def resolve(
    context: typer.Context,
    id: Annotated[str | None, typer.Argument(metavar="[ID]", help="The memory that is true.")] = None,
    over: Annotated[
        str | None, typer.Option(metavar="ID", help="Resolve only the contradiction with this memory.")
    ] = None,
    both: Annotated[bool, typer.Option("--both", help="Both are true: keep both.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1_000, help="The maximum number to show.")] = 50,
) -> None:
    """List memories that contradict each other, or mark one as true so that it replaces the other.

    `cortex admin unforget` of the replaced memory undoes this.
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
        output.plain("both are kept")
    else:
        output.plain("\n".join(f"replaced: {other}" for other in done.ids))


def _show_contradictions(found: Sequence[Contradiction], as_json: bool) -> None:
    if as_json:
        from cortex.surfaces.wire.memories import ContradictionsResponse

        output.show_response(ContradictionsResponse.of(found))
    elif not found:
        output.plain("no contradictions")
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
    contains: Annotated[
        str | None, typer.Option(metavar="WORDS", help="Only texts with these words, in capitals or not.")
    ] = None,
    topic: Annotated[list[str] | None, typer.Option(help="Only memories of this topic.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only memories with this tag.")] = None,
    sort: Annotated[
        str | None,
        typer.Option(
            metavar="ORDER",
            help="stored, created, changed, used, uses, importance, confidence, kind, scope, label, trust or state; "
            "with a minus to reverse it: -created",
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="The maximum number.")] = 50,
    after: Annotated[str | None, typer.Option(metavar="NEXT", help="Continue where the last page ended.")] = None,
    as_of: AsOf = None,
) -> None:
    """List memories, turns and chunks, oldest first or in another order."""
    surface = surface_of(context)
    which = filter_of(
        scope=scope, kind=kind, lane=lane, state=state, trust=trust, label=label, session=session, since=since,
        until=until, contains=contains, topic=topic, tag=tag,
    )  # fmt: skip
    with surface.engine() as engine:
        found = engine.list(which, after=after, limit=limit, sort=sort, as_of=moment_of(as_of))
        if surface.json:
            from cortex.surfaces.wire.memories import ListResponse

            output.show_response(ListResponse.of(found))
        elif not found:
            output.plain("no memories match")
        else:
            from cortex.surfaces.cli import rendering

            output.show(rendering.traces(found))
            if found.next:
                output.plain(f"more: --after '{found.next}'" if sort else f"more: --after {found.next}")


def get(
    context: typer.Context,
    what: Annotated[
        str,
        typer.Argument(metavar="ID|PATH", help="The ID of a memory, turn or chunk, or the path of an indexed file."),
    ],
    start: Annotated[
        int | None, typer.Option("--from", min=1, metavar="LINE", help="Of a file: the first line.")
    ] = None,
    lines: Annotated[int | None, typer.Option(min=1, help="Of a file: the number of lines.")] = None,
    as_of: AsOf = None,
) -> None:
    """Show a memory, turn or chunk with its versions and sources, or print lines of an indexed file."""
    surface = surface_of(context)
    if _is_path(what):
        if as_of is not None:
            raise InvalidRequest("is not for files", field="--as-of", hint="files have no history here: leave it out")
        from cortex.surfaces.cli.index_command import print_lines

        print_lines(surface, what, start, lines)
        return
    if start or lines:
        raise InvalidRequest("is only for files", field="--from" if start else "--lines", hint="give a path")
    with surface.engine() as engine:
        found = engine.show(what, as_of=moment_of(as_of))
        if surface.json:
            from cortex.surfaces.wire.memories import ShowResponse

            output.show_response(ShowResponse.of(found))
        else:
            from cortex.surfaces.cli import rendering

            output.show(*rendering.trace(found))


def _is_path(text: str) -> bool:
    """Whether this is the path of a file; IDs have neither slashes nor dots."""
    return "/" in text or "." in text


def stats(context: typer.Context, scope: Scopes = None, lane: Lanes = None) -> None:
    """Count memories, turns and chunks by lane, scope, kind, importance, trust and state."""
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
    "list": list_,
    "get": get,
    "edit": edit,
    "forget": forget,
}


def _show_verdict(stored: Remembered) -> None:
    """Report a statement that was not simply new."""
    from cortex.surfaces.cli import rendering

    others = ", ".join(stored.others)
    if stored.verdict in ("reinforces", "duplicate"):
        output.show(rendering.notice("this is remembered already", "store it again with --as-new"), stream=sys.stderr)
    elif stored.verdict == "supersedes":
        undo = " and ".join(f"`cortex admin unforget {other}`" for other in stored.others)
        output.show(rendering.notice(f"it replaces {others}", f"undo with {undo}"), stream=sys.stderr)
    elif stored.verdict == "retracts":
        output.show(rendering.notice(f"it retracts {others}"), stream=sys.stderr)
    elif stored.verdict == "contradicts":
        fix = "keep the true one with `cortex admin resolve ID`, or both with --both"
        output.show(rendering.notice(f"it contradicts {others}", fix), stream=sys.stderr)


def warn(engine: Cortex, degraded: Sequence[str]) -> None:
    """Report what did not work, and how to fix it."""
    if not degraded:
        return
    from cortex.services.files.freshness import STALE
    from cortex.surfaces.cli import rendering

    problems = engine.status()["degraded"]
    items = [rendering.notice(f"{problem['what']}: {problem['why']}", problem["fix"]) for problem in problems]
    if STALE in degraded:
        items.append(
            rendering.notice("the files were not checked for changes in time", "ask again, or run `cortex index`")
        )
    output.show(*(items or [rendering.notice(f"degraded: {', '.join(degraded)}", "run `cortex doctor`")]))
