"""`eval` (E17), and the commands under `admin`: tokens, stats, resolve, unforget, verify, receipts (E12) and others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from cortex.errors import InvalidRequest
from cortex.ports.store import Finding
from cortex.surfaces.cli import foresight_commands, history_commands, output
from cortex.surfaces.cli.canary_commands import canary, golden
from cortex.surfaces.cli.context import surface_of
from cortex.surfaces.cli.governance_commands import grade, writeback
from cortex.surfaces.cli.inbox_commands import inbox, thresholds
from cortex.surfaces.cli.inputs import text_of
from cortex.surfaces.cli.maintenance_commands import jobs
from cortex.surfaces.cli.memory_commands import resolve, stats, unforget
from cortex.surfaces.cli.migrate_command import migrate
from cortex.surfaces.cli.retention_commands import hold, retention
from cortex.surfaces.cli.subject_commands import subject
from cortex.surfaces.cli.token_commands import tokens
from cortex.surfaces.cli.usage_commands import show_comparison, usage

DIFFERENT = 1
"""Exit code if a check found a difference."""


def verify(
    context: typer.Context,
    repair: Annotated[bool, typer.Option("--repair", help="Rebuild what can be rebuilt from the memories.")] = False,
) -> int:
    """Verify the database: recompute the ledger and all derived data, and compare."""
    surface = surface_of(context)
    with surface.engine() as engine:
        findings = engine.verify(repair=repair)
    left = [finding for finding in findings if not finding.repaired]
    last_resort = next((each.detail for each in left if each.code == "restore"), "")
    if surface.json:
        from cortex.surfaces.wire.upkeep import VerifyResponse

        output.show_response(VerifyResponse.of(findings))
    elif not findings:
        output.plain("no problems found")
    else:
        from cortex.surfaces.cli import rendering

        table = rendering.table("code", "finding", "state")
        for each in findings:
            table.add_row(each.code, output.one_line(each.detail), _state(each))
        output.show(table)
        if left and not repair:
            otherwise = f"; if that does not help, {last_resort}" if last_resort else ""
            output.show(rendering.notice("problems found", f"run `cortex admin verify --repair`{otherwise}"))
        elif left:
            why = "the rest is not derived data and cannot be rebuilt"
            output.show(rendering.notice(why, last_resort or "restore a backup"))
    return DIFFERENT if left else 0


def _state(finding: Finding) -> str:
    if finding.code == "quarantined":
        return "quarantined"
    return "repaired" if finding.repaired else "not repaired"


def optimize(context: typer.Context) -> None:
    """Compact the database indexes; feed the engine of `nearest.url`, if one is set."""
    surface = surface_of(context)
    with surface.engine() as engine:
        details = engine.optimize()
    if surface.json:
        output.show_json(details)
    else:
        from cortex.surfaces.cli import rendering

        output.plain(f"optimized; {rendering.size(details.get('bytes', 0))} on disk")
        if nearest := details.get("nearest"):
            output.plain(f"nearest: {nearest['url']} is {nearest['state']}")
            if nearest["why"]:
                output.show(rendering.notice(nearest["why"], nearest["fix"]))


def receipts(
    context: typer.Context,
    id: Annotated[str | None, typer.Argument(metavar="[ID]", help="Show this receipt in full.")] = None,
    op: Annotated[str | None, typer.Option(help="Only this operation, such as recall.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="The maximum number.")] = 20,
    compare: Annotated[
        str | None, typer.Option(metavar="ID", help="Compare the recall with this one, which came later.")
    ] = None,
) -> None:
    """Show what operations did: IDs, counts, reasons and milliseconds, never text."""
    surface = surface_of(context)
    if compare is not None and id is None:
        raise InvalidRequest("needs two receipts", field="compare", hint="give an ID before --compare")
    with surface.engine() as engine:
        if compare is not None and id is not None:
            show_comparison(surface, engine.compare_receipts(id, compare))
            return
        found = [engine.receipt(id)] if id is not None else engine.receipts(limit=limit, op=op)
    if surface.json:
        from cortex.surfaces.wire.ledger import ReceiptResponse, ReceiptsResponse

        more = found[-1].id if len(found) == limit else None
        several = ReceiptsResponse(receipts=tuple(found), next=more)
        output.show_response(several if id is None else ReceiptResponse.of(found[0]))
        return
    from cortex.surfaces.cli import rendering

    output.show(*(rendering.receipt(found[0]) if id is not None else [rendering.receipts(found)]))


def alerts(
    context: typer.Context,
    closed: Annotated[bool, typer.Option("--all", help="Also show alerts that are over.")] = False,
) -> None:
    """Show what needs attention, the most urgent first."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.alerts(closed=closed)
    if surface.json:
        from cortex.surfaces.wire.upkeep import AlertsResponse

        output.show_response(AlertsResponse(alerts=tuple(found)))
    elif found:
        from cortex.surfaces.cli import maintenance_rendering

        output.show(maintenance_rendering.alerts(found))
    else:
        output.plain("no alerts")


def replay(
    context: typer.Context,
    receipt: Annotated[str, typer.Argument(metavar="RECEIPT", help="The ID of a recall's receipt.")],
    query: Annotated[str | None, typer.Option(help="The query, if the receipt does not include it.")] = None,
) -> int:
    """Repeat a recall on the data as it was then, and compare the results."""
    surface = surface_of(context)
    with surface.engine() as engine:
        done = engine.replay(receipt, query=None if query is None else text_of(query, "query"))
    if surface.json:
        from cortex.surfaces.wire.ledger import ReplayResponse

        output.show_response(ReplayResponse.of(done))
    else:
        output.plain("same result" if done.same else "different result")
        for difference in done.differences:
            output.plain(f"  {output.one_line(difference)}")
    return 0 if done.same else DIFFERENT


def backfill(context: typer.Context) -> None:
    """Embed everything that has no vector of the current model: of all users, or of the one that --user names.

    Continues where it stopped.
    """
    surface = surface_of(context)
    with surface.engine() as engine, output.progress("embedding") as progress:
        receipt = engine.backfill(everyone=surface.user is None, progress=progress)
        # The embedder's own message says more than the code in the receipt.
        missed = [problem for problem in engine.status()["degraded"] if problem["what"] == "vectors"]
    if surface.json:
        output.show_json(receipt.to_json())
        return
    output.plain(f"embedded {receipt.facts['embedded']:,}")
    if receipt.degraded:
        from cortex.surfaces.cli import rendering

        output.show(*(rendering.notice(problem["why"], problem["fix"]) for problem in missed))


def users(context: typer.Context) -> None:
    """List the users of the agent, with the size of their memory and their jobs."""
    surface = surface_of(context)
    with surface.engine() as engine:
        found = engine.users()
    if surface.json:
        from cortex.surfaces.wire.ledger import UsersResponse

        output.show_response(UsersResponse.of(found))
        return
    from cortex.surfaces.cli import rendering

    table = rendering.table("user", "traces", "position", "changed", "jobs", right=["traces", "position"])
    for each in found:
        jobs = ", ".join(f"{number:,} {state}" for state, number in each.jobs.items() if number)
        changed = f"{each.changed_at:%Y-%m-%d %H:%M}" if each.changed_at else "-"
        table.add_row(output.one_line(each.user), f"{each.traces:,}", f"{each.position:,}", changed, jobs or "-")
    output.show(table)


def recipes(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Show all parameters of this recipe.")] = None,
) -> None:
    """List the ranking recipes, or show one."""
    from dataclasses import asdict

    from cortex.recall.recipes import DEFAULT, RECIPES, named

    surface = surface_of(context)
    found = [named(name)] if name is not None else list(RECIPES.values())
    items = [asdict(recipe) | {"fingerprint": recipe.fingerprint} for recipe in found]
    if surface.json:
        output.show_json({"default": DEFAULT, "recipes": _jsonable(items)})
        return
    from cortex.surfaces.cli import rendering

    if name is None:
        output.show(rendering.recipes(found, DEFAULT))
        return
    table = rendering.table("setting", "value")
    for key, value in _flat(_jsonable(items[0]), ""):
        table.add_row(key, str(value))
    output.show(table)


def evaluate(
    context: typer.Context,
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A set: records or Markdown files, and queries.")],
    recipe: Annotated[str | None, typer.Option(help="The ranking recipe; see `cortex admin recipes`.")] = None,
    embedder: Annotated[str | None, typer.Option(help="The embedding provider; `none` for keywords only.")] = None,
    k: Annotated[int, typer.Option("--k", min=1, max=1_000, help="The number of hits that count.")] = 10,
    budget: Annotated[int | None, typer.Option(min=1, help="The token budget of a block.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first queries, up to this number.")] = None,
    baselines: Annotated[bool, typer.Option(help="Also measure plain FTS5, vectors, and both fused.")] = True,
    noise: Annotated[Path | None, typer.Option(metavar="FILE", help="Unrelated records to store first.")] = None,
    noise_vectors: Annotated[bool, typer.Option("--noise-vectors", help="Embed those records too.")] = False,
    cache: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where to cache vectors between runs; home by default.")
    ] = None,
    per_query: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the result of every query to this file.")
    ] = None,
    blocks: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write twenty of the blocks to this file.")
    ] = None,
) -> None:
    """Measure the quality of recall on a set of records and queries."""
    from cortex.evaluation import runner

    surface = surface_of(context)
    if noise_vectors and noise is None:
        raise InvalidRequest("needs --noise", field="noise_vectors", hint="name the unrelated records as well")
    with output.progress("evaluation") as progress:
        report = runner.run(
            directory, recipe=recipe, embedder=embedder, k=k, budget=budget, baselines=baselines, limit=limit,
            home=surface.root, cache=cache, noise=noise, noise_vectors=noise_vectors, per_query=per_query,
            blocks_into=blocks, progress=progress,
        )  # fmt: skip
    if surface.json:
        output.show_json(report.to_json())
    else:
        from cortex.surfaces.cli import evaluation_rendering

        output.show(*evaluation_rendering.tables(report))


def _jsonable(value: Any) -> Any:
    from datetime import timedelta

    if isinstance(value, dict):
        return {str(key): _jsonable(each) for key, each in value.items()}
    if isinstance(value, frozenset | set):
        return sorted(str(each) for each in value)
    if isinstance(value, list | tuple):
        return [_jsonable(each) for each in value]
    return value.total_seconds() if isinstance(value, timedelta) else value


def _flat(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _flat(each, f"{path}.{key}" if path else key)
    else:
        yield path, value


_TAGS, _FORESIGHT = history_commands.COMMANDS, foresight_commands.COMMANDS

SECTIONS: dict[str, dict[str, Callable[..., Any] | typer.Typer]] = {
    "Review": {
        "inbox": inbox,
        "resolve": resolve,
        "unforget": unforget,
        "thresholds": thresholds,
        "grade": grade,
        "writeback": writeback,
    },
    "Observe": {
        "alerts": alerts,
        "digest": _FORESIGHT["digest"],
        "usage": usage,
        "stats": stats,
        "receipts": receipts,
        "replay": replay,
        "gaps": _FORESIGHT["gaps"],
        "drift": _TAGS["drift"],
    },
    "Try other settings": {
        "recipes": recipes,
        "rehearse": _FORESIGHT["rehearse"],
        "golden": golden,
        "canary": canary,
    },
    "Tags and rollback": {name: _TAGS[name] for name in ("tag", "tags", "diff", "rollback")},
    "Retention and persons": {"retention": retention, "hold": hold, "subject": subject},
    "Operate": {
        "tokens": tokens,
        "users": users,
        "jobs": jobs,
        "backfill": backfill,
        "optimize": optimize,
        "verify": verify,
        "migrate": migrate,
    },
}
"""The commands of `admin` under their headings in the help, in order."""

admin = typer.Typer(
    help="The inbox, tokens, users, jobs, usage, alerts, grades, tags, drift, rehearsals, canaries, checks and more.",
    no_args_is_help=True,
)
for _section, _commands in SECTIONS.items():
    for _name, _command in _commands.items():
        if isinstance(_command, typer.Typer):
            admin.add_typer(_command, name=_name, rich_help_panel=_section)
        else:
            admin.command(_name, rich_help_panel=_section)(_command)

COMMANDS: dict[str, Callable[..., Any] | typer.Typer] = {"eval": evaluate, "admin": admin}
