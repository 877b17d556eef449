"""What stores and embeds the traces of a tenant."""

from __future__ import annotations

from cortex.context import Context
from cortex.progress import Progress, silent
from cortex.remember.flow import TraceWriter


def writer_of(context: Context, progress: Progress = silent) -> TraceWriter:
    embedder, tokens = context.dependencies.embedder, context.passage_tokens
    return TraceWriter(context.tenant, context.store, context.clock, embedder, tokens, progress)
