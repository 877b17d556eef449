from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.providers.models import EMBEDDER
from cortex.providers.wordpiece import UNKNOWN, WordPiece

TEXTS = [
    "",
    " \t\n",
    "Where did we put the deploy keys, and who rotates them?",
    "Ünïcödé naïve façade İstanbul ΣΊΣΥΦΟΣ straße",
    "東京は今日も晴れ。ラーメンが食べたい！ 서울에서 만나요",
    "foo_bar.baz(qux=1) -> https://example.org/a?b=c#d 3.14e-10",
    "emoji 👩‍👩‍👧 and zero\u200bwidth, soft\u00adhyphen, nbsp\u00a0here",
    "x" * 101 + " " + "antidisestablishmentarianism",
    "\x00null \ufffd replaced \x07bell",
]


@pytest.fixture(scope="module")
def ours(models: Path) -> WordPiece:
    return WordPiece(models / EMBEDDER.name / "vocab.txt")


@pytest.fixture(scope="module")
def theirs(models: Path):  # type: ignore[no-untyped-def]
    library = pytest.importorskip("tokenizers", reason="the library our tokens are held against is not installed")
    tokenizer = library.BertWordPieceTokenizer(str(models / EMBEDDER.name / "vocab.txt"), lowercase=True)
    tokenizer.encode_special_tokens = True
    return tokenizer


@pytest.mark.parametrize("text", TEXTS)
def test_tokens_are_those_of_the_reference(ours: WordPiece, theirs, text: str) -> None:  # type: ignore[no-untyped-def]
    """C6: the model was trained on these ids and no others."""
    assert ours.ids(text, 9_999) == theirs.encode(text, add_special_tokens=False).ids


# Left out are the categories where 503 code points differ, because Python's Unicode tables are not the reference's.
OLD_LETTERS = st.characters(
    max_codepoint=0xFFFF, exclude_categories=("Cs", "Cn", "Mn", "Mc", "Po", "Pd", "Ps", "Pe", "Cf", "So")
)


@settings(max_examples=50, deadline=None)
@given(text=st.text(OLD_LETTERS | st.sampled_from(".,;:!?'\"-_()[]{}#@/\\ \n"), max_size=80))
def test_any_text_has_the_tokens_of_the_reference(ours: WordPiece, theirs, text: str) -> None:  # type: ignore[no-untyped-def]
    """C6: whatever the script."""
    assert ours.ids(text, 9_999) == theirs.encode(text, add_special_tokens=False).ids


def test_a_text_cannot_pass_for_the_frame_around_it(ours: WordPiece) -> None:
    """C6: text from outside is data, also when it spells a special token."""
    assert not {101, 102, 103} & set(ours.ids("[CLS] [SEP] [MASK]", 99))


def test_tokens_stop_at_the_limit(ours: WordPiece) -> None:
    assert len(ours.ids("antidisestablishmentarianism " * 100, 7)) == 7


def test_a_word_with_an_unknown_part_is_one_unknown_token(ours: WordPiece) -> None:
    assert ours.ids(unicodedata.lookup("GOTHIC LETTER AHSA"), 9) == [UNKNOWN]
