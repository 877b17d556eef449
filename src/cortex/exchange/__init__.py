"""Traces out of one store and into another, one JSON object a line (E14); memories as Markdown, to edit and return."""

from cortex.exchange.export import exported
from cortex.exchange.importing import BadLine, Dedupe, Imported, ImportPlan, import_plan
from cortex.exchange.markdown import (
    Divergence,
    EditConflict,
    MarkdownImported,
    MarkdownPlan,
    MarkdownReader,
    Page,
    Statement,
    markdown_of,
    markdown_pages,
    markdown_plan,
)

__all__ = [
    "BadLine",
    "Dedupe",
    "Divergence",
    "EditConflict",
    "ImportPlan",
    "Imported",
    "MarkdownImported",
    "MarkdownPlan",
    "MarkdownReader",
    "Page",
    "Statement",
    "exported",
    "import_plan",
    "markdown_of",
    "markdown_pages",
    "markdown_plan",
]
