"""The stores that need nothing installed. The contracts hold them to the same claims."""

from __future__ import annotations

import pytest

from store_list import STORE_URLS
from sweeps import sweep

EVERY_BACKEND = tuple(STORE_URLS)
BACKENDS = sweep(EVERY_BACKEND, ["sqlite"])

ON_DISK = pytest.mark.parametrize("backend", sweep(["sqlite", "postgresql"], ["sqlite"]), indirect=True)
"""For tests of what an ephemeral store lacks, such as backups."""
ON_SQLITE = pytest.mark.parametrize("backend", ["sqlite"], indirect=True)
"""For tests of SQLite's own files and codes."""
