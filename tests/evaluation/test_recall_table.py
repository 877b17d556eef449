from __future__ import annotations

import pytest
from golden import write_golden

from bench import recall_table as table
from cortex.errors import InvalidRequest
from cortex.evaluation.runner import run


def test_the_table_replaces_what_stands_between_the_markers():
    text = f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n"
    assert table.replaced(text, "new") == f"before\n{table.BEGIN}\nnew\n{table.END}\nafter\n"
    assert table.replaced(table.replaced(text, "new"), "old") == text


@pytest.mark.parametrize("text", ["", table.BEGIN, f"{table.END} {table.BEGIN}"])
def test_a_file_without_both_markers_is_refused(text):
    with pytest.raises(InvalidRequest, match="markers"):
        table.replaced(text, "new")


def test_every_row_has_the_columns_of_the_head(tmp_path):
    report = run(write_golden(tmp_path / "golden"), embedder="none", home=tmp_path)
    rows = table.rows(report, keywords_only=True)
    assert {row[1] for row in rows} >= {"recall@10", "mrr@10", "any@10"}
    assert all(len(row) == len(table.HEAD) for row in rows)
    assert any(row[0] == "golden, keywords alone: home" for row in rows)
    assert len(table.table(rows).splitlines()) == len(rows) + 2


def test_the_command_writes_into_the_docs(tmp_path, monkeypatch):
    monkeypatch.setenv("CORTEX_HOME", str(tmp_path))
    docs = tmp_path / "recall.md"
    docs.write_text(f"# Recall\n{table.BEGIN}\n{table.END}\n")
    golden = write_golden(tmp_path / "golden")
    assert table.main([f"{golden}=none", "--into", str(docs)]) == 0
    assert "| golden, keywords alone | recall@10 |" in docs.read_text()
    assert table.main([str(tmp_path / "nowhere")]) == 3


def test_the_rows_of_other_sets_stay_where_they_are():
    rows = [("one", "any@1", "0.1", "0.2", "0.3", "**0.4**", ""), ("two", "any@1", "0.5", "0.6", "0.7", "**0.8**", "")]
    text = f"{table.BEGIN}\n{table.table(rows)}\n{table.END}"
    fresh = ("one: a category", "any@10", "–", "–", "–", "**0.9**", "")
    assert table.merged(text, [fresh]) == [fresh, rows[1]]
    assert table.merged(text, [("three", *fresh[1:])])[:2] == rows
