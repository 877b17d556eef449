"""Lists of Portuguese words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

LISTS = {
    "clause ends": "e|mas",
    "passwords": "senha",
    "password is": "é",
    "past the owner": r"\b(?:o|ao) usuário\b",
}
