"""What became of the files, and how their index stands, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from cortex.surfaces.cli import rendering
from cortex.surfaces.cli.output import one_line

if TYPE_CHECKING:
    from cortex.services.files.files import Indexed

_MOST_PROBLEMS = 10
_NOTHING = "No folder is followed yet; `cortex index ~/notes` begins with one."


_NO_SUMMARY = {
    "unavailable": "the language model gave no answer",
    "off": "there is no language model (llm.provider is none)",
    "missing": "a part of the language model is not installed; run `cortex doctor`",
    "auth": "the language model refused the key; run `cortex doctor`",
    "rate_limited": "the language model is asked too often; the next run goes on",
    "timeout": "the language model took too long; the next run goes on",
    "unreachable": "the language model cannot be reached; run `cortex doctor`",
    "server_error": "the language model's server failed; the next run goes on",
    "rejected": "the language model rejected the request; run `cortex doctor`",
    "refused": "the language model declined to answer",
    "bad_answer": "the language model's answer could not be read; use a model that answers in JSON",
    "budget": "the budget of the language model is spent; the next run goes on",
    "paused": "the language model failed before and is left alone for a while; the next run goes on",
    "hardware": "the card is busy; the next run goes on",
    "unanswered": "the language model's answer left it out",
    "not_text": "the language model's answer for it is no text",
    "secret": "the summary held a secret",
    "ungrounded": "the summary did not keep to the section",
    "instructive": "it gives orders to a model",
}
"""Why a section has no summary, by the reason in the receipt."""


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
    if synced.seen or counts:
        files, chunks = rendering.several(synced.seen, "file"), rendering.several(synced.chunks, "new chunk")
        yield Text(f"{files}: {', '.join(counts)}; {chunks} in {took}{made}")
    elif not heard.transcripts:
        yield Text("No Markdown file was found.")
    if heard.transcripts:
        transcripts, turns = (
            rendering.several(heard.transcripts, "transcript"),
            rendering.several(heard.turns, "new turn"),
        )
        yield Text(f"{transcripts}: {turns}")
    if summaries := done.receipt.facts.get("summaries"):
        yield Text(f"{summaries['summarised']:,} sections summarised")
        if summaries["again"]:
            yield Text(f"{summaries['again']:,} of an earlier run were asked for again")
        if summaries["given_up"]:
            yield rendering.notice(f"{summaries['given_up']:,} sections were given up; `--force` asks for them again")
        for why, count in summaries["problems"].items():
            sections = rendering.several(count, "section has", "sections have")
            yield rendering.notice(f"{sections} no summary: {_NO_SUMMARY.get(why, why.replace('_', ' '))}")
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
