"""Lists of French words and patterns, by the names in `cortex.languages.lists`."""

from __future__ import annotations

LISTS = {
    "clause ends": "et|mais",
    "small numbers": "un une deux trois quatre cinq",
    "passwords": "mot de passe",
    "password of": "pour|du",
    "password is": "est",
    "past the owner": r"\bl'utilisateur\b",
    "who reads this": "qui",
    "addresses": "aux?|pour|à",
    "all of them": "les",
    "this project": r"\b(?:ce|cette|cet|notre) (?:projet|dépôt|repo\w*|base de code|paquet|module|service|branche)\b",
}
