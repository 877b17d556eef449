"""What holds for the pieces of any text: nothing is lost or said twice, and every line number is true (B4, X15)."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.text import estimate_tokens
from cortex.workspace.chunking import TextSpan, by_sections, lines
from cortex.workspace.markdown import BOM, Block, BlockKind, MarkdownSection, read, sections
from sweeps import sweep

WORDS = st.sampled_from(
    [*"note The deploy key. Why? é 漢字 。 **bold** `code` #tag | [x](y.png) - 1. --- ``` <!-- T:".split(), "\t"]
)
TEXT = st.lists(WORDS, min_size=1, max_size=25).map(" ".join)
HEADING = st.builds(lambda level, title: f"{'#' * level} {title}", st.integers(1, 6), TEXT)
UNDERLINED = st.builds(lambda title, mark: f"{title}\n{mark * 3}", TEXT, st.sampled_from("=-"))
PARAGRAPH = st.lists(TEXT, min_size=1, max_size=6).map("\n".join)
ITEMS = st.lists(st.builds(lambda lead, text: f"{lead}{text}", st.sampled_from(["- ", "  - ", "    * ", "1. "]), TEXT),
                 min_size=1, max_size=6).map("\n".join)  # fmt: skip
FENCE = st.builds(
    lambda mark, inner, closed, lead: "\n".join(
        f"{lead}{line}" for line in [mark, *inner, *([mark] if closed else [])]
    ),
    st.sampled_from(["```", "~~~", "`````"]),
    st.lists(st.one_of(TEXT, st.just(""), st.just("# no heading"), st.just("``")), max_size=8),
    st.sampled_from([True, True, True, False]),
    st.sampled_from(["", "  "]),
)
TABLE = st.lists(TEXT, max_size=6).map(
    lambda rows: "\n".join(["| a | b |", "|---|:-:|", *(f"| {row} |" for row in rows)])
)
BLOCK = st.one_of(
    HEADING, HEADING, UNDERLINED, PARAGRAPH, ITEMS, FENCE, TABLE,
    st.sampled_from(["", "---", "<!-- # hidden\n-->", "> quote\n> more", "    # code"]),
)  # fmt: skip
FRONT = st.sampled_from(["", "", "---\ntitle: T\ntags: [a, b]\n---\n", BOM])
GAP = st.sampled_from(["\n", "\n\n", "\n\n\n", "\n \t\n"])
BODY = st.lists(st.builds(lambda block, gap: block + gap, BLOCK, GAP), min_size=1, max_size=14).map("".join)
NEWLINE = st.sampled_from(["\n", "\n", "\r\n"])
MARKDOWN = st.builds(lambda front, body, newline: (front + body).replace("\n", newline), FRONT, BODY, NEWLINE)
MARKS = st.text(alphabet="#`~|-=[]() .!>*\n\r\t\ufeff\u2028\x00\x0c漢。a\ud800", max_size=300)
DECODED = st.sampled_from(["replace", "surrogateescape"])
BYTES = st.builds(lambda raw, errors: raw.decode("utf-8", errors), st.binary(max_size=300), DECODED)
ANY = st.one_of(MARKDOWN, MARKS, BYTES)
TOKENS = st.sampled_from([1, 2, 5, 12, 40, 400])


def stand_where_they_say(content: str, pieces: list[TextSpan]) -> None:
    for piece in pieces:
        assert piece.text == content[piece.start : piece.end] != ""
        assert piece.start_line == content.count("\n", 0, piece.start) + 1
        assert piece.end_line == content.count("\n", 0, piece.end) + 1
        first, last = piece.text.split("\n")[0], piece.text.split("\n")[-1]
        assert first in content.split("\n")[piece.start_line - 1]
        assert last in content.split("\n")[piece.end_line - 1]


def left_out(content: str, pieces: list[TextSpan]) -> str:
    """What no piece has."""
    kept = [True] * len(content)
    for piece in pieces:
        kept[piece.start : piece.end] = [False] * (piece.end - piece.start)
    return "".join(mark for mark, keep in zip(content, kept, strict=True) if keep)


@given(ANY, TOKENS, st.sampled_from([0, 1, 3, 80, 500]))
def test_pieces_by_size_cover_every_line_and_repeat_the_end_of_the_one_before(content: str, tokens: int, overlap: int):
    """(B4): the last lines within the overlap; at least the last line, or its end"""
    pieces = lines(content, tokens=tokens, overlap=overlap)
    stand_where_they_say(content, pieces)
    assert not left_out(content.removeprefix(BOM), [moved(piece, content) for piece in pieces]).strip()
    assert all(len(piece.text) <= tokens * 4 for piece in pieces)
    for one, other in pairwise(pieces):
        assert one.start < other.start
        assert one.end < other.end
        assert one.end - other.start <= (tokens * 2 if overlap else 0)
    assert lines(content, tokens=tokens, overlap=overlap) == pieces


LINE = st.one_of(
    st.just(""),
    st.builds(lambda word, times: word * times, st.sampled_from(["x", "word ", "漢"]), st.integers(1, 2_000)),
)


@given(st.lists(LINE, min_size=1, max_size=30))
def test_every_piece_by_size_begins_with_the_last_line_of_the_one_before_or_its_end(written: list[str]):
    """(B4): 400 tokens, 80 of overlap; whatever the lines are"""
    content = "\n".join(written)
    pieces = lines(content)
    stand_where_they_say(content, pieces)
    for one, other in pairwise(pieces):
        shared = content[other.start : one.end]
        assert shared.strip(), "more than blank lines is repeated"
        assert other.start_line <= one.end_line
        # As many whole lines as the overlap has room for, unless what follows needs that room.
        last = one.text.rstrip("\n").rsplit("\n", 1)[-1]
        fresh = content[one.end :].lstrip("\n").split("\n")[0]
        if len(last) < 300 and len(fresh) < 1_200:
            assert last in shared


def moved(piece: TextSpan, content: str) -> TextSpan:
    """The piece as it stands in the text without its byte order mark."""
    by = len(content) - len(content.removeprefix(BOM))
    return TextSpan(piece.text, piece.start_line, piece.end_line, piece.section, piece.start - by, piece.end - by)


@given(ANY, TOKENS)
def test_pieces_by_size_gather_as_many_lines_as_fit(content: str, tokens: int):
    """(B4)"""
    pieces = lines(content, tokens=tokens, overlap=0)
    for one, other in pairwise(pieces):
        fresh = other.text.split("\n")[0]
        between = other.start - one.end
        assert len(one.text) + between + len(fresh) + 1 > tokens * 4


@given(ANY, TOKENS)
def test_pieces_by_section_have_every_line_exactly_once(content: str, tokens: int):
    """(X15)"""
    pieces = by_sections(content, tokens=tokens)
    stand_where_they_say(content, pieces)
    assert not left_out(content.removeprefix(BOM), [moved(piece, content) for piece in pieces]).strip()
    assert all(one.end <= other.start for one, other in pairwise(pieces))
    assert all(estimate_tokens(piece.text) <= tokens for piece in pieces)
    for piece in pieces:
        assert piece.text.split("\n")[0].strip()
        assert piece.text.split("\n")[-1].strip()
    for number, line in enumerate(read(content).lines, start=1):
        if line.strip() and estimate_tokens(line) <= tokens:
            holding = [piece for piece in pieces if piece.start_line <= number <= piece.end_line]
            assert len(holding) == 1
            assert line in holding[0].text.split("\n")
    assert by_sections(content, tokens=tokens) == pieces


@given(MARKDOWN, TOKENS)
def test_pieces_lie_within_one_section_but_for_headings_that_join_their_first_subsection(content: str, tokens: int):
    """(X15)"""
    document = read(content)
    whole = sections(document)
    blocks = [block for block in document.blocks if block.kind is not BlockKind.BLANK]
    long_front = document.front_lines and by_sections(content, tokens=tokens)[0].end_line <= document.front_lines
    for piece in by_sections(content, tokens=tokens):
        if long_front and piece.end_line <= document.front_lines:
            continue
        touched = [each for each in whole if each.start_line <= piece.end_line and piece.start_line <= each.end_line]
        assert piece.section == touched[-1].path or is_bare(touched[-1], blocks)
        for above, below in pairwise(touched):
            assert is_bare(above, blocks)
            assert below.level > above.level


def is_bare(section: MarkdownSection, blocks: list[Block]) -> bool:
    inside = [block for block in blocks if section.start_line <= block.start_line <= section.end_line]
    return all(block.kind in {BlockKind.FRONT, BlockKind.HEADING} for block in inside)


@given(MARKDOWN, st.sampled_from([5, 12, 40]))
def test_blocks_that_fit_are_never_cut(content: str, tokens: int):
    """Fences and tables, and paragraphs and items as well (X15)"""
    pieces = by_sections(content, tokens=tokens)
    document = read(content)
    for block in document.blocks:
        text = "\n".join(document.lines[block.start_line - 1 : block.end_line])
        if block.kind is not BlockKind.BLANK and estimate_tokens(text) <= tokens:
            holding = [p for p in pieces if p.start_line <= block.start_line and block.end_line <= p.end_line]
            assert len(holding) == 1
            assert text in holding[0].text


@given(ANY)
def test_the_blocks_and_the_sections_of_any_text_have_every_line_once(content: str):
    """(X15)"""
    document = read(content)
    for parts in (document.blocks, sections(document)):
        numbers = [number for part in parts for number in range(part.start_line, part.end_line + 1)]
        assert numbers == list(range(1, len(document.lines) + 1))


LONG = 1_000_000
ADVERSARIAL = {
    **{mark: mark * LONG for mark in ["#", "`", "|", "[", "-", "_", ".", " ", "x", "\x00", "\r", "\ud800", "é"]},
    **{unit: unit * (LONG // len(unit)) for unit in ["# ", "- ", "1. ", "> ", "x. ", "![", "[a](", "<!--", "a\u2028"]},
    "漢": "漢" * 100_000,
    "lines of hashes": "#\n" * 50_000,
    "lines of dashes": "-\n" * 50_000,
    "lines of pipes": "|-|\n" * 50_000,
    "fences": "```\n~~~\n" * 30_000,
    "underlines": "x\n===\n" * 30_000,
    "blank lines": "\n" * 200_000,
    "mixed line ends": "a\r\nb\rc\n\r" * 40_000,
    "nested lists": "\n".join(f"{'  ' * depth}- x" for depth in range(1000)),
    "emphasis": f"# {'*a ' * 60}\n" * 2000,
    "brackets in headings": f"# {'[' * 190}\n" * 2000,
    "open front matter": "---\n" + "key: value\n" * 50_000,
    "lists in front matter": "---\nkey: [a, " + "',\"" * 200_000 + "]\n---\n",
}


@pytest.mark.parametrize("name", sweep(ADVERSARIAL, ["fences", "mixed line ends", "emphasis", "open front matter"]))
def test_a_megabyte_of_anything_is_cut_in_time_that_grows_with_its_length(name: str):
    """Were any step to look at the text again and again, this would take hours (B4, X15)"""
    content = ADVERSARIAL[name]
    for pieces in (lines(content), by_sections(content)):
        assert sum(len(piece.text) for piece in pieces) >= len("".join(content.split())) - len(pieces)
        assert all(estimate_tokens(piece.text) <= 1600 for piece in pieces)
