"""Dutch: its words."""

from __future__ import annotations

from cortex.languages.words import Similarity, Words

WORDS = Words(
    lang="nl",
    order=110,
    stop_words="""
aan al als bij dan dat de deze dit een en er geen het heb hebben heeft hem hij hoe hoeveel ik in je jij kan maar mijn
na naar niet nog om onder ons ook op tot uit van voor waar waarom wanneer wat we welk welke wel werd wie worden wordt
zal ze zich zij zijn zo
    """,
    reporting="gebruiker woont werkt",
    similarity=Similarity(denying="niet geen nooit zonder"),
)
