"""What became of the files, and how their index stands, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from cortex.surfaces.cli import rendering
from cortex.surfaces.cli.output import one_line

if TYPE_CHECKING:
    from cortex.files import Indexed

_MOST_PROBLEMS = 10
_NOTHING = "No folder is followed yet; `cortex index ~/notes` begins with one."


def indexed(done: Indexed, has_sources: bool) -> Iterator[RenderableType]:
    """The counts of one look at the files, then what could not be read."""
    synced, heard = done.synced, done.transcripts
    if not has_sources and not synced.removed:
        yield Text(_NOTHING, style="dim")
        return
    counts = [
        f"{count:,} {word}"
        for word in ("added", "changed", "moved", "removed", "unchanged")
        if (count := getattr(synced, word))
    ]
    took = f"{done.receipt.latency_ms / 1000:.1f} s"
    made = f" (made anew: {synced.full.replace('_', ' ')})" if synced.full not in ("", "first_run") else ""
    yield Text(f"{synced.seen:,} files: {', '.join(counts) or 'none'}; {synced.chunks:,} new chunks in {took}{made}")
    if heard.transcripts:
        yield Text(f"{heard.transcripts:,} transcripts: {heard.turns:,} new turns")
    if summaries := done.receipt.facts.get("summaries"):
        yield Text(f"{summaries['summarised']:,} sections summarised")
        if summaries["again"]:
            yield Text(f"{summaries['again']:,} of an earlier run were asked for again")
        if summaries["given_up"]:
            yield rendering.notice(f"{summaries['given_up']:,} sections were given up; `--force` asks for them again")
        for why, count in summaries["problems"].items():
            yield rendering.notice(f"{count:,} sections have no summary: {why.replace('_', ' ')}")
    if synced.lacking:
        missing = f"{synced.lacking:,} chunks have no vector yet"
        yield rendering.notice(missing, "they are found by keywords; see `cortex doctor`")
    for path, why in done.problems[:_MOST_PROBLEMS]:
        yield rendering.notice(f"{path or 'the workspace'} {why}")
    if len(done.problems) > _MOST_PROBLEMS:
        yield rendering.notice(f"and {len(done.problems) - _MOST_PROBLEMS:,} more", "--json lists them all")


def status(told: Mapping[str, Any]) -> Iterator[RenderableType]:
    """The folders that are followed, then the state of the index (B21)."""
    sources = told.get("sources") or ()
    if not sources:
        yield Text(_NOTHING, style="dim")
    else:
        folders = rendering.table("cited as", "folder", "what", "lane", "scope", whole=("cited as", "what", "lane"))
        for source in sources:
            name = f"{source['name']}/" if source["name"] else "(its own paths)"
            what = source["shape"] + (f", {source['trust']}" if source["trust"] != "trusted" else "")
            shown = (name, source["root"], what, source["lane"], source["scope"])
            folders.add_row(*(Text(one_line(each)) for each in shown))
        yield folders
        yield Text()
    facts = rendering.table()
    facts.add_column(style="dim")
    facts.add_column()
    for name, value in _facts(told):
        facts.add_row(name, Text(one_line(value)))
    yield facts
    unreadable = told.get("unreadable") or ()
    for each in unreadable[:_MOST_PROBLEMS]:
        yield rendering.notice(f"{each['path']} {each['why']}")
    if len(unreadable) > _MOST_PROBLEMS:
        yield rendering.notice(f"and {len(unreadable) - _MOST_PROBLEMS:,} more", "--json lists them all")


def _facts(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    vector, fallback = told.get("vector", {}), told.get("fallback")
    instead = f" instead of {told['requested']}" if fallback and fallback["active"] else ""
    yield "backend", f"{told['backend']}{instead}"
    yield "files", f"{told.get('files', 0):,} in {told.get('chunks', 0):,} chunks"
    if vector.get("available"):
        lacking = f", {vector['lacking']:,} lacking" if vector["lacking"] else ""
        yield "vectors", f"{told['provider']}/{told['model']}, {vector['dims']} dimensions{lacking}"
    else:
        yield "vectors", "none: searches go by keywords alone"
    if earlier := vector.get("earlier"):
        serves = "which answers until it is made anew" if earlier["available"] else "which cannot be asked any more"
        yield "index of", f"{earlier['provider']}/{earlier['model']}, {serves}"
    yield "last look", str(told.get("last_sync") or "never")
    if told.get("reindexing"):
        yield "index", "being made anew; searches answer from the old one"
    if fallback and fallback["active"]:
        yield "fallback", f"{fallback['reason']} since {fallback['since']}"
