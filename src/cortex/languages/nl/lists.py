"""Lists of Dutch words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

LISTS = {
    "passwords": "wachtwoord",
}
