"""What is embedded of a trace: its passages, each with the little context it needs to be understood."""

from __future__ import annotations

from cortex.domain.chunk import Chunk
from cortex.domain.terms import index_terms
from cortex.domain.text import PASSAGE_TOKENS, passages, sentences
from cortex.domain.trace import Trace
from cortex.domain.turn import Turn


def terms_by_passage(text: str) -> list[list[str]]:
    """The terms of each passage of `text`; one empty list for a text without any."""
    return [index_terms(text[start:end]) for start, end in passages(text, PASSAGE_TOKENS)] or [[]]


_MOST_PASSAGES = 64
_MOST_QUESTION = 160


def passages_of(trace: Trace, max_tokens: int, before: Trace | None = None) -> list[str]:
    """The texts to embed for `trace`; `before` is what was said just before it.

    A short answer means nothing without its question, so a turn's first passage begins with the
    question it follows.
    """
    cut = [trace.text[start:end].strip() for start, end in passages(trace.text, max_tokens)][:_MOST_PASSAGES]
    head = heading(trace, before)
    return [f"{head} {cut[0]}", *cut[1:]] if head else cut


def heading(trace: Trace, before: Trace | None) -> str:
    """The section a chunk stands in, or the question a turn follows."""
    if isinstance(trace, Chunk):
        return " > ".join(trace.section)
    if isinstance(trace, Turn) and isinstance(before, Turn) and (before.session, before.seq + 1) == (
        trace.session, trace.seq,
    ):  # fmt: skip
        said = (before.text[start:end].strip() for start, end in sentences(before.text))
        return " ".join(sentence for sentence in said if "?" in sentence)[-_MOST_QUESTION:].strip()
    return ""
