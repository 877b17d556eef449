"""Every function of a room that text from outside goes through, as it is called: with one text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial

from cortex.capture import classify, extraction, gate, messages, policies, prose, rules, slots, verbatim
from cortex.capture import statements as capture_statements
from cortex.domain import (
    changes,
    citations,
    cues,
    erasure,
    evidence,
    fingerprints,
    injection_detection,
    instructions,
    ownership,
    paraphrase,
    scope,
    secrets,
    small_talk,
    terms,
    text,
    text_similarity,
)
from cortex.domain.identity import TraceId
from cortex.domain.passages import passages_of, terms_of
from cortex.domain.query import Query
from cortex.domain.trust import SourceKind
from cortex.domain.turn import Role, Turn
from cortex.errors import EngineError
from cortex.exchange import escapes
from cortex.exchange.page_reader import MarkdownReader
from cortex.languages.packs import DEFAULT_PACKS
from cortex.recall import answerability, mentions, packing, questions, standing_rules, statements, synthesis, topic
from cortex.recall import gate as recall_gate
from cortex.recall import plan as recall_plan
from cortex.recall.recipes import DEFAULT, RECIPES
from cortex.workspace import chunking, markdown, media, snippets, summaries, transcripts

_NOW = datetime(2026, 5, 4, tzinfo=UTC)


def turn(said: str) -> Turn:
    return Turn(id=TraceId("t-1"), text=said, session="s", seq=1, created_at=_NOW, role=Role.USER)


def _candidates(said: str, pack: object) -> object:
    return rules.candidates(turn(said), packs=(pack,))  # type: ignore[arg-type]


def _without_injected(said: str) -> object:
    return fingerprints.without_injected(said, fingerprints.fingerprints(said))


def _page(said: str) -> object:
    with suppress(EngineError):
        return MarkdownReader(f"## fact\n\n- {said}\n")
    return None


def _place(said: str) -> object:
    with suppress(EngineError):
        return citations.CitedLines.of(said)
    return None


def _heard(said: str) -> object:
    given = [{"role": "user", "content": said}, said, {"role": "user", "content": [{"type": "text", "text": said}]}]
    return messages.received(given, max_messages=100, max_message_bytes=1 << 20)


def _transcribed(said: str) -> object:
    lines = [said, *said.split("\n")]
    return transcripts.messages_of(row for line in lines if (row := transcripts.row_of(line)) is not None)


def _planned(said: str) -> object:
    return recall_plan.plan(Query.of(f"q {said}"), RECIPES[DEFAULT], _NOW)


READERS: Mapping[str, Callable[[str], object]] = {
    "suspicion": injection_detection.suspicion,
    "tier of a user's text": partial(injection_detection.tier_for, SourceKind.USER),
    "tier of an assistant's text": lambda said: injection_detection.tier_for(
        SourceKind.ASSISTANT, said, seen=[said[1:]]
    ),
    "own words": ownership.own_words,
    "owners": lambda said: ownership.owners(said, shown=said[:500]),
    "carried": lambda said: ownership.carried([said, said]),
    "instructs agents": injection_detection.instructs_agents,
    "secrets": secrets.redacted,
    "what was erased": lambda said: erasure.Sought([said, "the deploy key rotates on Mondays"]).likeness([said[1:]]),
    "prose": lambda said: list(prose.sentences(prose.own_prose(said))),
    **{f"rules, {pack.lang}": partial(_candidates, pack=pack) for pack in DEFAULT_PACKS},
    "rules": lambda said: rules.candidates(turn(said)),
    "statements of a turn": lambda said: capture_statements.candidates([turn(said)]),
    "standing": rules.standing,
    "slot of a statement": slots.slot_in,
    "whole messages": lambda said: verbatim.candidates(turn(said)),
    "classify": classify.classify,
    "triggers": lambda said: [policy.trigger_of(said) for policy in policies.POLICIES.values()],
    "category": policies.detected_category,
    "capture gate": lambda said: gate.turn_skip_reason(turn(said), policies.named(policies.DEFAULT)),
    "messages": _heard,
    "messages in parts": lambda said: messages.in_parts(said, 500),
    "extracted": lambda said: extraction.read(said, ["t1"]),
    "extracted in a fence": lambda said: extraction.read(f"```json\n{said}\n```", ["t1"]),
    "grounding": lambda said: evidence.Evidence.of([turn(said)]).supports(said),
    "grounding of a retold text": lambda said: paraphrase.is_supported(said, [said]),
    "instructions": lambda said: [*instructions.instructions(said), instructions.split(said)],
    "cues": lambda said: cues.standing_kind(said, Role.USER),
    "injected": _without_injected,
    "injected block": lambda said: _without_injected(f"<relevant-memories>\n{said}\n- [2026-01-01, fact] {said}"),
    "likeness": lambda said: text_similarity.read.__wrapped__(said),
    "same value": lambda said: text_similarity._bare_value.__wrapped__(said),
    "passing": small_talk.passing_reason,
    "scope": scope.scope_tag,
    "scopes in passing": scope.scope_mentions,
    "citation": _place,
    "index terms": terms.index_terms,
    "query terms": terms.query_terms,
    "terms": lambda said: terms_of(turn(said)),
    "passages": lambda said: passages_of(turn(said), 128),
    "visible": text.visible,
    "escaped": text.escaped,
    "Markdown": lambda said: markdown.sections(markdown.read(said)),
    "Markdown as text": markdown.plain,
    "front matter": lambda said: markdown.front_matter(f"---\nkey: [{said}]\n{said}\n---\n"),
    "chunks": lambda said: [*chunking.lines(said), *chunking.by_sections(said)],
    "chunks below a heading": lambda said: chunking.by_sections(f"# A\n\n{said}"),
    "media": media.references,
    "snippet": lambda said: snippets.snippet(said, frozenset(terms.index_terms(said)), 700),
    "summary": summaries.worded,
    "transcript": _transcribed,
    "page": _page,
    "block of a page": lambda said: escapes.unescaped(escapes.as_block(said)),
    "recall gate": recall_gate.skip_reason,
    "plan": _planned,
    "rules asked for": standing_rules.asks_for_rules,
    "topic": lambda said: topic.same_topic(said, said),
    "requested noun": answerability._requested_noun,
    "first words": lambda said: answerability._leading(said, frozenset(terms.index_terms(said))),
    "question": lambda said: (questions.asks_how_it_is(said), questions.requested_kinds(said)),
    "statement": lambda said: statements.statement(
        statements.Text.of(said), {"deploy": 0.5, "rotati": 0.5}, frozenset()
    ),
    "change": changes.tells_change,
    "mentions": lambda said: mentions.mentioned(said, {"deploy", "rotati"}),
    "excerpt": lambda said: packing.excerpt(said, frozenset(terms.index_terms(said)), 100),
    "cited answer": synthesis._plainly_cited,
}
"""What reads text from outside, by the name of what it reads."""
