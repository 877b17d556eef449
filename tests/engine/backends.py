"""The stores that need nothing installed. The contracts hold them to the same claims."""

from __future__ import annotations

from store_list import STORE_URLS
from sweeps import sweep

EVERY_BACKEND = tuple(STORE_URLS)
BACKENDS = sweep(EVERY_BACKEND, ["sqlite"])
