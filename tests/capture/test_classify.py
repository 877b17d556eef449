"""The kind of a statement that came without one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.capture.classify import classify, scores
from cortex.domain.memory import Kind
from sweeps import for_each


@for_each(
    ("text", "kind"),
    [
        ("Always run the linter before committing.", Kind.RULE),
        ("From now on, reports are due on Mondays.", Kind.RULE),
        ("Never push to main.", Kind.RULE),
        ("以后回答都用中文。", Kind.RULE),
        ("必ずテストを書いてください。", Kind.RULE),
        ("A partir de ahora, siempre en español.", Kind.RULE),
        ("Ab jetzt immer auf Deutsch antworten.", Kind.RULE),
        ("The user prefers tea over coffee.", Kind.PREFERENCE),
        ("她最喜歡的顏色是藍色", Kind.PREFERENCE),
        ("コーヒーが好きです", Kind.PREFERENCE),
        ("Prefiero el tren.", Kind.PREFERENCE),
        ("Am liebsten fährt sie Rad.", Kind.PREFERENCE),
        ("We decided to use SQLite.", Kind.DECISION),
        ("我们决定用 Vue 重写", Kind.DECISION),
        ("Goに統一することにしました", Kind.DECISION),
        ("Hemos decidido esperar.", Kind.DECISION),
        ("Wir haben uns für Rust entschieden.", Kind.DECISION),
        ("Steps to release: bump the version, tag it.", Kind.PROCEDURE),
        ("First stop the service, then restore the dump.", Kind.PROCEDURE),
        ("部署步骤：先构建，然后上传", Kind.PROCEDURE),
        ("まずビルドして、次にアップロードする手順", Kind.PROCEDURE),
        ("Anna is my sister.", Kind.ENTITY),
        ("The service is called Heron.", Kind.ENTITY),
        ("Yesterday we met Lena at the station.", Kind.EPISODE),
        ("Last week she visited Lisbon.", Kind.EPISODE),
        ("昨天去了海边", Kind.EPISODE),
        ("Gestern ging ich ins Museum.", Kind.EPISODE),
        ("The user lives in Porto.", Kind.FACT),
        ("The port is 5433.", Kind.FACT),
        ("我住在台中", Kind.FACT),
        ("大阪に住んでいます", Kind.FACT),
        ("Vive en Lima.", Kind.FACT),
        ("Sie wohnt in Bremen.", Kind.FACT),
        ("hmm", Kind.OTHER),
        ("", Kind.OTHER),
    ],
)
def test_its_words_tell_its_kind(text: str, kind: Kind):
    """X12"""
    assert classify(text) is kind


def test_a_typographic_apostrophe_changes_nothing():
    """X12"""
    assert classify("Don’t ever call me Bob") is classify("Don't ever call me Bob") is Kind.RULE


def test_what_is_to_be_held_to_wins_a_tie():
    """X12: a rule taken for a fact is not followed; a fact taken for a rule does no harm"""
    text = "must never"
    assert scores(text)[Kind.RULE] >= max(scores(text).values())
    assert classify(text) is Kind.RULE


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=300))
def test_any_text_has_one_kind_and_always_the_same(text: str):
    """X12"""
    assert classify(text) is classify(text)
    assert classify(text) in Kind


def test_a_kind_needs_a_cue():
    """X12: `other` exactly where nothing speaks for any kind"""
    assert not any(scores("ok cool").values())
    assert classify("ok cool") is Kind.OTHER
