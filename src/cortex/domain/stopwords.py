"""Words a question is made of, that say nothing about the answer: queries drop them, documents keep them."""

from __future__ import annotations

from cortex.languages import WORDS
from cortex.languages.words import either

STOP_WORDS = frozenset(word for each in WORDS for word in each.stop_words.split())
"""One flat set: a short query cannot be trusted to show its language."""

UNSPACED_QUESTION_WORDS = either(each.question_words for each in WORDS)
"""Where no spaces tell a word, question words are cut out of the query before it is split."""
