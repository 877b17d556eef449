"""Where an installation keeps in the home what it changed, so that it can be undone."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from cortex.errors import StoreUnavailable, full_disk
from cortex.surfaces.mcp.hosts import replace_file


def save(path: Path, payload: Mapping[str, Any]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        replace_file(path, json.dumps(payload, ensure_ascii=False, indent=2))
    except OSError as error:
        raise full_disk(error, path) or StoreUnavailable(
            f"{path} cannot be written: {error.strerror or error}", hint="check the permissions of the home"
        ) from error


def remove(path: Path) -> None:
    """Remove a record, and its folder once that is empty."""
    with suppress(OSError):
        path.unlink()
        path.parent.rmdir()
