"""Judging capture on real conversations: what matches a labeled fact, and what does not."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bench.capture import gold
from bench.capture.gold import Fact, GoldTurn
from cortex.domain.identity import TraceId
from cortex.domain.memory import Memory
from cortex.errors import InvalidRequest, NotFound

SAID = "My sister Ines moved to Ghent in May. She is a vet there. We talk on Sundays."
FACTS = (
    Fact("fact", (("ghent",), ("may", "spring")), important=True),
    Fact("fact", (("vet",),), important=True),
    Fact("fact", (("sundays",),), important=False),
)


def memory(text: str) -> Memory:
    return Memory(id=TraceId("m"), text=text, created_at=datetime(2024, 1, 1, tzinfo=UTC))


def judged(*texts: str, facts: tuple[Fact, ...] = FACTS, said: str = SAID) -> gold.Judged:
    return gold.judge(GoldTurn("t", "c", said, facts), [memory(text) for text in texts])


def test_a_memory_matches_a_fact_when_it_holds_one_alternative_of_every_key():
    assert judged("My sister Ines moved to Ghent in May.").found == {0}
    assert judged("My sister Ines moved to Ghent in Spring.").found == {0}
    assert judged("My sister Ines moved to Ghent.").found == frozenset()


def test_a_memory_of_several_sentences_matches_nothing_that_one_sentence_says():
    assert judged("My sister Ines moved to Ghent in May. She is a vet there.").found == frozenset()


def test_a_memory_of_more_than_forty_words_matches_nothing():
    assert judged("She is a vet " + "and so on " * 14).found == frozenset()


def test_one_memory_counts_for_at_most_two_facts():
    facts = tuple(Fact("fact", ((word,),), important=True) for word in ("ines", "ghent", "may"))
    assert len(judged("My sister Ines moved to Ghent in May.", facts=facts).found) == 2


def test_what_matches_no_fact_counts_against_precision():
    summary = gold.summarize([judged("She is a vet there.", "We talk a lot.")])
    assert (summary["precision"], summary["recall_important"]) == (0.5, 0.5)


def test_a_turn_without_facts_should_leave_nothing():
    silent, loud = judged(facts=()), judged("We talk a lot.", facts=())
    assert gold.summarize([silent, loud])["silent_on_empty_turns"] == 0.5


class TestReading:
    def labels(self, tmp_path: Path, line: object) -> Path:
        folder = tmp_path / "capture-gold"
        folder.mkdir()
        (folder / "labels.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
        return folder

    def test_a_folder_without_labels_is_refused(self, tmp_path: Path):
        with pytest.raises(NotFound, match=r"no labels"):
            gold.read(tmp_path)

    def test_a_label_without_keys_names_its_line(self, tmp_path: Path):
        with pytest.raises(InvalidRequest) as refused:
            gold.read(self.labels(tmp_path, {"id": "a", "facts": [{"kind": "fact"}]}))
        assert refused.value.field == "labels.jsonl line 1"

    def test_a_turn_that_no_set_holds_is_missed(self, tmp_path: Path):
        with pytest.raises(NotFound, match="1 labeled turns"):
            gold.read(self.labels(tmp_path, {"id": "a", "facts": []}))


def test_conversations_are_captured_as_in_production(tmp_path: Path):
    folder = tmp_path / "capture-gold"
    folder.mkdir()
    fact = {"text": "", "kind": "fact", "keys": ["celiac"], "important": True}
    (folder / "labels.jsonl").write_text(json.dumps({"id": "c:1", "facts": [fact]}) + "\n", encoding="utf-8")
    (tmp_path / "beam").mkdir()
    records = [
        {"id": "c:1", "scope": "c", "session": "1", "role": "user", "ts": "2024-03-01T10:00:00",
         "text": "My daughter Mia was diagnosed with celiac disease on March 1."},
        {"id": "c:2", "scope": "c", "session": "1", "role": "assistant", "ts": "2024-03-01T10:00:00", "text": "I see."},
    ]  # fmt: skip
    (tmp_path / "beam" / "records.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    home = tmp_path / "home"
    home.mkdir()
    (home / "cortex.toml").write_text('[embedding]\nprovider = "none"\n', encoding="utf-8")
    report = gold.run(folder, home=home)
    assert report.halves["all"]["recall_important"] == 1.0
    assert report.halves["all"]["precision"] == 1.0
