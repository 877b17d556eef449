"""Governance: grades, and writing them back."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cortex.surfaces.wire.fields import Short
from cortex.surfaces.wire.model import Request, example


class GradeRequest(Request):
    """Which memories to grade, and how."""

    grader: Short = Field("heuristic-v1", description="The grader.")
    all: bool = Field(False, description="Also memories whose grade is up to date.")
    compare: bool = Field(False, description="Grade everything, store nothing, and count how many labels would change.")
    dry_run: bool = Field(False, description="Show what would happen; change nothing.")

    model_config = example({"dry_run": True})


class WritebackRequest(Request):
    """What to write back, and what may be overwritten."""

    limit: int | None = Field(None, ge=1, le=1_000_000_000, description="How many memories at most.")
    batch: int = Field(200, ge=1, le=10_000, description="How many memories are one transaction.")
    dry_run: bool = Field(False, description="Show what would happen; change nothing.")
    force: bool = Field(False, description="Overwrite values that somebody set.")
    force_fields: list[Literal["importance", "importance_label", "scope", "category", "trust_tier"]] | None = Field(
        None, description="With `force`, overwrite only these; all but `trust_tier` by default. Trust only falls."
    )
    lancedb: str | None = Field(
        None, max_length=4_096, description="The folder, on the server, of a memory-lancedb table to update instead."
    )
    table: Short | None = Field(None, description="Its name; `memories` by default.")

    model_config = example({"dry_run": True, "limit": 100})
