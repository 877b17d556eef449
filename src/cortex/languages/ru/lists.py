"""Lists of Russian words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

LISTS = {
    "passwords": "пароль",
    "past the owner": "пользовател",
    "helpers": r"ассистент\w{0,3}",
    "addresses": "для",
}
