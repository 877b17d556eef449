"""The stores that need nothing installed. The contracts hold them to the same claims."""

from __future__ import annotations

from sweeps import sweep

EVERY_BACKEND = ("sqlite", "ephemeral")
BACKENDS = sweep(EVERY_BACKEND, ["sqlite"])
