"""Lists of Russian words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

LISTS = {
    "passwords": "пароль",
    "past the owner": "пользовател",
    "helpers": r"ассистент\w{0,3}",
    "addresses": "для",
    "this project": (
        r"\b(?:эт\w{1,3}|наш\w{0,3}) (?:проект\w*|репо\w*|кодов\w+ баз\w+|пакет\w*|модул\w+|сервис\w*|"
        r"ветк\w+)\b"
    ),
    "titles of people": "г гн госпожа господин доктор др",
}
