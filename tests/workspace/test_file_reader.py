"""Reading files of memory: only what is memory, whole, as text (B10, X15)."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.lanes import Lane
from cortex.errors import InvalidRequest, NotFound
from cortex.workspace.file_reader import Changing, Unreadable, excerpt, read, within
from cortex.workspace.sources import Shape, Source

LIMIT = 1 << 20


def file(path: Path, content: str | bytes = "text") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path.resolve()


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """A workspace beside something that is none of its business."""
    file(tmp_path / "secret.md", "secret")
    file(tmp_path / "agent" / "MEMORY.md")
    file(tmp_path / "agent" / "README.md")
    file(tmp_path / "agent" / "memory" / "a.md")
    file(tmp_path / "agent" / "memory" / "a.txt")
    file(tmp_path / "agent" / "memory" / ".git" / "a.md")
    return (tmp_path / "agent").resolve()


@pytest.fixture
def sources(agent: Path, tmp_path: Path) -> list[Source]:
    file(tmp_path / "docs" / "DECISIONS.md")
    return [
        Source(name="", root=agent, shape=Shape.WORKSPACE, lane=Lane.NOTES),
        Source(name="docs", root=(tmp_path / "docs").resolve(), shape=Shape.TREE, lane=Lane.DOCS),
    ]


def refusal(sources: list[Source], path: str) -> str:
    with pytest.raises(InvalidRequest) as refused:
        within(sources, path)
    assert refused.value.field == "path"
    return str(refused.value)


# read


def test_a_file_is_read_with_what_identifies_it(tmp_path: Path):
    """X15"""
    path = file(tmp_path / "a.md", "# Grüße\r\n")
    content = read(path, max_bytes=LIMIT)
    status = path.stat()
    assert content.text == "# Grüße\r\n"
    assert content.hash == hashlib.sha256("# Grüße\r\n".encode()).hexdigest()
    assert (content.size, content.modified_ns) == (status.st_size, status.st_mtime_ns)
    assert content.inode == status.st_ino


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"\xef\xbb\xbfplain", "plain"),
        ("Grüße".encode("utf-16"), "Grüße"),
        (b"\xfe\xff" + "Grüße".encode("utf-16-be"), "Grüße"),
        (b"\xff\xfea\x00b", "a\ufffd"),
        ("Grüße\n".encode("cp1252"), "Gr\ufffd\ufffde\n"),
        (b"cut off \xe2\x82", "cut off \ufffd"),
        (b"a" * 9_000 + b"\n\x00\x00", "a" * 9_000 + "\n\ufffd\ufffd"),
    ],
)
def test_bytes_become_text_and_lost_ones_are_marked(tmp_path: Path, data: bytes, text: str):
    content = read(file(tmp_path / "a.md", data), max_bytes=LIMIT)
    assert (content.text, content.size) == (text, len(data))


@pytest.mark.parametrize(
    "data", [b"\x7fELF\x00\x01", "utf-16 without a mark".encode("utf-16-le"), "x".encode("utf-32")]
)
def test_binary_files_are_refused(tmp_path: Path, data: bytes):
    with pytest.raises(Unreadable, match="not text") as refused:
        read(file(tmp_path / "a.md", data), max_bytes=LIMIT)
    assert not refused.value.is_passing


def test_a_file_over_the_limit_is_refused_without_being_read(tmp_path: Path):
    """X15: the largest is a terabyte of nothing"""
    path = file(tmp_path / "a.md", b"x" * 100)
    assert read(path, max_bytes=100).size == 100
    os.truncate(path, 1 << 40)
    with pytest.raises(Unreadable, match="limit of 100 bytes") as refused:
        read(path, max_bytes=100)
    assert not refused.value.is_passing


def test_nothing_but_a_regular_file_is_read(tmp_path: Path):
    """X15: a pipe nobody writes to would be waited for"""
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    for path in (tmp_path / "pipe.md", tmp_path / "folder.md", Path("/dev/zero")):
        with pytest.raises(Unreadable, match=r"neither a file|a folder"):
            read(path.resolve(), max_bytes=LIMIT)


def test_a_link_is_not_followed(tmp_path: Path):
    """B10"""
    target = file(tmp_path / "there" / "a.md")
    (tmp_path / "a.md").symlink_to(target)
    (tmp_path / "folder").symlink_to(tmp_path / "there")
    for path in (tmp_path.resolve() / "a.md", tmp_path.resolve() / "folder" / "a.md"):
        with pytest.raises(Unreadable, match="link"):
            read(path, max_bytes=LIMIT)
    assert read(target, max_bytes=LIMIT).text == "text"


def test_a_file_that_is_gone_is_unreadable_for_now(tmp_path: Path):
    with pytest.raises(Unreadable, match="not there any more") as refused:
        read(tmp_path.resolve() / "a.md", max_bytes=LIMIT)
    assert refused.value.is_passing


def test_a_file_we_may_not_read_is_unreadable_for_now(tmp_path: Path):
    """X15: permissions change without a trace in size and times"""
    path = file(tmp_path / "a.md")
    path.chmod(0)
    was_root = os.geteuid() == 0
    if was_root:  # who may read everything
        os.seteuid(65_534)
    try:
        with pytest.raises(Unreadable, match="permission denied") as refused:
            read(path, max_bytes=LIMIT)
    finally:
        if was_root:
            os.seteuid(0)
    assert refused.value.is_passing


SIZE = 1 << 22


@contextmanager
def written_to(path: Path) -> Iterator[None]:
    """Somebody who edits the file without a pause: its head says how often it has grown by a byte since."""
    stop, begun = threading.Event(), threading.Event()

    def write() -> None:
        with path.open("r+b", buffering=0) as edited:
            for number in range(1, 200_000):
                os.pwrite(edited.fileno(), f"{number:08}".encode(), 0)
                os.pwrite(edited.fileno(), b"x", SIZE + number - 1)
                begun.set()
                if stop.is_set():
                    return

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert begun.wait(10)
        yield
    finally:
        stop.set()
        writer.join()


def test_a_file_that_is_written_to_is_read_whole_or_not_at_all(tmp_path: Path):
    """X15: one half of an edit is never read with the other half of another"""
    path = file(tmp_path / "a.md", b"0" * SIZE)
    with written_to(path):
        for _ in range(20):
            try:
                content = read(path, max_bytes=2 * SIZE)
            except Changing:
                continue
            assert int(content.text[:8]) - (content.size - SIZE) in {0, 1}
    content = read(path, max_bytes=2 * SIZE)
    assert int(content.text[:8]) == content.size - SIZE > 0


@pytest.mark.skipif(not os.path.exists("/proc/version"), reason="there is no file here whose size is always wrong")
def test_a_file_that_never_is_as_long_as_it_says_is_given_up():
    """X15: it stands for one that is written to on every try"""
    with pytest.raises(Changing, match="changes while it is read") as given_up:
        read("/proc/version", max_bytes=LIMIT)
    assert given_up.value.is_passing


def test_a_file_that_is_replaced_is_read_as_one_of_its_versions(tmp_path: Path):
    """X15: editors write a new file and rename it"""
    path, other = file(tmp_path / "a.md", b"a" * 50_000), tmp_path / "next"
    stop = threading.Event()

    def replace() -> None:
        for number in range(2_000):
            other.write_bytes(b"ab"[number % 2 : number % 2 + 1] * 50_000)
            os.replace(other, path)
            if stop.is_set():
                return

    writer = threading.Thread(target=replace)
    writer.start()
    try:
        for _ in range(200):
            try:
                assert read(path, max_bytes=LIMIT).text in {"a" * 50_000, "b" * 50_000}
            except Changing:
                continue
    finally:
        stop.set()
        writer.join()


# within


@pytest.mark.parametrize(
    ("cited", "name", "place"),
    [
        ("MEMORY.md", "", "agent/MEMORY.md"),
        ("memory/a.md", "", "agent/memory/a.md"),
        ("memory//a.md", "", "agent/memory/a.md"),
        ("./memory/./a.md", "", "agent/memory/a.md"),
        ("docs/DECISIONS.md", "docs", "docs/DECISIONS.md"),
    ],
)
def test_a_cited_path_leads_to_its_file(sources: list[Source], tmp_path: Path, cited: str, name: str, place: str):
    """B10"""
    source, real = within(sources, cited)
    assert (source.name, real) == (name, str((tmp_path / place).resolve()))


def test_an_absolute_path_inside_leads_to_its_file(sources: list[Source], agent: Path, tmp_path: Path):
    """B10"""
    (tmp_path / "shortcut").symlink_to(agent)
    for path in (agent / "memory" / "a.md", tmp_path / "shortcut" / "memory" / "a.md"):
        assert within(sources, str(path)) == (sources[0], str(agent / "memory" / "a.md"))


@pytest.mark.parametrize(
    "path",
    [
        "memory/../../secret.md",
        "../secret.md",
        "memory/../MEMORY.md",
        "memory/../../etc/passwd",
        "docs/../secret.md",
        "..",
        "/etc/passwd",
        "/etc/motd.md",
        "//etc/motd.md",
        "/",
        "",
        ".",
        "memory",
        "memory/",
        "docs",
        "README.md",
        "secret.md",
        "other/a.md",
        "memory/a.txt",
        "memory/.git/a.md",
        "memory/a.md\x00.txt",
        "memory/a\n.md",
        "memory/\ud800.md",
        "%2e%2e/secret.md",
        "..%2fsecret.md",
        "..\\secret.md",
        "~/secret.md",
        "file:///etc/motd.md",
        "x" * 5_000 + ".md",
    ],
)
def test_a_path_outside_memory_is_refused(sources: list[Source], path: str):
    """B10"""
    assert refusal(sources, path)


def test_an_absolute_path_outside_is_refused_whether_it_is_there_or_not(sources: list[Source], tmp_path: Path):
    """B10: a refusal tells nothing about other files"""
    (there,) = {refusal(sources, str(tmp_path / "secret.md")).replace("secret", "…")}
    assert there == refusal(sources, str(tmp_path / "nosuch.md")).replace("nosuch", "…")
    assert "MEMORY.md" in there
    assert "docs/" in there


def test_a_link_out_of_memory_is_refused(sources: list[Source], agent: Path, tmp_path: Path):
    """B10"""
    (agent / "memory" / "file.md").symlink_to(tmp_path / "secret.md")
    (agent / "memory" / "nowhere.md").symlink_to(tmp_path / "nosuch.md")
    (agent / "memory" / "folder").symlink_to(tmp_path)
    (agent / "memory" / "zero.md").symlink_to("/dev/zero")
    (agent / "memory" / "ignored.md").symlink_to(agent / "memory" / ".git" / "a.md")
    (agent / "memory" / "other.md").symlink_to("a.txt")
    (agent / "memory" / "circle.md").symlink_to("circle.md")
    for path in ("file.md", "nowhere.md", "folder/secret.md", "zero.md", "ignored.md", "other.md", "circle.md"):
        assert refusal(sources, f"memory/{path}")
        assert refusal(sources, str(agent / "memory" / path))


def test_a_link_that_stays_in_memory_is_followed(sources: list[Source], agent: Path):
    """B10: what a scan lists can be asked for"""
    (agent / "memory" / "today.md").symlink_to("a.md")
    for path in ("memory/today.md", str(agent / "memory" / "today.md")):
        assert within(sources, path) == (sources[0], str(agent / "memory" / "a.md"))


def test_what_is_no_regular_file_is_refused(sources: list[Source], agent: Path):
    """B10"""
    os.mkfifo(agent / "memory" / "pipe.md")
    (agent / "memory" / "folder.md").mkdir()
    for path in ("memory/pipe.md", "memory/folder.md"):
        assert "regular" in refusal(sources, path)


@pytest.mark.parametrize("path", ["memory/2026-01-01.md", "memory/a.md/b.md", "docs/sub/x.md"])
def test_a_file_that_is_not_there_is_not_found(sources: list[Source], path: str):
    """B10"""
    with pytest.raises(NotFound, match=path):
        within(sources, path)


def test_a_file_of_a_disk_that_is_gone_is_not_found(tmp_path: Path):
    gone = Source(name="docs", root=(tmp_path / "gone").resolve(), shape=Shape.TREE, lane=Lane.DOCS)
    with pytest.raises(NotFound):
        within([gone], "docs/a.md")


def test_beside_a_single_file_nothing_is_memory(tmp_path: Path):
    """B10, E15"""
    decisions = file(tmp_path / "DECISIONS.md")
    file(tmp_path / "private.md")
    only = Source(name="top", root=decisions, shape=Shape.TREE, lane=Lane.DOCS)
    assert within([only], "top/DECISIONS.md") == (only, str(decisions))
    assert within([only], str(decisions)) == (only, str(decisions))
    for path in ("top/private.md", str(tmp_path / "private.md"), "top/DECISIONS.md/private.md"):
        assert refusal([only], path)


def test_folders_ignored_besides_are_refused_too(sources: list[Source], agent: Path):
    file(agent / "memory" / ".trash" / "b.md")
    assert within(sources, "memory/.trash/b.md")
    with pytest.raises(InvalidRequest, match="ignored"):
        within(sources, "memory/.trash/b.md", also_ignore=[".trash"])


def test_without_sources_nothing_is_memory():
    assert "no folder is indexed yet" in refusal([], "MEMORY.md")


def test_a_folder_swapped_for_a_link_after_it_was_checked_gives_nothing_away(
    sources: list[Source], agent: Path, tmp_path: Path
):
    """B10"""
    file(tmp_path / "a.md", "secret")
    _, real = within(sources, "memory/a.md")
    (agent / "memory").rename(agent / "old")
    (agent / "memory").symlink_to(tmp_path)
    with pytest.raises(Unreadable, match="link"):
        read(real, max_bytes=LIMIT)


# excerpt


@pytest.mark.parametrize(
    ("start", "count", "expected"),
    [
        (None, None, ("a\nb\r\nc\u2028d\n", 1, 3, 3)),
        (1, 1, ("a", 1, 3, 1)),
        (2, 1, ("b\r", 2, 3, 2)),
        (2, None, ("b\r\nc\u2028d", 2, 3, 3)),
        (None, 2, ("a\nb\r", 1, 3, 2)),
        (3, 99, ("c\u2028d", 3, 3, 3)),
        (4, 1, ("", 4, 3, 3)),
        (50, None, ("", 50, 3, 3)),
    ],
)
def test_an_excerpt_is_exactly_those_lines(start: int | None, count: int | None, expected: tuple[str, int, int, int]):
    """B10"""
    part = excerpt("a\nb\r\nc\u2028d\n", start, count)
    assert (part.text, part.start, part.total, part.end) == expected


def test_an_empty_text_has_no_lines():
    part = excerpt("", 1, 1)
    assert (part.text, part.total, part.end) == ("", 0, 0)
    assert excerpt("\n", 1, 1)[1:] == (1, 1)


@pytest.mark.parametrize(("start", "count", "field"), [(0, 1, "from"), (-1, None, "from"), (1, 0, "lines")])
def test_lines_count_from_one(start: int, count: int | None, field: str):
    """B10"""
    with pytest.raises(InvalidRequest) as refused:
        excerpt("a", start, count)
    assert refused.value.field == field


@given(
    st.lists(st.text(alphabet="ab \r\u2028", max_size=4), min_size=1, max_size=8), st.integers(1, 9), st.integers(1, 9)
)
def test_excerpts_one_after_the_other_are_the_whole_text(lines: list[str], start: int, count: int):
    """B10"""
    text = "\n".join(lines) + "\n"
    got = [excerpt(text, number, 1).text for number in range(1, len(lines) + 1)]
    assert got == lines
    assert excerpt(text, start, count).text == "\n".join(lines[start - 1 : start - 1 + count])
