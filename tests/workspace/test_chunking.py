"""A file becomes pieces that know their lines: by size with overlap (B4), or along the tree of its sections (X15)."""

from __future__ import annotations

import hashlib
from itertools import pairwise

import pytest

from cortex.domain.text import estimate_tokens
from cortex.errors import InvalidRequest
from cortex.workspace.chunking import TextSpan, by_sections, lines


def spans(pieces: list[TextSpan]) -> list[tuple[int, int]]:
    return [(piece.start_line, piece.end_line) for piece in pieces]


def sentence(number: int, words: int = 10) -> str:
    return f"Sentence {number} has {'some ' * (words - 5)}more words."


# --- by size


def test_a_short_file_is_one_piece_with_its_lines_and_its_hash():
    """(B4)"""
    content = "# Title\n\nSome text\n"
    (piece,) = lines(content)
    assert piece == TextSpan("# Title\n\nSome text", 1, 3, (), 0, 18)
    assert piece.hash == hashlib.sha256(b"# Title\n\nSome text").hexdigest()


def test_a_piece_holds_1600_characters_and_repeats_320_of_the_one_before():
    """400 tokens and 80 of overlap, four characters each; a line counts one more than its length (B4)"""
    content = "\n".join(f"{number:03d} {'x' * 75}" for number in range(1, 101))  # 79 characters a line, 80 counted
    pieces = lines(content)
    assert spans(pieces)[:3] == [(1, 20), (17, 36), (33, 52)]
    assert all(len(piece.text) == 20 * 80 - 1 for piece in pieces[:-1])
    assert pieces[-1].end_line == 100
    assert all(one.end - other.start == 4 * 80 - 1 for one, other in pairwise(pieces))


@pytest.mark.parametrize(("length", "last"), [(1599, 1), (799, 2), (800, 1), (1600, 1)])
def test_a_line_is_gathered_while_the_whole_stays_within_the_limit(length: int, last: int):
    """(B4)"""
    assert lines("\n".join(["x" * length] * 4), overlap=0)[0].end_line == last


def test_only_whole_lines_within_the_overlap_are_repeated():
    """(B4)"""
    content = "\n".join(["a" * 1000, "b" * 250, "c" * 100, "d" * 1400])
    assert spans(lines(content)) == [(1, 3), (3, 4)]
    assert spans(lines(content, overlap=0)) == [(1, 3), (4, 4)]


def test_a_last_line_longer_than_the_overlap_is_repeated_all_the_same():
    """Whole where it leaves half of the piece to what is new, and else its end, from a word on (B4)"""
    pieces = lines("\n".join(["a" * 900, "b" * 500, "c" * 700]))
    assert [piece.text[:1] + piece.text[-1:] for piece in pieces] == ["ab", "bc"]
    assert (spans(pieces), len(pieces[1].text)) == ([(1, 2), (2, 3)], 1201)
    words = "words of one long line " * 60
    one, other = lines(f"{words}\n{'next ' * 100}")
    assert other.start < one.end
    assert other.text.split("\n")[0] in words[-320:]
    assert other.text.startswith(("words", "of", "one", "long", "line"))


def test_what_is_repeated_is_not_merely_a_blank_line():
    """(B4)"""
    one, other = lines("\n".join(["a" * 800, "The last words.", "", "b" * 1400]))
    assert other.text.startswith("The last words.\n\nbbb")
    assert spans([one, other]) == [(1, 3), (2, 4)]


def test_a_line_that_leaves_no_room_to_what_is_repeated_is_cut():
    """No piece is over the limit, and none begins without the end of the one before (B4)"""
    pieces = lines("\n".join(["a" * 1300, "b" * 200, "c" * 1599]))
    assert spans(pieces) == [(1, 2), (2, 3), (3, 3)]
    assert all(len(piece.text) <= 1600 for piece in pieces)
    assert spans(lines("\n".join(["a" * 1300, "b" * 200, "c" * 1599]), overlap=0)) == [(1, 2), (3, 3)]


def test_a_line_longer_than_a_piece_is_cut_and_keeps_its_number():
    """(B4)"""
    content = f"first\n{'x' * 4000}\nlast\n"
    pieces = lines(content)
    assert [(piece.start_line, piece.end_line, len(piece.text)) for piece in pieces] == [
        (1, 2, 1599),
        (2, 2, 1598),
        (2, 3, 1452),
    ]
    assert all(one.end - other.start > 300 for one, other in pairwise(pieces)), "the end of a part is repeated too"
    assert [len(piece.text) for piece in lines(content, overlap=0)] == [5, 1600, 1600, 805]


def test_pieces_say_where_they_stand_in_the_text():
    """A byte order mark is not part of any, Windows line ends stay (B4)"""
    content = "\ufeffone\r\ntwo\r\n"
    (piece,) = lines(content)
    assert (piece.text, piece.start, piece.end) == ("one\r\ntwo\r", 1, 10)


@pytest.mark.parametrize("content", ["", "\n", "\ufeff", " \n\t\n\r\n", "\n" * 5000])
def test_a_blank_file_has_no_pieces(content: str):
    assert lines(content) == []
    assert by_sections(content) == []


@pytest.mark.parametrize(("tokens", "overlap", "field"), [(0, 0, "tokens"), (-4, 0, "tokens"), (10, -1, "overlap")])
def test_a_size_that_cannot_be_is_refused(tokens: int, overlap: int, field: str):
    with pytest.raises(InvalidRequest) as refused:
        lines("text", tokens=tokens, overlap=overlap)
    assert refused.value.field == field


def test_sections_too_are_cut_to_a_size_that_can_be():
    with pytest.raises(InvalidRequest):
        by_sections("text", tokens=0)


def test_a_lone_surrogate_has_a_hash():
    assert len(lines("\ud800")[0].hash) == 64


# --- by sections


def test_each_section_is_a_piece_with_the_path_of_its_headings():
    """(X15)"""
    content = (
        "# Guide\n"  # 1
        "\n"  # 2
        "Welcome.\n"  # 3
        "\n"  # 4
        "## Install\n"  # 5
        "\n"  # 6
        "Run it.\n"  # 7
        "\n\n"  # 8, 9
        "### On *Linux*\n"  # 10
        "Use apt.\n"  # 11
        "##### Note\n"  # 12
        "Deep headings are content.\n"  # 13
        "## Use\n"  # 14
        "Type.\n"  # 15
    )
    assert [(piece.section, piece.start_line, piece.end_line) for piece in by_sections(content)] == [
        (("Guide",), 1, 3),
        (("Guide", "Install"), 5, 7),
        (("Guide", "Install", "On Linux"), 10, 13),
        (("Guide", "Use"), 14, 15),
    ]
    assert by_sections(content)[1].text == "## Install\n\nRun it."
    assert all(piece.text == content[piece.start : piece.end] for piece in by_sections(content))


def test_a_heading_with_nothing_below_it_joins_its_first_subsection():
    """(X15)"""
    content = "# A\n\n## B\n\n### C\ntext\n## D\n## E\ntext\n# F\n"
    assert [(piece.section, piece.start_line, piece.end_line) for piece in by_sections(content)] == [
        (("A", "B", "C"), 1, 6),
        (("A", "D"), 7, 7),
        (("A", "E"), 8, 9),
        (("F",), 10, 10),
    ]


def test_text_before_the_first_heading_has_no_path_unless_the_file_has_a_title():
    """(X15)"""
    assert [piece.section for piece in by_sections("before\n# A\ntext")] == [(), ("A",)]
    assert [piece.section for piece in by_sections("---\ntitle: T\n---\nbefore\n# A\ntext")] == [("T",), ("T", "A")]


def test_a_short_front_matter_opens_the_first_piece():
    content = "---\ntitle: T\n---\n\n# A\ntext\n"
    assert [(piece.section, piece.start_line, piece.end_line) for piece in by_sections(content)] == [(("T", "A"), 1, 6)]
    assert spans(by_sections("---\ntitle: T\n---\n")) == [(1, 3)]


def test_a_long_front_matter_is_a_piece_of_its_own():
    front = "---\n" + "".join(f"key{number}: some value or other\n" for number in range(20)) + "---\n"
    pieces = by_sections(f"{front}# A\ntext\n", tokens=200)
    assert [(piece.section, piece.start_line, piece.end_line) for piece in pieces] == [((), 1, 22), (("A",), 23, 24)]


def test_a_long_section_is_cut_between_paragraphs_into_about_equal_pieces():
    """(X15)"""
    paragraphs = [" ".join(sentence(number) for _ in range(2)) for number in range(21)]
    content = "# A\n\n" + "\n\n".join(paragraphs) + "\n"
    pieces = by_sections(content, tokens=200)
    sizes = [estimate_tokens(piece.text) for piece in pieces]
    assert len(pieces) == 3
    assert max(sizes) <= 200
    assert min(sizes) >= 0.7 * max(sizes)
    assert {piece.section for piece in pieces} == {("A",)}
    assert [paragraph for piece in pieces for paragraph in piece.text.split("\n\n")] == ["# A", *paragraphs]


def test_no_small_rest_is_left_behind():
    content = "\n\n".join(["x" * 99] * 17)  # just over the limit of 1600
    assert [len(piece.text) for piece in by_sections(content)] in ([806, 907], [907, 806])


def test_a_heading_is_not_left_alone_at_the_end_of_a_piece():
    content = "\n\n".join(["w" * 700, "w" * 700, "##### Deep", "w" * 700, "w" * 700])
    assert [piece.text.count("#####") and piece.text.startswith("#####") for piece in by_sections(content)] == [0, True]


def test_a_fence_or_a_table_that_fits_is_never_cut():
    """(X15)"""
    fence = "```\n" + "\n".join("code" * 5 for _ in range(30)) + "\n\n\ncode\n```"
    table = "| a | b |\n|---|---|\n" + "\n".join("| some | cells |" for _ in range(30))
    content = "\n\n".join(["# A", "words " * 100, fence, "words " * 50, table, "words " * 100])
    pieces = by_sections(content, tokens=200)
    assert sum(fence in piece.text for piece in pieces) == 1
    assert sum(table in piece.text for piece in pieces) == 1


@pytest.mark.parametrize(("more", "cut"), [(0, 1), (1, 2)])
def test_a_block_fits_to_the_last_character(more: int, cut: int):
    fence = "```\n" + "x" * 200 + "\n" + "y" * (400 - 209 + more) + "\n```"
    holding = [piece for piece in by_sections(f"words\n\n{fence}", tokens=100) if piece.end_line > 1]
    assert len([piece for piece in holding if "x" in piece.text or "y" in piece.text]) == cut


def test_a_fence_in_an_item_is_not_cut_either():
    fence = "  ```\n" + "\n".join("  # code" for _ in range(40)) + "\n  ```"
    content = "- " + "words " * 60 + f"\n{fence}\n- " + "words " * 60
    pieces = by_sections(content, tokens=110)
    assert sum(fence in piece.text for piece in pieces) == 1


@pytest.mark.parametrize(("first", "last"), [("```", "```"), ("| head |\n|---|", "| end |")])
def test_a_fence_or_a_table_that_does_not_fit_is_cut_at_its_lines_and_repeats_nothing(first: str, last: str):
    rows = [f"| row {number:04d} |" for number in range(200)]
    content = "\n".join([first, *rows, last])
    pieces = by_sections(content, tokens=100)
    assert len(pieces) > 5
    assert "\n".join(piece.text for piece in pieces) == content
    assert all(estimate_tokens(piece.text) <= 100 for piece in pieces)


def test_items_are_kept_whole():
    items = [f"- {sentence(number)}\n  {sentence(number)}" for number in range(30)]
    pieces = by_sections("\n".join(items), tokens=100)
    assert len(pieces) > 5
    assert all(piece.text.startswith("- Sentence") and piece.text.count("\n") % 2 == 1 for piece in pieces)


def test_a_paragraph_too_long_is_cut_at_lines_where_a_sentence_ends():
    content = "\n".join("This one\ngoes on and on\nover the lines\nuntil at last\nit ends here." for _ in range(40))
    pieces = by_sections(content, tokens=100)
    assert len(pieces) > 3
    assert all(piece.text.endswith("ends here.") for piece in pieces)
    assert "\n".join(piece.text for piece in pieces) == content


def test_a_line_too_long_is_cut_at_the_ends_of_sentences():
    content = " ".join(sentence(number) for number in range(100))
    pieces = by_sections(content, tokens=100)
    assert {piece.start_line for piece in pieces} == {piece.end_line for piece in pieces} == {1}
    assert all(piece.text.startswith("Sentence") for piece in pieces)
    assert "".join(piece.text for piece in pieces) == content


def test_wide_scripts_are_cut_at_their_own_full_stops():
    content = "今天天气很好我们去公园散步吧。" * 50
    pieces = by_sections(content, tokens=100)
    assert all(piece.text.endswith("。") and estimate_tokens(piece.text) <= 100 for piece in pieces)
    assert "".join(piece.text for piece in pieces) == content


def test_a_sentence_too_long_is_cut_at_spaces_and_a_word_too_long_anywhere():
    words = "word " * 500
    assert all(piece.text.startswith("word") for piece in by_sections(words, tokens=100))
    letters = by_sections("x" * 1000, tokens=100)
    assert [len(piece.text) for piece in letters] == [333, 333, 334]
    assert [len(piece.text) for piece in by_sections("漢" * 250, tokens=100)] == [83, 83, 84]


def test_the_parts_of_a_long_line_share_pieces_with_its_neighbours():
    content = f"# A\n{'word ' * 90}\nlast\n"
    pieces = by_sections(content, tokens=100)
    assert spans(pieces) == [(1, 2), (2, 3)]
    assert pieces[0].text.startswith("# A\nword")
    assert pieces[1].text.endswith("\nlast")


def test_pieces_neither_begin_nor_end_with_blank_lines():
    content = "\n\n# A\n\n\ntext\n\n\n\n# B\n\n```\n\n\nunclosed\n\n\n"
    assert [piece.text for piece in by_sections(content)] == ["# A\n\n\ntext", "# B\n\n```\n\n\nunclosed"]


@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_windows_line_ends_and_a_byte_order_mark_change_no_line_number(mark: str):
    content = f"{mark}# A\r\n\r\ntext\r\n## B\r\nmore\r\n"
    pieces = by_sections(content)
    assert [(piece.section, *span) for piece, span in zip(pieces, spans(pieces), strict=True)] == [
        (("A",), 1, 3),
        (("A", "B"), 4, 5),
    ]
    assert pieces[0].text == content[len(mark) :].split("\r\n## B")[0] + "\r"
