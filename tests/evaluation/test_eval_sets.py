from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime

import pytest
from golden import write_set

from cortex.domain.turn import Role
from cortex.errors import InvalidRequest, NotFound
from cortex.evaluation import sets

RECORD = {"id": "r1", "scope": "s", "text": "The kettle is blue"}
QUERY = {"qid": "q1", "scope": "s", "query": "which colour is the kettle", "relevant": ["r1"]}


def test_a_set_is_read_with_everything_it_may_say(tmp_path):
    turn = RECORD | {"ts": "2024-03-15T09:00:00", "session": "day-1", "role": "assistant", "speaker": "Ana"}
    query = QUERY | {"category": 4, "parts": {"updated_info": ["r1"]}, "answer": "blue", "ts": "2024-04-01"}
    read = sets.read(write_set(tmp_path / "kettle", [turn], [query], {"apart": ["5"]}))
    (record,), (probe,) = read.records, read.probes
    assert read.name == "kettle"
    assert read.apart == {"5"}
    assert record.at == datetime(2024, 3, 15, 9, tzinfo=UTC)
    assert (record.session, record.role, record.speaker) == ("day-1", Role.ASSISTANT, "Ana")
    assert (probe.category, probe.relevant, probe.parts) == ("4", {"r1"}, {"updated_info": {"r1"}})
    assert probe.asked_at == datetime(2024, 4, 1, tzinfo=UTC)


def test_a_query_without_a_category_is_counted_by_its_scope(tmp_path):
    assert sets.read(write_set(tmp_path, [RECORD], [QUERY])).probes[0].category == "s"


def test_packed_records_are_read_as_they_are(tmp_path):
    path = tmp_path / "records.jsonl.gz"
    with gzip.open(path, "wt") as file:
        file.write(json.dumps(RECORD) + "\n\n")
    assert [record.id for record in sets.read_records(path)] == ["r1"]


def test_an_answer_that_is_not_there_is_counted(tmp_path):
    assert sets.read(write_set(tmp_path, [RECORD], [QUERY | {"relevant": ["r1", "gone"]}])).unknown_relevant() == 1


@pytest.mark.parametrize(
    ("record", "place"),
    [
        ({"scope": "s", "text": "t"}, "records.jsonl line 2, id"),
        (RECORD | {"id": "r2", "scope": ""}, "records.jsonl line 2, scope"),
        (RECORD | {"id": "r2", "text": 7}, "records.jsonl line 2, text"),
        (RECORD | {"id": "r2", "text": "nul \x00"}, "records.jsonl line 2, text"),
        (RECORD | {"id": "r2", "role": "owner"}, "records.jsonl line 2, role"),
        (RECORD | {"id": "r2", "ts": "yesterday"}, "records.jsonl line 2, ts"),
        (RECORD | {"id": "r2", "session": ["a"]}, "records.jsonl line 2, session"),
        (RECORD, "records.jsonl line 2, id"),
    ],
)
def test_a_bad_record_is_refused_by_file_line_and_field(tmp_path, record, place):
    with pytest.raises(InvalidRequest) as caught:
        sets.read(write_set(tmp_path, [RECORD, record], [QUERY]))
    assert caught.value.field == place
    assert caught.value.hint


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ({"qid": "q"}, "queries.jsonl line 1, scope"),
        (QUERY | {"query": None}, "queries.jsonl line 1, query"),
        (QUERY | {"relevant": "r1"}, "queries.jsonl line 1, relevant"),
        ({"qid": "q", "scope": "s", "query": "?"}, "queries.jsonl line 1, relevant"),
        (QUERY | {"parts": {"updated_info": "r1"}}, "queries.jsonl line 1, parts.updated_info"),
        (QUERY | {"parts": ["r1"]}, "queries.jsonl line 1, parts"),
    ],
)
def test_a_bad_query_is_refused_by_file_line_and_field(tmp_path, query, place):
    with pytest.raises(InvalidRequest) as caught:
        sets.read(write_set(tmp_path, [RECORD], [query]))
    assert caught.value.field == place


@pytest.mark.parametrize("line", ["{", "[1]", "nonsense"])
def test_a_line_that_is_no_object_is_refused(tmp_path, line):
    write_set(tmp_path, [RECORD], [QUERY])
    (tmp_path / "queries.jsonl").write_text(line)
    with pytest.raises(InvalidRequest, match=r"queries\.jsonl line 1"):
        sets.read(tmp_path)


def test_what_is_missing_is_named(tmp_path):
    with pytest.raises(NotFound, match="no evaluation set"):
        sets.read(tmp_path / "nowhere")
    with pytest.raises(NotFound, match=r"records\.jsonl"):
        sets.read(tmp_path)
    with pytest.raises(InvalidRequest, match="has no records"):
        sets.read(write_set(tmp_path, [], [QUERY]))
    with pytest.raises(InvalidRequest, match="apart"):
        sets.read(write_set(tmp_path, [RECORD], [QUERY], {"apart": "5"}))
