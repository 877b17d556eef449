"""An export that is damaged, a bomb, too big, or changes while it is read: the import stops, and leaves nothing."""

from __future__ import annotations

import json
import os
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import import_samples as samples
from cortex.domain.lanes import ANY_STATE
from cortex.errors import EngineError, InvalidRequest
from cortex.exchange import import_source
from cortex.exchange.import_source import ImportSource
from cortex.memory import Cortex
from cortex.ports.store import Filter


@pytest.fixture
def refused(engine: Cortex) -> Callable[..., EngineError]:
    """Tries an import that must stop with one error that names a fix, and nothing stored."""

    def attempt(path: Path, **options: Any) -> EngineError:
        with pytest.raises(EngineError) as caught:
            engine.import_from(path, **options)
        assert caught.value.hint
        assert engine.stats(Filter(states=ANY_STATE)).total == 0
        assert engine.imports() == []
        return caught.value

    return attempt


# --- zips -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9, 0.999])
def test_a_zip_that_is_cut_off_is_refused(refused: Callable[..., EngineError], tmp_path: Path, share: float) -> None:
    path = samples.zipped(tmp_path / "x.zip", samples.chatgpt())
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    assert "is not a whole zip file" in refused(path).message


def test_a_zip_with_damaged_bytes_is_refused(refused: Callable[..., EngineError], tmp_path: Path) -> None:
    path = samples.zipped(tmp_path / "x.zip", samples.chatgpt())
    with zipfile.ZipFile(path) as archive:
        offset = archive.getinfo("conversations.json").header_offset
    damaged = bytearray(path.read_bytes())
    damaged[offset + 60 : offset + 400] = bytes(340)
    path.write_bytes(damaged)
    error = refused(path, format="chatgpt")
    assert error.message.startswith("conversations.json: is damaged or cut off")


def test_a_bomb_is_refused_before_it_is_unpacked(refused: Callable[..., EngineError], tmp_path: Path) -> None:
    start = '[{"mapping": {}, "title": "'
    with (
        zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("conversations.json", "w", force_zip64=True) as member,
    ):
        member.write(start.encode())
        for _ in range(100):
            member.write(b" " * (1 << 20))
    assert "over 200 times its size when unpacked" in refused(tmp_path / "x.zip").message


def test_the_size_that_a_zip_claims_is_not_believed(refused: Callable[..., EngineError], tmp_path: Path) -> None:
    """The headers say ten bytes; what is there unpacks to a hundred megabytes."""
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b'[{"mapping": 1,' + b" " * (100 << 20))
        size = archive.getinfo("conversations.json").file_size
    lied = path.read_bytes().replace(struct.pack("<L", size), struct.pack("<L", 10))
    path.write_bytes(lied)
    refused(path, format="chatgpt")


def test_a_zip_of_very_many_files_is_refused(
    refused: Callable[..., EngineError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_source, "MOST_FILES", 50)
    path = samples.zipped(tmp_path / "x.zip", {f"{number}.json": [] for number in range(51)})
    assert "has over 50 files" in refused(path).message
    folder = samples.in_folder(tmp_path / "folder", {f"{number}.json": [] for number in range(51)})
    assert "has over 50 files" in refused(folder).message


def test_paths_that_lead_out_of_a_zip_are_left_alone(engine: Cortex, tmp_path: Path) -> None:
    files = {**samples.chatgpt(), "../../conversations-9.json": "[]", "/etc/conversations-8.json": "[]"}
    path = samples.zipped(tmp_path / "x.zip", {**files, "__MACOSX/._conversations.json": "\x00\x05"})
    found = engine.preview_import(path)
    assert found.skipped["file with a path outside of the zip"] == 2
    assert found.turns == 4


def test_a_zip_with_a_password_says_so(refused: Callable[..., EngineError], tmp_path: Path) -> None:
    path = samples.zipped(tmp_path / "x.zip", samples.chatgpt())
    content = bytearray(path.read_bytes())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = -1
        while (at := content.find(mark, at + 1)) >= 0:
            content[at + flags] |= 1
    path.write_bytes(content)
    assert "cannot be unpacked" in refused(path, format="chatgpt").message


def test_a_compression_that_python_does_not_know_is_named(refused: Callable[..., EngineError], tmp_path: Path) -> None:
    path = samples.zipped(tmp_path / "x.zip", samples.chatgpt())
    content = bytearray(path.read_bytes())
    for mark, method in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = -1
        while (at := content.find(mark, at + 1)) >= 0:
            content[at + method] = 9
    path.write_bytes(content)
    assert "cannot be unpacked" in refused(path, format="chatgpt").message


# --- JSON -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ['[{"mapping": {}', "[1 2]", '{"mapping"', "[", "", "nonsense"])
def test_json_that_is_cut_off_or_broken_is_refused(
    refused: Callable[..., EngineError], tmp_path: Path, text: str
) -> None:
    path = samples.zipped(tmp_path / "x.zip", {"conversations.json": text})
    assert "conversations.json: is not whole JSON" in refused(path, format="chatgpt").message


def test_what_is_nested_without_end_is_refused(refused: Callable[..., EngineError], tmp_path: Path) -> None:
    path = samples.zipped(tmp_path / "x.zip", {"conversations.json": "[" + "[" * 200_000})
    refused(path, format="chatgpt")


def test_bytes_that_are_no_utf8_are_refused(refused: Callable[..., EngineError], tmp_path: Path) -> None:
    (tmp_path / "conversations.json").write_bytes(b'[{"mapping": {}, "title": "\xff\xfe"}]')
    assert "is not UTF-8" in refused(tmp_path / "conversations.json", format="chatgpt").message


def test_long_and_short_entries_are_read_whole_wherever_a_chunk_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = [{"a": "ä" * number, "b": [1.25, None, True]} for number in range(40)] + [12, -3.5, "x", []]
    for text in (json.dumps(values), json.dumps(values, indent=3, ensure_ascii=False)):
        (tmp_path / "x.json").write_text(text, encoding="utf-8")
        for size in (1, 2, 7, 64, 1 << 20):
            monkeypatch.setattr(import_source, "_CHUNK", size)
            with ImportSource(tmp_path / "x.json") as source:
                assert list(source.items("x.json")) == values


def test_a_huge_file_is_streamed(tmp_path: Path) -> None:
    """Of forty megabytes no more than a few are held at once."""
    entry = {"title": "x" * 100_000}
    (tmp_path / "x.json").write_text(json.dumps([entry] * 400))
    (tmp_path / "x.jsonl").write_text(samples.lines([entry] * 400))
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_STORED) as archive:
        archive.write(tmp_path / "x.json", "x.json")
    for name, read in (("x.json", ImportSource.items), ("x.jsonl", ImportSource.rows), ("x.zip", ImportSource.items)):
        tracemalloc.start()
        with ImportSource(tmp_path / name) as source:
            assert sum(1 for _ in read(source, "x.json" if name == "x.zip" else name)) == 400
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 16 << 20


def test_an_entry_over_the_limit_is_refused(
    refused: Callable[..., EngineError], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_source, "LONGEST_ITEM", 1 << 20)
    said = samples.chatgpt_message("user", "x" * (4 << 20), 1.0)
    (tmp_path / "conversations.json").write_text(json.dumps([samples.chatgpt_conversation("c", [said])]))
    assert "has an entry over 1 MiB" in refused(tmp_path / "conversations.json", format="chatgpt").message


@pytest.mark.parametrize(
    "conversation",
    [
        None, 7, "text", {}, {"mapping": None}, {"mapping": []}, {"mapping": {"a": None}, "current_node": "a"},
        {"mapping": {"a": {"message": 5, "parent": "a"}}, "current_node": "a"},
        {"mapping": {"a": {"message": {"author": None, "content": None, "create_time": "never"}}}, "current_node": "a"},
        {"mapping": {"a": {"message": {"author": {"role": "user"}, "content": {"parts": [None, 3, {}]}}}}},
        {"chat_messages": [None, {}, {"sender": 4, "content": 5, "created_at": []}], "account": 3},
    ],
)  # fmt: skip
@pytest.mark.parametrize("format", ["chatgpt", "claude"])
def test_an_entry_of_another_shape_is_passed_over(
    engine: Cortex, tmp_path: Path, format: str, conversation: Any
) -> None:
    (tmp_path / "conversations.json").write_text(json.dumps([conversation]))
    done = engine.import_from(tmp_path, format=format)
    assert done.receipt.facts["turns"] == 0
    assert sum(done.preview.skipped.values()) > 0


def test_halves_of_characters_and_odd_values_lose_nothing_else(engine: Cortex, tmp_path: Path) -> None:
    rows = [
        {"text": "Tea \ud83d is\x00 green", "id": "\ud83d", "topic": "\udc00", "tags": ["\ud800", 5]},
        {"text": "Coffee is black", "created_at": "0001-01-01", "importance": 7, "kind": "nonsense"},
        {"text": "Milk is white", "created_at": 1e300, "importance": True, "tags": "x"},
    ]
    (tmp_path / "x.jsonl").write_text(samples.lines(rows))
    said = samples.chatgpt_message("user", "I \ud83d live in Bergen\x00", 1.7e9)
    (tmp_path / "conversations.json").write_text(json.dumps([samples.chatgpt_conversation("a\ud83d\n" * 200, [said])]))
    done = engine.import_from(tmp_path / "x.jsonl")
    assert (done.receipt.facts["memories"], done.receipt.facts["skipped"]) == (3, {})
    assert engine.import_from(tmp_path / "conversations.json").receipt.facts["turns"] == 1
    texts = {trace.text for trace in engine.list()}
    assert {"Tea  is green", "Coffee is black", "Milk is white"} <= texts


# --- transcripts that are being written -------------------------------------------------------------------------------


def test_a_line_that_is_being_written_waits_for_the_next_import(engine: Cortex, tmp_path: Path) -> None:
    (name, whole), _ = samples.claude_code().items()
    torn = json.dumps(samples.claude_row("user", "My bicycle is a red Peugeot", 9))
    path = samples.in_folder(tmp_path, {name: whole + torn[:-20]})
    first = engine.import_from(path)
    assert first.preview.skipped["line still being written"] == 1
    assert first.receipt.facts["turns"] == 2
    (path / name).write_text(whole + torn + "\n")
    assert engine.import_from(path).receipt.facts["turns"] == 1


def test_lines_that_are_no_json_are_counted(engine: Cortex, tmp_path: Path) -> None:
    (name, whole), _ = samples.claude_code().items()
    path = samples.in_folder(tmp_path, {name: f"{whole}not json\n\x00\x00\n[1]\n"})
    skipped = engine.import_from(path).preview.skipped
    assert (skipped["line that is not JSON"], skipped["line that is not an object"]) == (2, 1)


def test_links_are_not_followed(engine: Cortex, tmp_path: Path) -> None:
    secret = tmp_path / "secret.jsonl"
    secret.write_text(samples.lines([samples.claude_row("user", "a secret of somebody else", 1)]))
    path = samples.in_folder(tmp_path / "p", samples.claude_code())
    (path / "-src-harbor" / "link.jsonl").symlink_to(secret)
    assert engine.import_from(path).preview.conversations == 1


# --- what is no export ------------------------------------------------------------------------------------------------


def test_a_folder_of_no_known_format_lists_the_formats(refused: Callable[..., EngineError], tmp_path: Path) -> None:
    error = refused(samples.in_folder(tmp_path / "x", {"a.txt": "hello"}))
    assert "is of no known format" in error.message
    assert "chatgpt" in error.hint


def test_a_format_that_is_unknown_is_named_with_those_there_are(
    refused: Callable[..., EngineError], tmp_path: Path
) -> None:
    error = refused(samples.in_folder(tmp_path / "x", {"a.txt": "hello"}), format="chatgtp")
    assert isinstance(error, InvalidRequest)
    assert (error.field, "basic-memory" in error.hint) == ("--from", True)


def test_a_path_that_is_not_there_says_so(refused: Callable[..., EngineError], tmp_path: Path) -> None:
    assert "cannot be read: No such file" in refused(tmp_path / "nothing").message


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_says_so(refused: Callable[..., EngineError], tmp_path: Path) -> None:
    path = samples.zipped(tmp_path / "x.zip", samples.chatgpt())
    path.chmod(0)
    assert "cannot be read" in refused(path).message


def test_the_vectors_of_mem0_are_refused_with_the_way_to_export_them(
    refused: Callable[..., EngineError], tmp_path: Path
) -> None:
    error = refused(samples.in_folder(tmp_path / "qdrant", {"collection/mem0/storage.sqlite": "SQLite format 3"}))
    assert "only mem0 can read" in error.message
    assert "get_all" in error.hint


def test_a_history_of_mem0_that_is_no_database_is_refused(refused: Callable[..., EngineError], tmp_path: Path) -> None:
    (tmp_path / "history.db").write_bytes(b"old_memory new_memory" + zlib.compress(b"x" * 999))
    assert "history.db: cannot be read" in refused(tmp_path / "history.db").message


def test_a_session_database_of_an_unknown_release_is_refused(
    refused: Callable[..., EngineError], tmp_path: Path
) -> None:
    name = "agents/main/agent/openclaw-agent.sqlite"
    assert "cannot be read by this Cortex" in refused(samples.in_folder(tmp_path, {name: "not a database"})).message


def test_an_export_that_changes_between_counting_and_storing_stops_cleanly(engine: Cortex, tmp_path: Path) -> None:
    path = samples.zipped(tmp_path / "x.zip", samples.chatgpt())
    preview = engine.preview_import(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InvalidRequest):
        engine.import_from(path, preview=preview)
    assert engine.stats(Filter(states=ANY_STATE)).total == 0
    path.write_bytes(whole)
    assert engine.import_from(path).receipt.facts["turns"] == 4
    assert len(engine.imports()) == 1
