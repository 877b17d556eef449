"""Export and import from the command line (E14, C7)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from terminal import Cli

from cortex.domain.turn import Role, TurnDraft

ID = "01a1e124-5208-7180-9d7e-0e4ff0b558d0"
OTHER = "01a1e124-5208-7180-9d7e-0e4ff0b558d1"
MEMORY = {"type": "memory", "id": ID, "text": "Tea is green", "created_at": "2025-03-01T10:00:00+00:00"}
TURN = {"type": "turn", "id": OTHER, "text": "Tea?", "session": "s", "seq": 0, "created_at": "2025-03-01T10:00:00Z"}

Lines = Callable[..., str]


@pytest.fixture
def filled(cli: Cli) -> Cli:
    """Two memories, one of them forgotten, and two turns."""
    cli.remembered("The deploy key rotates on Mondays", "--scope", "infra", "--tag", "ops", "--importance", "0.9",
                   "--valid-from", "2026-01-01", "--ttl", "30d", "--topic", "keys")  # fmt: skip
    cli("forget", cli.remembered("Luigi makes the best pasta", "--trust", "quarantined"))
    with cli.open_engine(cli.home, None, None) as engine:
        engine.store_turns(
            "chat", [TurnDraft(text="Where do we eat?"), TurnDraft(text="At Luigi's", role=Role.ASSISTANT)]
        )
    return cli


def exported(cli: Cli, *options: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in cli("export", *options).out.splitlines()]


def test_an_export_is_the_same_every_time_in_order_of_id(filled: Cli) -> None:
    first = filled("export", "--with-text").out
    filled("recall", "deploy key")
    assert filled("export", "--with-text").out == first
    ids = [line["id"] for line in map(json.loads, first.splitlines())]
    assert ids == sorted(ids)
    assert len(ids) == 4


def test_an_export_has_no_text_unless_asked_for(filled: Cli) -> None:
    out = filled("export").out
    for word in ("deploy", "Luigi", "Where", "keys"):
        assert word not in out
    first = exported(filled)[0]
    text = "The deploy key rotates on Mondays"
    assert first["text"] is None
    assert first["text_sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert first["text_chars"] == len(text)
    assert text in filled("export", "--with-text").out


def test_an_export_says_every_field_and_can_be_narrowed(filled: Cli) -> None:
    first = exported(filled, "--scope", "infra", "--with-text")[0]
    assert first | {"id": "", "created_at": "", "cause": ""} == {
        "type": "memory", "id": "", "actor": "cli", "cause": "",
        "text": "The deploy key rotates on Mondays", "created_at": "", "kind": "fact",
        "topic": "keys", "tags": ["ops"], "scope": "infra", "retention": "ttl", "ttl": 2592000.0, "confidence": 1.0,
        "importance": 0.9, "label": "must_remember", "trust": "trusted", "source_kind": "operator",
        "valid_from": "2026-01-01T00:00:00+00:00", "state": "active", "reinforced": 0,
    }  # fmt: skip
    assert [line["type"] for line in exported(filled, "--lane", "sessions")] == ["turn", "turn"]


def test_what_was_exported_with_its_text_can_be_imported_whole(filled: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert filled("export", str(out), "--with-text").code == 0
    assert out.stat().st_mode & 0o077 == 0
    there = tmp_path / "there"
    said = filled("import", str(out), "--trusted", home=there)
    assert said.out.startswith("imported 2 memories and 2 turns of 4 lines; skipped 0 duplicates and 0 bad lines")
    before, after = (
        [{**json.loads(line), "actor": "", "cause": ""} for line in text.splitlines()]
        for text in (out.read_text(), filled("export", "--with-text", home=there).out)
    )
    assert before == after
    assert len(filled("search", "deploy key", "--json", home=there).json["hits"]) > 0


def test_imports_are_untrusted_and_never_above_what_the_line_says(cli: Cli, lines: Lines) -> None:
    held = MEMORY | {"id": OTHER, "text": "Obey me", "trust": "quarantined"}
    cli("import", lines(MEMORY, held))
    payload = {line["id"]: line for line in exported(cli)}
    assert (payload[ID]["trust"], payload[ID]["source_kind"]) == ("untrusted", "import")
    assert payload[OTHER]["trust"] == "quarantined"


def test_trusted_imports_keep_what_the_line_says_and_no_more(cli: Cli, lines: Lines) -> None:
    web = MEMORY | {"id": OTHER, "text": "Buy now", "trust": "trusted", "source_kind": "web"}
    cli("import", "--trusted", lines(MEMORY, web, TURN | {"id": ID[:-1] + "2", "trust": "quarantined"}))
    payload = {line["text_chars"]: line for line in exported(cli)}
    assert payload[len("Tea is green")]["trust"] == "trusted"
    assert (payload[len("Buy now")]["trust"], payload[len("Buy now")]["source_kind"]) == ("untrusted", "web")
    assert payload[len("Tea?")]["trust"] == "quarantined"


def test_a_redacted_export_is_not_mistaken_for_memories(filled: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    filled("export", str(out))
    said = filled("import", str(out), home=tmp_path / "there")
    assert (said.code, said.error) == (2, "line 1: text: is redacted")
    assert "--with-text" in said.hint


@pytest.mark.parametrize(
    ("dedupe", "stored", "duplicates"),
    [("none", 3, {"id": 0, "text": 0}), ("id", 2, {"id": 1, "text": 0}), ("id_text", 1, {"id": 1, "text": 1})],
)
def test_a_line_is_a_duplicate_by_id_by_text_or_not_at_all(
    cli: Cli, lines: Lines, dedupe: str, stored: int, duplicates: dict[str, int]
) -> None:
    cli("import", lines(MEMORY))
    again = lines(
        MEMORY, MEMORY | {"id": OTHER, "text": " Tea  is green"}, MEMORY | {"id": ID[:-1] + "2", "scope": "desk"}
    )
    receipt = cli("import", again, "--dedupe", dedupe, "--json").json
    assert (receipt["stored"], receipt["duplicates"]) == (stored, duplicates)
    assert cli.counted() == 1 + stored
    assert cli("admin", "verify").code == 0


def test_importing_twice_changes_nothing(filled: Cli, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    filled("export", str(out), "--with-text")
    before = filled("export", "--with-text").out
    assert filled("import", str(out), "--json").json["duplicates"] == {"id": 4, "text": 0}
    assert filled("export", "--with-text").out == before


def test_a_turn_said_twice_is_no_duplicate_but_its_place_can_be_taken_once(cli: Cli, lines: Lines) -> None:
    assert cli("import", lines(TURN, TURN | {"id": ID, "seq": 1}), "--json").json["turns"] == 2
    said = cli("import", lines(TURN | {"id": ID[:-1] + "2", "text": "Milk?"}))
    assert (said.code, said.error) == (2, "line 1: seq: is the place of another turn of the session")


def test_two_lines_with_one_id_are_refused_where_nothing_is_deduplicated(cli: Cli, lines: Lines) -> None:
    said = cli("import", "--dedupe", "none", lines(MEMORY, "", MEMORY))
    assert (said.code, said.error) == (2, "line 3: id: is that of line 1 too")
    assert cli.counted() == 0


def test_a_dry_run_checks_everything_and_stores_nothing(cli: Cli, lines: Lines) -> None:
    said = cli("import", "--dry-run", lines(MEMORY, TURN))
    assert said.out.startswith("would import 1 memory and 1 turn of 2 lines")
    assert cli.counted() == 0
    assert cli("import", "--dry-run", lines(MEMORY, "nonsense")).code == 2


BAD_LINES: list[tuple[Any, str]] = [
    (MEMORY | {"importance": 1.5}, "importance: 1.5 is outside 0 to 1"),
    (MEMORY | {"importance": True}, "importance: is not a number"),
    (MEMORY | {"confidence": -1}, "confidence: -1 is outside 0 to 1"),
    ('{"type": "memory", "importance": NaN}', "JSON: is not valid"),
    (MEMORY | {"kind": "facct"}, "kind: is not one of rule, procedure"),
    (MEMORY | {"kind": ["fact"]}, "kind: is not one of rule, procedure"),
    (MEMORY | {"importanc": 1}, "importanc: is not a field"),
    (MEMORY | {"session": "s"}, "session: is not a field"),
    (MEMORY | {"id": "7"}, "id: '7' is not an ID"),
    (MEMORY | {"text": ""}, "text: is empty"),
    (MEMORY | {"text": 7}, "text: is not text"),
    (MEMORY | {"text": "a\x00b"}, "text: contains a NUL byte"),
    (MEMORY | {"text": "a\ud800b"}, "text: contains a lone surrogate"),
    (MEMORY | {"topic": "a\ud800b"}, "topic: contains a lone surrogate"),
    (MEMORY | {"text": "x" * 65_537}, "text: is 65,537 bytes, over the limit of 65,536"),
    (MEMORY | {"scope": ""}, "scope: is empty"),
    (MEMORY | {"tags": "a"}, "tags: is not a list"),
    (MEMORY | {"tags": ["a"] * 33}, "tags: has 33 entries"),
    (MEMORY | {"ttl": -1}, "ttl: is not a number of seconds"),
    (MEMORY | {"created_at": "soon"}, "created_at: is not an ISO 8601 time"),
    (MEMORY | {"created_at": "9999-12-31T23:59:59-14:00"}, "created_at: is not an ISO 8601 time"),
    (MEMORY | {"created_at": "2999-01-01"}, "created_at: is outside the years 1900 to 2200"),
    (MEMORY | {"valid_from": "2026-02-01", "valid_to": "2026-01-01"}, "valid_to: is not after valid_from"),
    (TURN | {"seq": -1}, "seq: is not a place in a session"),
    ({"type": "memory", "id": ID, "text": "x"}, "created_at: is missing"),
    ({"id": ID}, "type: is missing"),
    ({"type": "chunk", "id": ID}, "type: is not one that can be imported"),
    ([1], "JSON: is not an object"),
    ("nonsense", "JSON: is not valid at character 1"),
    ("[" * 100_000, "JSON: is not valid"),
]


@pytest.mark.parametrize(("bad", "error"), BAD_LINES)
def test_a_bad_line_is_named_by_its_number_and_field_and_nothing_is_imported(
    cli: Cli, lines: Lines, bad: Any, error: str
) -> None:
    said = cli("import", lines(TURN, "", bad))
    assert said.code == 2
    assert said.error.startswith(f"line 3: {error}")
    assert said.hint
    assert cli.counted() == 0


def test_bad_lines_can_be_skipped_and_are_counted_with_their_reasons(cli: Cli, lines: Lines) -> None:
    path = lines(MEMORY | {"importance": 1.5}, TURN, MEMORY | {"kind": "very private words"})
    said = cli("import", "--skip-bad", path)
    assert said.code == 0
    assert "line 1: importance: 1.5 is outside 0 to 1" in said.out
    receipt = cli("admin", "receipts", "--json", "--op", "import").json["receipts"][0]
    assert (receipt["stored"], receipt["bad"]) == (1, 2)
    assert receipt["bad_lines"][0] == {"line": 1, "field": "importance", "reason": "1.5 is outside 0 to 1"}
    assert "private" not in json.dumps(receipt)


def test_bytes_that_are_not_utf8_are_a_bad_line(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(json.dumps(MEMORY | {"text": "caf@"}).encode().replace(b"@", b"\xe9"))
    assert cli("import", str(path)).error == "line 1: text: contains a lone surrogate"


def test_an_unknown_field_suggests_the_nearest(cli: Cli, lines: Lines) -> None:
    assert cli("import", lines(MEMORY | {"importanc": 1})).hint == "did you mean 'importance'?"


def test_an_id_of_another_user_is_refused_without_saying_whose(cli: Cli, lines: Lines) -> None:
    cli("import", lines(MEMORY), "--user", "alice")
    said = cli("import", lines(TURN | {"id": ID[:-1] + "9"}, MEMORY), "--user", "bob")
    assert (said.code, said.error) == (2, "id: is taken")
    assert "alice" not in said.err
    assert cli.counted("--user", "bob") == 0
    assert cli.counted("--user", "alice") == 1


def test_an_unknown_way_to_deduplicate_is_refused(cli: Cli, lines: Lines) -> None:
    said = cli("import", lines(MEMORY), "--dedupe", "text")
    assert (said.code, said.error) == (2, "dedupe: 'text' is not known")


def test_a_file_that_cannot_be_read_or_written_is_said_so(cli: Cli, tmp_path: Path) -> None:
    assert "cannot be read" in cli("import", str(tmp_path / "absent")).error
    assert "cannot be written" in cli("export", str(tmp_path / "absent" / "out")).error
    assert list(tmp_path.glob(".*")) == []


def test_lines_can_come_from_stdin(cli: Cli) -> None:
    assert cli("import", "-", "--json", stdin=json.dumps(MEMORY)).json["stored"] == 1


def test_imports_can_wait_for_their_vectors_and_backfill_brings_them(cli: Cli, lines: Lines) -> None:
    """C7"""
    cli("import", lines(MEMORY, TURN), "--no-embed")
    assert cli("status", "--json").json["vectors"]["lacking"] == 2
    assert cli("admin", "backfill").out.strip() == "embedded 2"
    assert cli("status", "--json").json["vectors"]["lacking"] == 0
    assert cli("admin", "backfill").out.strip() == "embedded 0"
