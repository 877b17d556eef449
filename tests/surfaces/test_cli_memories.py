"""Remembering, recalling and forgetting from the command line (X1, E2, E9, L5)."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from terminal import Cli

from cortex import Cortex
from cortex.services.recall import RecallResult


def test_what_is_remembered_is_recalled_with_its_score_its_legs_and_a_receipt(cli: Cli) -> None:
    """X1, E12"""
    kept = cli.remembered("The deploy key rotates on Mondays", "--scope", "infra", "--kind", "procedure")
    said = cli("recall", "when does the deploy key rotate?")
    assert said.code == 0
    assert "The deploy key rotates on Mondays" in said.out
    assert "procedure · infra · 2026-01-05 · keyword+vector" in said.out
    assert kept in said.out
    assert "receipt " in said.out


def test_a_standing_rule_alone_is_no_full_bar(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """It applies to every message, and its score says how little it has to do with this one."""
    cli.remembered("Always answer in German", "--kind", "rule")
    recall = Cortex.recall

    def barely(self: Cortex, *given: Any, **options: Any) -> RecallResult:
        answer = recall(self, *given, **options)
        return replace(answer, hits=tuple(replace(hit, score=0.03) for hit in answer.hits))

    monkeypatch.setattr(Cortex, "recall", barely)
    said = cli("recall", "when does the ferry leave?")
    assert "0.03 " in said.out
    assert "█" not in said.out


def test_json_gives_ids_scores_parts_the_block_its_tokens_and_the_receipt(cli: Cli) -> None:
    """E9, E12"""
    kept = cli.remembered("The deploy key rotates on Mondays")
    told = cli("recall", "deploy key", "--json").json
    (hit,) = told["hits"]
    assert hit["id"] == kept
    assert 0 < hit["score"] <= 1
    assert set(hit["legs"]) == {"keyword", "vector"}
    assert hit["parts"].keys() >= {"keyword", "vector"}
    assert "The deploy key rotates on Mondays" in told["block"]
    assert told["tokens"] > 0
    assert told["receipt"]["schema"] == "cortex.recall.receipt.v1"
    assert told["degraded"] == []


@pytest.mark.parametrize("verb", [["recall"], ["search"], ["recall", "--explain"], ["search", "--explain"]])
def test_the_project_at_hand_is_preferred_and_nothing_is_left_out_for_it(cli: Cli, verb: list[str]) -> None:
    """X6"""
    everywhere = cli.remembered("The gateway uses port 8000")
    here = cli.remembered("The gateway uses port 8300", "--scope", "billing", "--retention", "project")
    told = cli(*verb, "which port does the gateway use?", "--project", "billing", "--json").json
    assert [hit["id"] for hit in told["hits"]] == [here, everywhere]


def test_a_receipt_never_holds_the_text(cli: Cli) -> None:
    """E12"""
    cli.remembered("The zanzibar key rotates on Mondays")
    receipt = cli("recall", "zanzibar key", "--json").json["receipt"]["id"]
    assert "zanzibar" not in cli("admin", "receipts", receipt, "--json").out
    assert "zanzibar" not in cli("admin", "receipts").out


def test_the_block_alone_can_be_printed_for_another_program(cli: Cli) -> None:
    cli.remembered("The deploy key rotates on Mondays")
    said = cli("recall", "deploy key", "--block")
    assert said.out.startswith("## Long-Term Memories")
    assert said.out.rstrip().endswith("</relevant-memories>")


def test_nothing_relevant_prints_an_empty_block_and_says_so_to_people(cli: Cli) -> None:
    assert cli("recall", "anything at all", "--block").out == ""
    assert "No memory matches this message." in cli("recall", "anything at all").out


def test_a_greeting_is_not_looked_up_but_can_be_searched_for(cli: Cli) -> None:
    """E10"""
    cli.remembered("hello is what the parrot says")
    assert "Skipped: the message is trivial" in cli("recall", "hello").out
    assert "parrot" in cli("search", "hello").out


def test_a_message_without_words_is_skipped_and_an_empty_search_is_refused(cli: Cli) -> None:
    cli.remembered("The deploy key rotates on Mondays")
    assert "Skipped: the message has no words. `cortex search`" in cli("recall", "???").out
    skipped = cli("recall", " ")
    assert "Skipped: the message is empty.\n" in skipped.out
    assert skipped.code == 0
    said = cli("search", " ")
    assert (said.code, said.error) == (2, "query: is empty")
    assert "give some words" in said.err


def test_an_edit_without_a_change_says_what_to_give(cli: Cli) -> None:
    said = cli("edit", cli.remembered("The deploy key rotates on Mondays"))
    assert (said.code, said.error) == (2, "edit: has nothing to change")
    assert "--text" in said.hint


def test_a_memory_is_shown_without_what_it_lacks_and_with_its_grade_in_words(cli: Cli) -> None:
    id = cli.remembered("Never deploy on a Friday", "--kind", "rule")
    cli("admin", "grade")
    shown = cli("get", id).out
    assert "None" not in shown
    assert "{" not in shown
    assert re.search(r"grade\s+score \d\.\d+ · label \w+ · reasons ", shown)


def test_text_and_query_can_come_from_stdin(cli: Cli) -> None:
    kept = cli("remember", "-", stdin="Grüße aus Köln, 你好")
    assert kept.code == 0
    assert "你好" in cli("recall", "-", stdin="Grüße aus Köln").out


def test_a_query_of_ten_megabytes_is_answered(cli: Cli) -> None:
    cli.remembered("The deploy key rotates on Mondays")
    said = cli("recall", "-", "--json", stdin="deploy key " + "x" * 10_000_000)
    assert said.code == 0
    assert len(said.json["hits"]) == 1


@pytest.mark.parametrize(
    "query", ['deploy" OR "', "deploy AND (key", "text:deploy*", "NEAR(deploy key)", "-deploy ^", "'; --"]
)
def test_the_syntax_of_the_index_is_data_in_a_query(cli: Cli, query: str) -> None:
    cli.remembered("The deploy key rotates on Mondays")
    assert cli("search", "--", query).code == 0


def test_global_options_may_stand_after_the_verb(cli: Cli) -> None:
    cli.remembered("Bob's key is blue", "--user", "bob")
    assert cli("--json", "--user", "bob", "admin", "stats").json == cli("admin", "stats", "--user=bob", "--json").json
    assert cli.counted("--user", "bob") == 1


def test_text_after_a_double_dash_is_never_an_option(cli: Cli) -> None:
    cli.remembered("the flag --json prints JSON")
    said = cli("search", "--", "--json")
    assert "receipt" in said.out
    assert not said.out.startswith("{")


def test_another_user_and_another_agent_see_nothing(cli: Cli) -> None:
    kept = cli.remembered("The deploy key rotates on Mondays", "--user", "alice")
    for who in (["--user", "bob"], ["--agent", "other", "--user", "alice"]):
        assert cli("search", "deploy key", "--json", *who).json["hits"] == []
        assert cli("list", "--json", *who).json["memories"] == []
        assert cli("get", kept, *who).code == 3
        assert cli("forget", kept, *who).code == 3
    assert cli.counted("--user", "alice") == 1


def test_forgetting_hides_and_restoring_brings_back(cli: Cli) -> None:
    """L5"""
    kept = cli.remembered("The deploy key rotates on Mondays")
    assert cli("forget", kept).out.strip() == f"forgotten: {kept}"
    assert cli("recall", "deploy key", "--json").json["hits"] == []
    assert cli("forget", kept).out.strip() == "already forgotten"
    assert cli("admin", "unforget", kept).out.strip() == f"active again: {kept}"
    assert len(cli("recall", "deploy key", "--json").json["hits"]) == 1


def test_a_replaced_value_is_named_with_the_command_that_brings_it_back(cli: Cli) -> None:
    """X14"""
    old = cli.remembered("I live in Bristol")
    cli.clock.advance(60)
    said = cli("remember", "I live in Cardiff now")
    new = said.out.strip()
    assert f"it replaces {old}; undo with `cortex admin unforget {old}`" in " ".join(said.err.split())
    text = cli("admin", "unforget", new).out.strip()
    assert text == f"nothing to bring back: it is active; `cortex admin unforget {old}` brings back what it replaced"
    assert cli("admin", "unforget", old).out.strip() == f"active again: {old}"


def test_both_sources_of_a_statement_are_shown(cli: Cli) -> None:
    """X13"""
    kept = cli.remembered("The deploy key rotates on Mondays", "--source-ref", "ticket-1")
    cli.clock.advance(60)
    cli.remembered("The deploy key rotates on Mondays", "--source-ref", "ticket-2")
    assert re.search(r"other_source_refs\s+ticket-2", cli("get", kept).out)
    shown = cli("get", kept, "--json").json
    assert (shown["source_ref"], shown["other_source_refs"]) == ("ticket-1", ["ticket-2"])
    (line,) = cli("export", "--with-text").out.splitlines()
    assert json.loads(line)["other_source_refs"] == ["ticket-2"]
    assert "sources=ticket-1,ticket-2" in cli("export", "--markdown").out


def test_twins_that_stay_forgotten_are_named(cli: Cli) -> None:
    """L5"""
    one = cli.remembered("The deploy key rotates on Mondays")
    twin = cli.remembered("The deploy key rotates on Mondays", "--as-new")
    cli("forget", one)
    told = cli("admin", "unforget", one).out.strip().splitlines()
    assert told == [f"active again: {one}", f"still forgotten (duplicate): {twin}"]


def test_a_query_that_a_statement_and_its_denial_match_asks(cli: Cli) -> None:
    """L5"""
    cli.remembered("I like olives")
    cli.remembered("I do not like olives")
    said = cli("forget", "--query", "olives")
    assert said.code == 1
    assert "nothing was forgotten" in said.out
    assert len(cli("list", "--json").json["memories"]) == 2


def test_status_counts_traces_by_what_they_are(cli: Cli, tmp_path: Path) -> None:
    said = tmp_path / "said.json"
    turns = [{"role": "user", "content": "I live in Bergen."}, {"role": "assistant", "content": "ok"}]
    said.write_text(json.dumps(turns), encoding="utf-8")
    cli("capture", str(said), "--session", "one")
    text = cli("status").out
    assert "1 memory" in text
    assert "2 turns" in text


def test_a_contradiction_is_shown_with_both_sides_and_settled(cli: Cli) -> None:
    """X14"""
    assert cli("admin", "resolve").out.strip() == "no contradictions"
    one, other = cli.remembered("I like cilantro."), cli.remembered("I don't like cilantro.")
    shown = cli("admin", "resolve").out
    assert "I like cilantro." in shown
    assert "I don't like cilantro." in shown
    (pair,) = cli("admin", "resolve", "--json").json["contradictions"]
    assert (pair["earlier"]["id"], pair["later"]["id"]) == (one, other)
    assert "1 unresolved" in cli("status").out
    assert cli("admin", "resolve", other).out.strip() == f"replaced: {one}"
    assert "unresolved" not in cli("status").out
    assert cli("admin", "unforget", one).out.strip() == f"active again: {one}"
    assert "1 unresolved" in cli("status").out
    assert cli("admin", "resolve", one).out.strip() == f"replaced: {other}"
    assert cli("admin", "resolve", one).code == 2


def test_both_sides_of_a_contradiction_may_be_kept(cli: Cli) -> None:
    """X14"""
    one, _ = cli.remembered("I like cilantro."), cli.remembered("I don't like cilantro.")
    assert cli("admin", "resolve", one, "--both").out.strip() == "both are kept"
    assert cli("list", "--json").json["memories"][0]["state"] == "active"
    assert cli("admin", "resolve").out.strip() == "no contradictions"


def test_a_query_that_means_one_memory_forgets_it(cli: Cli) -> None:
    """L5"""
    kept = cli.remembered("The deploy key rotates on Mondays")
    cli.remembered("Luigi makes the best pasta")
    assert cli("forget", "--query", "deploy key rotates Mondays").out.strip() == f"forgotten: {kept}"


def test_a_query_that_may_mean_several_forgets_nothing_and_shows_them(cli: Cli) -> None:
    """L5"""
    first = cli.remembered("The deploy key rotates on Mondays")
    second = cli.remembered("The deploy key rotates on Fridays")
    said = cli("forget", "--query", "when does the deploy key rotate")
    assert said.code == 1
    assert first in said.out
    assert second in said.out
    assert cli.counted() == len(cli("list", "--json", "--state", "active").json["memories"]) == 2


def test_a_query_that_means_nothing_is_not_found(cli: Cli) -> None:
    said = cli("forget", "--query", "deploy key")
    assert said.code == 3
    assert said.error == "no memory matches this query"


def test_listing_narrows_and_goes_on_where_it_stopped(cli: Cli) -> None:
    """E14"""
    kept = [cli.remembered(f"note number {number}", "--scope", "desk") for number in range(3)]
    cli.remembered("elsewhere", "--scope", "attic")
    first = cli("list", "--scope", "desk", "--limit", "2", "--json").json
    assert [trace["id"] for trace in first["memories"]] == kept[:2]
    rest = cli("list", "--scope", "desk", "--after", first["next"], "--json").json
    assert [trace["id"] for trace in rest["memories"]] == kept[2:]
    assert kept[0] in cli("list", "--scope", "desk").out


def test_showing_gives_every_version(cli: Cli) -> None:
    old = cli.remembered("The deploy key rotates on Mondays")
    new = cli.remembered("The deploy key rotates on Fridays", "--supersedes", old)
    told = cli("get", old, "--json").json
    assert told["state"] == "superseded"
    assert told["superseded_by"] == new
    assert len(told["versions"]) == 2
    assert "versions" in cli("get", old).out


def test_asking_as_of_a_position_answers_what_was_known_then(cli: Cli) -> None:
    old = cli("remember", "The deploy key rotates on Mondays", "--json").json
    cli("remember", "The deploy key rotates on Fridays", "--supersedes", old["memory"]["id"])
    now = cli("recall", "deploy key", "--json").json["hits"]
    then = cli("recall", "deploy key", "--json", "--as-of", str(old["receipt"]["position"])).json["hits"]
    assert [hit["trace"]["text"] for hit in now] == ["The deploy key rotates on Fridays"]
    assert [hit["trace"]["text"] for hit in then] == ["The deploy key rotates on Mondays"]


def test_explaining_shows_every_candidate_and_why_it_was_dropped(cli: Cli) -> None:
    """E9"""
    for number in range(4):
        cli.remembered(f"The deploy key rotates on day {number}")
    said = cli("recall", "--explain", "deploy key", "--limit", "2")
    assert "over_limit" in said.out
    assert "hit 1" in said.out
    told = cli("recall", "--explain", "deploy key", "--limit", "2", "--json").json
    assert len(told["candidates"]) == 4
    assert {each["reason"] for each in told["dropped"]} == {"over_limit"}


@pytest.fixture
def measured(tmp_path: Path) -> Path:
    """A set of one record and one question, beside the records of others."""
    for name, line in {
        "set/records.jsonl": {"id": "r1", "scope": "a", "text": "The deploy key rotates on Mondays"},
        "set/queries.jsonl": {"qid": "q1", "scope": "a", "query": "deploy key", "relevant": ["r1"], "category": "one"},
        "others.jsonl": {"id": "r2", "scope": "b", "text": "The deploy key rotates on Fridays"},
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(line) + "\n")
    return tmp_path


def test_an_evaluation_tells_its_measures_with_their_intervals(cli: Cli, measured: Path) -> None:
    """E17"""
    said = cli("eval", str(measured / "set"), "--embedder", "none", "--noise", str(measured / "others.jsonl"))
    assert said.code == 0, said.err
    for expected in ("any@10", "interval", "1.000 to 1.000", "fts5", "among 1 foreign records, without vectors"):
        assert expected in said.out
    assert "vectors  " not in said.out  # a baseline that was not measured has no column


def test_vectors_of_the_records_of_others_need_such_records(cli: Cli, measured: Path) -> None:
    """E17"""
    said = cli("eval", str(measured / "set"), "--embedder", "none", "--noise-vectors")
    assert (said.code, said.error) == (2, "noise_vectors: needs --noise")


def test_a_replay_gives_the_same_answer_of_the_same_state(cli: Cli) -> None:
    """E12"""
    cli.remembered("The deploy key rotates on Mondays")
    receipt = cli("recall", "deploy key", "--json").json["receipt"]["id"]
    cli.remembered("The deploy key was lost")
    said = cli("admin", "replay", receipt)
    assert (said.code, said.out.strip()) == (0, "same result")


def test_stats_count_by_lane_scope_kind_and_state(cli: Cli) -> None:
    """E14"""
    cli.remembered("one", "--scope", "desk", "--kind", "rule")
    told = cli("admin", "stats", "--json").json
    assert told["by_scope"] == {"desk": 1}
    assert told["by_kind"] == {"rule": 1}
    assert "1 trace," in cli("admin", "stats").out


def test_a_ttl_makes_the_memory_expire(cli: Cli) -> None:
    kept = cli.remembered("The guest code is 4711", "--ttl", "2h")
    assert len(cli("recall", "guest code", "--json").json["hits"]) == 1
    cli.clock.advance(3 * 3600)
    assert cli("recall", "guest code", "--json").json["hits"] == []
    assert cli("get", kept, "--json").json["ttl"] == 7200


def test_recipes_show_their_numbers(cli: Cli) -> None:
    assert "0.4 keyword + 0.6 vector" in cli("admin", "recipes").out
    assert cli("admin", "recipes", "files.v1", "--json").json["recipes"][0]["fusion"]["weights"]["vector"] == 0.7


def test_the_command_says_what_became_of_a_statement(cli: Cli) -> None:
    """X13, X14"""
    kept = cli.remembered("The deploy key rotates on Mondays")
    again = cli("remember", "The deploy key rotates on Mondays")
    assert again.out.strip() == kept
    assert "this is remembered already" in again.err
    told = cli("remember", "The deploy key rotates on Mondays", "--as-new", "--json").json
    assert (told["verdict"], told["memory"]["id"] == kept) == ("new", False)
    gone = cli("forget", kept).out.splitlines()
    assert gone == [f"forgotten: {kept}", f"forgotten (duplicate): {told['memory']['id']}"]


def test_a_memory_is_edited_and_its_history_kept(cli: Cli) -> None:
    id = cli.remembered("The retro takes place on Tuesday")
    read = cli("get", id, "--json").json["revision"]
    assert cli("edit", id, "--text", "The retro takes place on Friday", "--tag", "team").out.strip() == f"edited: {id}"
    assert cli("edit", id, "--tag", "team").out.strip() == "nothing to change"
    told = cli("edit", id, "--importance", "0.9", "--json").json
    assert (told["memory"]["text"], told["memory"]["importance"]) == ("The retro takes place on Friday", 0.9)
    assert told["receipt"]["op"] == "edit"
    late = cli("edit", id, "--text", "The retro takes place on Monday", "--if-revision", read)
    assert (late.code, "changed since" in late.error) == (16, True)
    assert len(cli("get", id, "--json").json["versions"]) == 3
    assert cli("edit", id).code == 2
