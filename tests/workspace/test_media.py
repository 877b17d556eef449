"""Which media a text refers to, and of what kind they are (E19)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.workspace.media import MediaRef, kind_of, references, target_kind
from sweeps import for_each, sweep


@for_each(
    ("text", "found"),
    [
        ("![A cat](img/cat.png)", MediaRef("img/cat.png", "image", "A cat")),
        ('![A *cat*](cat.PNG "On a mat")', MediaRef("cat.PNG", "image", "A cat On a mat")),
        ("![](cat.png 'On a mat')", MediaRef("cat.png", "image", "On a mat")),
        ("![Same](cat.png (Same))", MediaRef("cat.png", "image", "Same")),
        ("![a](<my cat.png>)", MediaRef("my cat.png", "image", "a")),
        ("![a](cat(1).png)", MediaRef("cat(1).png", "image", "a")),
        (r"![a](cat\(1.png)", MediaRef("cat(1.png", "image", "a")),
        ("![a [b] c](cat.png)", MediaRef("cat.png", "image", "a [b] c")),
        ("![a\nb](cat.png\n'c')", MediaRef("cat.png", "image", "a b c")),
        ("![a][cat]\n\n[Cat]: cat.png 'Tom'", MediaRef("cat.png", "image", "a Tom")),
        ("![cat][]\n\n[cat]: <my cat.png>", MediaRef("my cat.png", "image", "cat")),
        ("[cat]: cat.png\n\n![cat]", MediaRef("cat.png", "image", "cat")),
        ("- ![in a list](cat.png)", MediaRef("cat.png", "image", "in a list")),
        ("| ![in a table](cat.png) |\n|---|\n", MediaRef("cat.png", "image", "in a table")),
        ("![[board.svg|The board]]", MediaRef("board.svg", "image", "The board")),
        ('<img alt="A cat" title=Tom src="cat.webp">', MediaRef("cat.webp", "image", "A cat Tom")),
        ("<IMG SRC='a&amp;b.gif' />", MediaRef("a&b.gif", "image", "")),
        ("<video controls src=talk.webm></video>", MediaRef("talk.webm", "video", "")),
        ("[The report](files/q1.pdf)", MediaRef("files/q1.pdf", "document", "The report")),
        ('<a href="talk.mp3">Talk</a>', MediaRef("talk.mp3", "audio", "")),
        ("<https://example.org/talk.ogg>", MediaRef("https://example.org/talk.ogg", "audio", "")),
        (
            "See https://example.org/talk.mov?t=1#x.",
            MediaRef("https://example.org/talk.mov?t=1#x", "video", ""),
        ),
    ],
)
def test_a_reference_names_its_target_its_kind_and_its_caption(text: str, found: MediaRef):
    """(E19)"""
    assert references(text) == (found,)


@for_each(
    "text",
    [
        "",
        "no media here",
        "[a page](notes.md) and ![a badge](https://example.org/badge)",
        "`![in code](cat.png)` and ``![in ` code](cat.png)``",
        "```\n![in a fence](cat.png)\n```",
        "<!-- ![hidden](cat.png) -->",
        "![inline data](data:image/png;base64,AAAA.png)",
        "![never closed](cat.png",
        "!(cat.png) [cat.png] cat.png",
        "![no definition][cat]",
        "[unused]: cat.png",
        "[^1]: cat.png",
        r"\![escaped\](cat.png)",
        "https://example.mov and [a host](https://example.mov)",
        "<img alt='no source'>",
        "---\nimage: cat.png\n---\n",
    ],
)
def test_what_shows_no_media_file_is_no_reference(text: str):
    assert references(text) == ()


def test_references_come_in_order_and_once_with_the_first_caption():
    text = "[![Thumb](t.jpg)](talk.mp4)\nhttps://a.org/x.png ![X](https://a.org/x.png) ![Y](https://a.org/x.png)"
    assert references(text) == (
        MediaRef("t.jpg", "image", "Thumb"),
        MediaRef("talk.mp4", "video", "Thumb"),
        MediaRef("https://a.org/x.png", "image", "X"),
    )


def test_a_tick_pairs_within_its_own_block_only():
    assert [ref.target for ref in references("a ` b\n\n![c](c.png)\n\nd ` e")] == ["c.png"]


@pytest.mark.parametrize(
    ("targets", "kind"),
    [
        ([], ""),
        (["notes.md"], ""),
        (["a.png", "b.JPG"], "image"),
        (["a.png", "notes.md"], "image"),
        (["a.png", "b.pdf"], "mixed"),
        ([MediaRef("a.wav", "audio"), "b.mp3"], "audio"),
    ],
)
def test_media_have_one_kind_or_are_mixed(targets: list[MediaRef | str], kind: str):
    """(E19)"""
    assert kind_of(targets) == kind


@pytest.mark.parametrize(
    "target", ["", ".png", "png", "a.", "a.png/b", "a.png.md", "https://png.mov", "dir.pdf/", "a.pn\ng", "data:x.png"]
)
def test_only_the_extension_of_a_file_tells_a_kind(target: str):
    assert target_kind(target) == ""


@given(st.text(alphabet="![]()<>`\\\"' \nabc.png|:/img src=https", max_size=200))
def test_any_text_is_read_and_every_reference_is_a_media_file(text: str):
    for ref in references(text):
        assert ref.kind == target_kind(ref.target) != ""


UNITS = [
    "![", "[", "]", "![](", "](", '[a](b "', "[a](b '", "<img ", '<img "', "`a``b```c", "![[", "\\", "[](a.png)", "http://",
    "[a]: b ",
]  # fmt: skip


@pytest.mark.parametrize("unit", sweep(UNITS, ['[a](b "', "[a]: b "]))
def test_a_megabyte_of_marks_is_read_at_once(unit: str):
    text = unit * (1_000_000 // len(unit))
    assert len(references(text)) <= 1


def test_deep_brackets_are_read_at_once():
    depth = 5_000
    assert len(references("[" * depth + "](a.png)" * depth)) == 1
    assert references("[a]: b.png\n\n" + "[" * 200_000 + "]" * 200_000) == ()
