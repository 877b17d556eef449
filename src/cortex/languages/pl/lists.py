"""Lists of Polish words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

LISTS = {
    "passwords": "hasło",
    "this project": (
        r"\b(?:tym|ten|tego|naszym|nasz|naszego|to|tej) (?:projek\w+|repo\w*|kod\w*|pakie\w+|moduł\w*|"
        r"usłu\w+|gałęz\w+)\b"
    ),
}
