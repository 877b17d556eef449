"""Polish words."""

from __future__ import annotations

from cortex.languages.words import Words

WORDS = Words(lang="pl", order=140)
