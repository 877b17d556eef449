"""Lists of Dutch words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

LISTS = {
    "passwords": "wachtwoord",
    "this project": r"\b(?:dit|deze|ons|onze) (?:project|repo\w*|codebase|pakket|module|dienst|service|branch)\b",
    "particles of a name": "van de den der ter ten",
}
