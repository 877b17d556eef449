"""Traces out of one store and into another, one JSON object a line (E14); memories as Markdown, to edit and return."""

from cortex.exchange.divergences import Divergence, EditConflict
from cortex.exchange.editable_fields import EditableFields, revision_of
from cortex.exchange.edits import MarkdownImported, MarkdownPlan, markdown_plan
from cortex.exchange.export import exported, lines_of
from cortex.exchange.flow import Edit, edit, import_edits, import_lines
from cortex.exchange.imports import BadLine, Dedupe, Imported, ImportPlan, import_plan
from cortex.exchange.page_reader import MarkdownReader
from cortex.exchange.pages import Page, markdown_of, markdown_pages

__all__ = [
    "BadLine", "Dedupe", "Divergence", "Edit", "EditConflict", "EditableFields", "ImportPlan", "Imported",
    "MarkdownImported", "MarkdownPlan", "MarkdownReader", "Page", "edit", "exported", "import_edits", "import_lines",
    "import_plan", "lines_of", "markdown_of", "markdown_pages", "markdown_plan", "revision_of",
]  # fmt: skip
