"""Results of `index`, for people."""

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
_NOTHING = "No folder is indexed yet. Run `cortex index PATH`."


_NO_SUMMARY = {
    "unavailable": "the language model gave no answer",
    "off": "there is no language model (llm.provider is none)",
    "missing": "a part of the language model is not installed; run `cortex doctor`",
    "auth": "the language model refused the key; run `cortex doctor`",
    "rate_limited": "the language model's rate limit was reached; the next run continues",
    "timeout": "the language model took too long; the next run continues",
    "unreachable": "the language model cannot be reached; run `cortex doctor`",
    "server_error": "the language model's server failed; the next run continues",
    "rejected": "the language model rejected the request; run `cortex doctor`",
    "refused": "the language model declined to answer",
    "bad_answer": "the language model's answer could not be read; use a model that answers in JSON",
    "budget": "the budget of the language model is spent; the next run continues",
    "paused": "the language model failed before and is paused; the next run continues",
    "hardware": "the GPU is busy; the next run continues",
    "unanswered": "the language model's answer left it out",
    "not_text": "the language model's answer is not text",
    "secret": "the summary contained a secret",
    "ungrounded": "the summary was not grounded in the section",
    "instructive": "the section contains instructions to a model",
}
"""Why a section has no summary, by the reason in the receipt."""


def indexed(done: Indexed, has_sources: bool) -> Iterator[RenderableType]:
    """The counts of one run, then the files that could not be read."""
    synced, read = done.synced, done.transcripts
    if not has_sources and not synced.removed:
        yield Text(_NOTHING, style="dim")
        return
    counts = [
        f"{count:,} {word}"
        for word in ("added", "changed", "moved", "removed", "unchanged")
        if (count := getattr(synced, word))
    ]
    took = f"{done.receipt.latency_ms / 1000:.1f} s"
    rebuilt = f" (rebuilt: {synced.full.replace('_', ' ')})" if synced.full not in ("", "first_run") else ""
    if synced.seen or counts:
        files, chunks = rendering.several(synced.seen, "file"), rendering.several(synced.chunks, "new chunk")
        yield Text(f"{files}: {', '.join(counts)}; {chunks} in {took}{rebuilt}")
    elif not read.transcripts:
        yield Text("No Markdown files found.")
    if read.transcripts:
        transcripts, turns = (
            rendering.several(read.transcripts, "transcript"),
            rendering.several(read.turns, "new turn"),
        )
        yield Text(f"{transcripts}: {turns}")
    if summaries := done.receipt.facts.get("summaries"):
        yield Text(f"{summaries['summarized']:,} sections summarized")
        if summaries["again"]:
            yield Text(f"{summaries['again']:,} of an earlier run were retried")
        if summaries["given_up"]:
            yield rendering.notice(f"{summaries['given_up']:,} sections were given up; `--force` retries them")
        for why, count in summaries["problems"].items():
            sections = rendering.several(count, "section has", "sections have")
            yield rendering.notice(f"{sections} no summary: {_NO_SUMMARY.get(why, why.replace('_', ' '))}")
    if synced.lacking:
        missing = f"{synced.lacking:,} chunks have no vector yet"
        yield rendering.notice(missing, "they are found by keywords only; run `cortex doctor`")
    if media := synced.media.states:
        yield Text(f"media: {_by_state(media)}")
    if waiting := media.get("waiting"):
        they = rendering.several(waiting, "medium has", "media have")
        yield rendering.notice(f"{they} no vector yet", "found by the text about them; run `cortex doctor`")
    for path, why in done.problems[:_MOST_PROBLEMS]:
        yield rendering.notice(f"{path or 'the workspace'} {why}")
    if len(done.problems) > _MOST_PROBLEMS:
        yield rendering.notice(f"and {len(done.problems) - _MOST_PROBLEMS:,} more", "--json lists them all")


def status(payload: Mapping[str, Any]) -> Iterator[RenderableType]:
    """The indexed folders, then the state of the index (B21)."""
    sources = payload.get("sources") or ()
    if not sources:
        yield Text(_NOTHING, style="dim")
    else:
        folders = rendering.table("cited as", "folder", "type", "lane", "scope", whole=("cited as", "type", "lane"))
        for source in sources:
            name = f"{source['name']}/" if source["name"] else "(plain paths)"
            what = source["shape"] + (f", {source['trust']}" if source["trust"] != "trusted" else "")
            shown = (name, source["root"], what, source["lane"], source["scope"])
            folders.add_row(*(Text(one_line(each)) for each in shown))
        yield folders
        yield Text()
    facts = rendering.table()
    facts.add_column(style="dim")
    facts.add_column()
    for name, value in _facts(payload):
        facts.add_row(name, Text(one_line(value)))
    yield facts
    unreadable = payload.get("unreadable") or ()
    for each in unreadable[:_MOST_PROBLEMS]:
        yield rendering.notice(f"{each['path']} {each['why']}")
    if len(unreadable) > _MOST_PROBLEMS:
        yield rendering.notice(f"and {len(unreadable) - _MOST_PROBLEMS:,} more", "--json lists them all")


def _by_state(media: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {state.replace('_', ' ')}" for state, number in media.items())


def _facts(payload: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    vector, fallback = payload.get("vector", {}), payload.get("fallback")
    instead = f" instead of {payload['requested']}" if fallback and fallback["active"] else ""
    yield "backend", f"{payload['backend']}{instead}"
    yield "files", f"{payload.get('files', 0):,} in {payload.get('chunks', 0):,} chunks"
    if vector.get("available"):
        lacking = f", {vector['lacking']:,} lacking" if vector["lacking"] else ""
        yield "vectors", f"{payload['provider']}/{payload['model']}, {vector['dims']} dimensions{lacking}"
    else:
        yield "vectors", "none: search uses keywords only"
    if media := payload.get("media"):
        yield "media", _by_state(media)
    if earlier := vector.get("earlier"):
        serves = "used until the new index is ready" if earlier["available"] else "which is not available any more"
        yield "index of", f"{earlier['provider']}/{earlier['model']}, {serves}"
    yield "last run", str(payload.get("last_sync") or "never")
    if host := payload.get("host"):
        yield "host", host
    for other in payload.get("hosts") or ():
        folders = ", ".join(source["root"] for source in other["sources"])
        counts = f"{other['files']:,} files in {other['chunks']:,} chunks"
        yield f"on {other['host']}", f"{counts}, last run {other['last_sync'] or 'unknown'}: {folders}"
    if payload.get("reindexing"):
        yield "index", "being rebuilt; search uses the old one meanwhile"
    if fallback and fallback["active"]:
        yield "fallback", f"{fallback['reason']} since {fallback['since']}"
