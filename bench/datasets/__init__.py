"""The evaluation sets: where they are, and how they are cut from the public repositories they come from."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "CORTEX_DATASETS"
HELP = f"the folder with the evaluation sets (${VARIABLE}, or datasets)"


def folder() -> Path:
    """Where the sets are: `$CORTEX_DATASETS`, or `datasets` in the current directory."""
    return Path(os.environ.get(VARIABLE) or "datasets")
