"""What is embedded of a trace: its passages, each with the little context it needs to be understood."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cortex.domain.chunk import Chunk, context_of
from cortex.domain.terms import index_terms
from cortex.domain.text import PASSAGE_TOKENS, passages, sentences
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn


def terms_of(trace: Trace) -> list[list[str]]:
    """The terms of each passage of a trace; a passage of a chunk is also found by the headings it stands under."""
    return terms_by_passage(trace.text, trace.context if isinstance(trace, Chunk) else "")


def terms_said(said: Mapping[str, Any]) -> list[list[str]]:
    """`terms_of` for the fields of a trace, as they are stored."""
    path = said.get("path")
    context = context_of(path, said.get("section", ()), said.get("summary", "")) if path else ""
    return terms_by_passage(said["text"], context)


def terms_by_passage(text: str, context: str = "") -> list[list[str]]:
    """The terms of each passage of `text`, after those of its context; one empty list for a text without any."""
    if len(text) <= PASSAGE_TOKENS and not context:
        return [index_terms(text)]
    found = [index_terms(text[start:end]) for start, end in passages(text, PASSAGE_TOKENS)] or [[]]
    around = index_terms(context) if context else []
    return [around + terms for terms in found] if around else found


_MOST_PASSAGES = 64
_MOST_QUESTION = 160


def passages_of(trace: Trace, max_tokens: int, before: Trace | None = None) -> list[str]:
    """The texts to embed for `trace`; `before` is what was said just before it.

    A short answer means nothing without its question, so a turn's first passage begins with the
    question it follows; and each passage of a chunk with the headings it stands under.
    """
    cut = [trace.text[start:end].strip() for start, end in passages(trace.text, max_tokens)][:_MOST_PASSAGES]
    head = heading(trace, before)
    if isinstance(trace, Chunk):
        return [f"{head}\n{passage}" for passage in cut]
    return [f"{head} {cut[0]}", *cut[1:]] if head else cut


def passage_at(text: str, number: int, max_tokens: int) -> tuple[int, int] | None:
    """Where a passage stands in its text; None for the one passage of a short text."""
    cut = passages(text, max_tokens)
    return cut[number] if len(cut) > 1 and number < len(cut) else None


def heading(trace: Trace, before: Trace | None) -> str:
    """The headings a chunk stands under, or the question a turn follows."""
    if isinstance(trace, Chunk):
        return trace.context
    if isinstance(trace, Turn) and isinstance(before, Turn) and (before.session, before.seq + 1) == (
        trace.session, trace.seq,
    ):  # fmt: skip
        said = (before.text[start:end].strip() for start, end in sentences(before.text))
        return " ".join(sentence for sentence in said if "?" in sentence)[-_MOST_QUESTION:].strip()
    return ""
