"""Traces out of one store and into another, one JSON object a line (E14)."""

from cortex.exchange.export import exported
from cortex.exchange.importing import BadLine, Dedupe, Imported, ImportPlan, import_plan

__all__ = ["BadLine", "Dedupe", "ImportPlan", "Imported", "exported", "import_plan"]
