"""What is cut from a repository: records and questions as JSON lines, or whole files."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cut:
    """One set."""

    records: list[Row] = field(default_factory=list)
    queries: list[Row] = field(default_factory=list)
    queries_name: str = "queries.jsonl"
    files: Mapping[str, str] = field(default_factory=dict)
    """Whole documents by their path in the set."""
    compressed: bool = False

    def contents(self) -> dict[str, bytes]:
        """Each file of the set by its path."""
        found = {name: text.encode("utf-8") for name, text in self.files.items()}
        if self.records and self.compressed:
            found["records.jsonl.gz"] = gzip.compress(_lines(self.records), mtime=0)
        elif self.records:
            found["records.jsonl"] = _lines(self.records)
        return found | ({self.queries_name: _lines(self.queries)} if self.queries else {})

    def write(self, folder: Path) -> None:
        for name, content in self.contents().items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def differences(self, folder: Path) -> list[str]:
        """The files in `folder` that are absent or hold something else."""
        return [name for name, content in self.contents().items() if not _same(folder / name, content)]


def _lines(rows: Iterable[Row]) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8")


def _same(path: Path, content: bytes) -> bool:
    if not path.is_file():
        return False
    found = path.read_bytes()
    # Compressed files with the same lines may differ in their bytes.
    return gzip.decompress(found) == gzip.decompress(content) if path.suffix == ".gz" else found == content
