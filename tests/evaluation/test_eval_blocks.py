"""What reaches the model, measured: the answer in the block, and the lines that bear on the question."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from golden import write_set

from cortex.evaluation.blocks import BlockMeasurement, Conversations, words
from cortex.evaluation.runner import run
from cortex.evaluation.sets import Probe, Record
from cortex.testing import FakeEmbedder


def record(id: str, text: str, session: str = "1", scope: str = "chat") -> Record:
    return Record(id=id, scope=scope, text=text, session=session, at=datetime(2024, 3, int(id[1:]), tzinfo=UTC))


def probe(answer: str, *relevant: str) -> Probe:
    return Probe(qid="q", scope="chat", query="?", relevant=frozenset(relevant), category="c", answer=answer)


TALK = [
    record("t1", "Did you find a flat?"),
    record("t2", "Yes, a flat by the harbor, for 700 euros."),
    record("t3", "Nice!"),
    record("t4", "The cat is called Tom.", session="2"),
]


def test_only_words_of_the_answer_that_the_evidence_has_are_asked_for():
    expected = Conversations.of(TALK).expected(probe("It is at the harbor of Kiel for 700", "t2"))
    assert expected.answer == {"harbor", "700"}
    assert Conversations.of(TALK).expected(probe("Kiel", "t2")).answer_in_block is None


def test_the_answer_is_in_a_block_that_has_all_its_words():
    shown = BlockMeasurement(words("harbor 700"), text="a flat by the Harbor, for 700 euros", hits="harbor")
    assert (shown.answer_in_block, shown.answer_words_in_block) == (1.0, 1.0)
    assert (shown.answer_in_hits, shown.answer_words_in_hits) == (0.0, 0.5)


def test_evidence_and_its_neighbors_bear_and_each_record_counts_once():
    expected = Conversations.of(TALK).expected(probe("harbor", "t2"))
    assert expected.bears == {"t1", "t2", "t3"}
    lines = tuple(frozenset({id}) for id in ("t2", "t2", "t1", "t4"))
    shown = BlockMeasurement(expected.answer, lines=lines, relevant=expected.relevant, bears=expected.bears)
    assert shown.bearing() == 0.5
    assert shown.bearing(1) == 1.0
    assert shown.evidence_in_block == 1.0
    assert BlockMeasurement(expected.answer, relevant=expected.relevant, bears=expected.bears).bearing() is None


TURNS = [
    {"id": f"t{number}", "scope": "chat", "session": "1", "text": text, "ts": f"2024-03-01T09:{number:02}:00Z"}
    for number, text in enumerate(("Which color has the boat?", "The boat is green.", "The cat is called Tom."))
]
ASKED = [
    {"qid": "1", "scope": "chat", "query": "which color has the boat", "relevant": ["t1"], "answer": "Green"},
    {"qid": "2", "scope": "chat", "query": "what is the cat called", "relevant": ["t2"], "answer": "Tom"},
    {"qid": "3", "scope": "chat", "query": "order of boat and cat", "relevant": ["t1", "t2"], "answer": "green Tom",
     "category": "event_ordering"},
]  # fmt: skip


@pytest.fixture
def options(tmp_path):
    return {"embedder": FakeEmbedder(), "home": tmp_path / "home", "cache": tmp_path / "cache"}


def test_conversations_are_asked_through_the_turn_hooks_and_so_are_the_baselines(tmp_path, options):
    report = run(write_set(tmp_path / "set", TURNS, ASKED), **options).to_json()
    for measured in (report["overall"], *report["baselines"].values()):
        assert measured["answer_in_block"] == measured["answer_in_hits"] == 1.0
        assert 1 <= measured["block_lines"] <= 3
        assert 0 < measured["block_tokens"] <= 500
        assert measured["rule_lines"] == 0.0
    assert report["categories"]["event_ordering"]["answer_in_block"] == 1.0
    assert json.loads(json.dumps(report)) == report


def test_documents_have_no_block_to_measure(tmp_path, options):
    alone = [{key: value for key, value in turn.items() if key != "session"} for turn in TURNS]
    report = run(write_set(tmp_path / "set", alone, ASKED), **options)
    assert report.cortex.overall["answer_in_block"] is None
    assert report.cortex.overall["any@10"] is not None


def test_blocks_are_written_to_be_read(tmp_path, options):
    blocks = tmp_path / "blocks.txt"
    run(write_set(tmp_path / "set", TURNS, ASKED), blocks_into=blocks, **options)
    text = blocks.read_text(encoding="utf-8")
    assert "which color has the boat" in text
    assert "Answer: Green; in the block" in text
    assert "The boat is green." in text
