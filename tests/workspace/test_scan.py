"""Which files are memory: the walk over the sources (B2, X15)."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cortex.domain.lanes import Lane
from cortex.workspace.file_reader import within
from cortex.workspace.scan import Scan, found
from cortex.workspace.sources import Shape, Source

NOBODY = 65_534


def file(path: Path, text: str = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def source(root: Path, name: str = "notes", shape: Shape = Shape.TREE) -> Source:
    return Source(name=name, root=root.resolve(), shape=shape, lane=Lane.NOTES)


def workspace(root: Path) -> Source:
    return source(root, "", Shape.WORKSPACE)


def paths(scan: Scan) -> list[str]:
    return [each.path for each in scan.files]


def problems(scan: Scan) -> dict[str, str]:
    return {each.path: each.why for each in scan.problems}


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that every user of the machine may enter; the folders of pytest are its owner's alone."""
    with tempfile.TemporaryDirectory() as made:
        os.chmod(made, 0o755)
        yield Path(made)


@contextmanager
def closed(folder: Path, mode: int) -> Iterator[None]:
    """With such permissions, which bind us too, even where root runs the tests."""
    was_root = os.geteuid() == 0
    folder.chmod(mode)
    if was_root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if was_root:
            os.seteuid(0)
        folder.chmod(0o700)


def test_a_workspace_has_its_memory_files_and_nothing_else(tmp_path: Path):
    """B2"""
    for path in ("MEMORY.md", "memory/2026-01-01.md", "memory/deep/er/x.markdown", "README.md", "docs/a.md",
                 "memory/a.txt", "memory/image.png", "other/memory/a.md"):  # fmt: skip
        file(tmp_path / path)
    scan = found([workspace(tmp_path)])
    assert paths(scan) == ["MEMORY.md", "memory/2026-01-01.md", "memory/deep/er/x.markdown"]
    assert scan.problems == []


def test_a_workspace_without_memory_is_no_problem(tmp_path: Path):
    """B2"""
    assert found([workspace(tmp_path)]) == Scan([], [])


def test_an_extra_folder_has_every_markdown_file_whatever_its_case(tmp_path: Path):
    """B2, X15: walks a directory tree"""
    for path in ("a.md", "B.MD", "c.Markdown", "d.mdx", "e.txt", "md", "sub/f.md", ".hidden/g.md"):
        file(tmp_path / path)
    assert paths(found([source(tmp_path)])) == [
        "notes/.hidden/g.md", "notes/B.MD", "notes/a.md", "notes/c.Markdown", "notes/d.mdx", "notes/sub/f.md",
    ]  # fmt: skip


def test_transcripts_are_jsonl(tmp_path: Path):
    for path in ("s1.jsonl", "deep/s2.JSONL", "notes.md"):
        file(tmp_path / path)
    assert paths(found([source(tmp_path, "talks", Shape.TRANSCRIPTS)])) == [
        "talks/deep/s2.JSONL",
        "talks/s1.jsonl",
    ]


def test_a_single_file_can_be_a_source(tmp_path: Path):
    """B2, E15"""
    decisions = file(tmp_path / "DECISIONS.md")
    file(tmp_path / "private.md")
    (only,) = found([source(decisions, "project")]).files
    assert (only.path, only.absolute) == ("project/DECISIONS.md", str(decisions.resolve()))


def test_what_is_told_of_a_file_is_what_the_disk_says(tmp_path: Path):
    written = file(tmp_path / "a.md", "four")
    (only,) = found([source(tmp_path)]).files
    status = written.stat()
    assert only[3:] == (4, status.st_mtime_ns, status.st_ino, status.st_dev)
    assert only.source == source(tmp_path)


def test_ignored_folders_are_ignored_at_any_depth(tmp_path: Path):
    """B2: the seven folders"""
    for ignored in (".git", "node_modules", ".pnpm-store", ".venv", "venv", ".tox", "__pycache__"):
        file(tmp_path / ignored / "a.md")
        file(tmp_path / "sub" / ignored / "deep" / "a.md")
    file(tmp_path / "venv.md")
    file(tmp_path / ".obsidian" / "b.md")
    assert paths(found([source(tmp_path)])) == ["notes/.obsidian/b.md", "notes/venv.md"]
    assert paths(found([source(tmp_path)], also_ignore=[".obsidian"])) == ["notes/venv.md"]


def test_an_ignored_folder_is_not_entered_by_a_link_either(tmp_path: Path):
    """B2"""
    file(tmp_path / ".git" / "inner" / "a.md")
    (tmp_path / "by-folder").symlink_to(tmp_path / ".git" / "inner")
    (tmp_path / "by-file.md").symlink_to(tmp_path / ".git" / "inner" / "a.md")
    (tmp_path / "venv").symlink_to(tmp_path)
    scan = found([source(tmp_path)])
    assert scan.files == []
    assert set(problems(scan)) == {"notes/by-folder", "notes/by-file.md"}
    assert all("ignored" in why for why in problems(scan).values())


def test_links_in_circles_come_to_an_end(tmp_path: Path):
    """B2, X15"""
    file(tmp_path / "a" / "b" / "x.md")
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "self").symlink_to(".")
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    scan = found([source(tmp_path)])
    assert paths(scan) == ["notes/a/b/x.md"]
    assert set(problems(scan)) == {"notes/one", "notes/two"}


def test_links_that_lead_outside_are_not_followed(tmp_path: Path):
    """B2, X15: what is not registered is not memory"""
    file(tmp_path / "secret" / "key.md")
    inside = tmp_path / "inside"
    file(inside / "a.md")
    (inside / "file.md").symlink_to(tmp_path / "secret" / "key.md")
    (inside / "folder").symlink_to(tmp_path / "secret")
    (inside / "relative").symlink_to("../secret")
    (inside / "zero.md").symlink_to("/dev/zero")
    (inside / "picture.png").symlink_to(tmp_path / "secret" / "key.md")
    scan = found([source(inside)])
    assert paths(scan) == ["notes/a.md"]
    assert problems(scan) == dict.fromkeys(
        ("notes/file.md", "notes/folder", "notes/relative", "notes/zero.md"), "leads out of the indexed folders"
    )


def test_a_sibling_whose_name_begins_like_the_root_is_outside(tmp_path: Path):
    file(tmp_path / "notes-private" / "a.md")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "link.md").symlink_to(tmp_path / "notes-private" / "a.md")
    assert found([source(tmp_path / "notes")]).files == []


def test_links_that_stay_inside_are_followed(tmp_path: Path):
    """B2: inside some registered root"""
    file(tmp_path / "agent" / "docs" / "plan.md")
    file(tmp_path / "agent" / "more" / "deep" / "idea.md")
    (tmp_path / "agent" / "memory").mkdir()
    (tmp_path / "agent" / "memory" / "plan.md").symlink_to("../docs/plan.md")
    (tmp_path / "agent" / "memory" / "more").symlink_to("../more")
    scan = found([workspace(tmp_path / "agent")])
    assert paths(scan) == ["memory/more/deep/idea.md", "memory/plan.md"]
    assert scan.files[1].absolute == str((tmp_path / "agent" / "docs" / "plan.md").resolve())
    assert scan.problems == []


def test_a_link_gives_no_other_kind_of_file_the_name_of_a_memory(tmp_path: Path):
    """X15: a link to the settings of the workspace is not a note"""
    file(tmp_path / "settings.json")
    file(tmp_path / "memory" / "a.md")
    (tmp_path / "memory" / "b.md").symlink_to("../settings.json")
    scan = found([workspace(tmp_path)])
    assert paths(scan) == ["memory/a.md"]
    assert problems(scan) == {"memory/b.md": "leads to a file of another kind"}


def test_a_dangling_link_is_a_problem(tmp_path: Path):
    (tmp_path / "gone.md").symlink_to("nowhere.md")
    scan = found([source(tmp_path)])
    assert problems(scan) == {"notes/gone.md": "is a link that leads nowhere"}
    assert not scan.hides("notes/gone.md")


def test_a_file_with_several_names_is_listed_once_by_the_shortest_then_the_first(tmp_path: Path):
    """B2: hard links"""
    long = file(tmp_path / "longer.md")
    for name in ("b.md", "a.md", "sub/a.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        os.link(long, tmp_path / name)
    assert paths(found([source(tmp_path)])) == ["notes/a.md"]


def test_a_real_name_is_cited_before_a_link_to_it(tmp_path: Path):
    file(tmp_path / "zz" / "a-long-name.md")
    (tmp_path / "a.md").symlink_to("zz/a-long-name.md")
    (tmp_path / "aa").symlink_to("zz")
    assert paths(found([source(tmp_path)])) == ["notes/zz/a-long-name.md"]


def test_a_file_belongs_to_the_source_it_lies_in_before_one_that_links_to_it(tmp_path: Path):
    """B2: a link does not lend a file the trust of another source"""
    shared = file(tmp_path / "web" / "page.md")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "page.md").symlink_to(shared)
    assert paths(found([source(tmp_path / "own", "own"), source(tmp_path / "web", "web")])) == ["web/page.md"]


def test_a_file_of_nested_sources_belongs_to_the_first(tmp_path: Path):
    """B2: overlapping extra paths"""
    file(tmp_path / "inner" / "a.md")
    file(tmp_path / "b.md")
    outer, inner = source(tmp_path, "outer"), source(tmp_path / "inner", "inner")
    assert paths(found([outer, inner])) == ["outer/b.md", "outer/inner/a.md"]
    assert paths(found([inner, outer])) == ["inner/a.md", "outer/b.md"]


def test_of_two_links_to_one_folder_the_shorter_is_cited(tmp_path: Path):
    file(tmp_path / "docs" / "a.md")
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "longer").symlink_to("../docs")
    (tmp_path / "memory" / "z").symlink_to("../docs")
    assert paths(found([workspace(tmp_path)])) == ["memory/z/a.md"]


def test_both_spellings_of_the_memory_file_are_listed_where_they_are_two(tmp_path: Path):
    """B2"""
    file(tmp_path / "MEMORY.md", "one")
    (tmp_path / "memory.md").write_text("other")
    if (tmp_path / "MEMORY.md").read_text() == "other":
        pytest.skip("names differing in case are one file here")
    assert paths(found([workspace(tmp_path)])) == ["MEMORY.md", "memory.md"]


def test_both_spellings_of_the_memory_file_are_one_where_they_are_the_same(tmp_path: Path):
    """B2: as on a file system that does not tell case apart"""
    file(tmp_path / "MEMORY.md")
    os.link(tmp_path / "MEMORY.md", tmp_path / "memory.md")
    assert paths(found([workspace(tmp_path)])) == ["MEMORY.md"]


def test_what_is_no_file_is_never_opened_and_told_only_if_named_like_one(tmp_path: Path):
    """X15: opening a pipe would wait for ever"""
    os.mkfifo(tmp_path / "pipe.md")
    os.mkfifo(tmp_path / "pipe")
    os.mkfifo(tmp_path / "MEMORY.md")
    (tmp_path / "link.md").symlink_to("pipe.md")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(tmp_path / "s.md"))
    file(tmp_path / "folder.md" / "a.md")
    scan = found([source(tmp_path)])
    assert paths(scan) == ["notes/folder.md/a.md"]
    expected = ("notes/MEMORY.md", "notes/link.md", "notes/pipe.md", "notes/s.md")
    assert problems(scan) == dict.fromkeys(expected, "is neither a file nor a folder")
    assert problems(found([workspace(tmp_path)])) == {"MEMORY.md": "is neither a file nor a folder"}


def test_names_that_cannot_be_cited_are_problems_shown_safely(tmp_path: Path):
    """X15"""
    root = os.fsencode(tmp_path)
    for name in (b"new\nline.md", b"\xff.md", b"bell\x07.md"):
        with open(os.path.join(root, name), "wb"):
            pass
    os.mkdir(os.path.join(root, b"fol\nder"))
    file(tmp_path / "日記.md")
    scan = found([source(tmp_path)])
    assert paths(scan) == ["notes/日記.md"]
    expected = (r"notes/\udcff.md", r"notes/bell\u0007.md", r"notes/fol\u000ader", r"notes/new\u000aline.md")
    assert problems(scan) == dict.fromkeys(expected, "has a name that cannot be cited")


def test_a_folder_that_cannot_be_read_is_a_problem_that_hides_what_it_holds(shared: Path):
    """B2, X15"""
    file(shared / "open" / "a.md")
    file(shared / "shut" / "b.md")
    with closed(shared / "shut", 0):
        scan = found([source(shared)])
    assert paths(scan) == ["notes/open/a.md"]
    assert problems(scan) == {"notes/shut": "cannot be looked at: permission denied"}
    assert scan.hides("notes/shut/b.md")
    assert not scan.hides("notes/shut-not/b.md")
    assert not scan.hides("notes/open/gone.md")
    assert not scan.problems[0].root_missing


def test_a_file_that_cannot_be_looked_at_is_a_problem_of_its_own(shared: Path):
    file(shared / "half" / "b.md")
    file(shared / "half" / "sub" / "c.md")
    with closed(shared / "half", 0o444):  # names can be read, nothing else
        scan = found([source(shared)])
    assert set(problems(scan)) == {"notes/half/b.md", "notes/half/sub"}
    assert scan.hides("notes/half/sub/c.md")


@pytest.mark.parametrize("shape", [Shape.TREE, Shape.WORKSPACE])
def test_a_root_that_cannot_be_read_is_no_reason_to_forget_its_files(shared: Path, shape: Shape):
    file(shared / "root" / "memory" / "a.md")
    watched = source(shared / "root", "notes", shape)
    with closed(shared / "root", 0):
        scan = found([watched])
    assert [(each.path, each.root_missing) for each in scan.problems] == [("notes", True)]
    assert scan.hides("notes/memory/a.md")


@pytest.mark.parametrize("shape", Shape)
def test_a_root_that_is_gone_is_told_apart_from_an_empty_one(tmp_path: Path, shape: Shape):
    """B2: a disk that is not mounted has not lost its files"""
    (tmp_path / "empty").mkdir()
    scan = found([source(tmp_path / "gone", "gone", shape), source(tmp_path / "empty", "empty", shape)])
    assert [(each.source, each.root_missing) for each in scan.problems] == [("gone", True)]
    assert scan.hides("gone/a.md")
    assert not scan.hides("empty/a.md")


def test_a_workspace_that_is_gone_hides_its_own_files_alone(tmp_path: Path):
    scan = found([workspace(tmp_path / "gone")])
    assert [each.root_missing for each in scan.problems] == [True]
    assert scan.hides("MEMORY.md")
    assert scan.hides("memory/a.md")
    assert not scan.hides("notes/a.md")


def test_a_file_whose_name_is_no_memory_any_more_is_a_problem_not_a_memory(tmp_path: Path):
    config = file(tmp_path / "config.json")
    scan = found([source(config)])
    assert scan.files == []
    assert "notes/config.json" in problems(scan)


def test_the_order_is_by_path_whatever_the_disk_says(tmp_path: Path):
    for name in ("z.md", "a.md", "m/z.md", "m/a.md", "b.md", "m.md"):
        file(tmp_path / name)
    listed = paths(found([source(tmp_path, "two"), source(file(tmp_path / "x" / "only.md"), "one")]))
    assert listed == sorted(listed)
    assert len(listed) == 7


def test_whatever_a_scan_lists_can_be_asked_for_by_the_path_it_is_cited_by(tmp_path: Path):
    """B2, B10"""
    agent, docs = tmp_path / "agent", tmp_path / "docs"
    for path in ("MEMORY.md", "memory/a.md", "memory/x/b.MDX", "plans/p.md"):
        file(agent / path)
    file(docs / "sub" / "spec.md")
    file(docs / "log.jsonl")
    (agent / "memory" / "plans").symlink_to("../plans")
    (agent / "memory" / "link.md").symlink_to(docs / "sub" / "spec.md")
    decisions = file(tmp_path / "DECISIONS.md")
    sources = [
        workspace(agent),
        source(docs, "docs"),
        source(docs, "logs", Shape.TRANSCRIPTS),
        source(decisions, "top"),
    ]
    scan = found(sources)
    assert paths(scan) == [
        "MEMORY.md", "docs/sub/spec.md", "logs/log.jsonl", "memory/a.md", "memory/plans/p.md", "memory/x/b.MDX",
        "top/DECISIONS.md",
    ]  # fmt: skip
    for each in scan.files:
        assert within(sources, each.path) == (each.source, each.absolute)
