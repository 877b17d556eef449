"""Markdown is read by its lines: blocks, headings, front matter and the day of a note (B4, B8, X15)."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cortex.workspace.markdown import BlockKind, dated, front_matter, lines_of, plain, read, sections
from sweeps import for_each


def blocks(text: str) -> list[tuple[str, int, int]]:
    return [(block.kind.value, block.start_line, block.end_line) for block in read(text).blocks]


def headings(text: str) -> list[tuple[int, str, int]]:
    found = [block for block in read(text).blocks if block.kind is BlockKind.HEADING]
    return [(block.level, block.text, block.start_line) for block in found]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\n", ["a", ""]),
        ("a\r\nb\r\n", ["a\r", "b\r"]),
        ("a\rb", ["a\rb"]),
        ("a\u2028b\x0bc\x85d\n", ["a\u2028b\x0bc\x85d"]),
        ("\ufeffa\nb", ["a", "b"]),
        ("\ufeff", []),
    ],
)
def test_a_line_ends_where_an_editor_ends_it(text: str, lines: list[str]):
    assert lines_of(text) == lines
    assert read(text).lines == tuple(lines)


def test_every_line_is_in_one_block_with_its_number():
    """(B4)"""
    text = (
        "# Title\n"  # 1
        "\n"  # 2
        "Some text\n"  # 3
        "over two lines\n"  # 4
        "\n"  # 5
        "\n"  # 6
        "| a | b |\n"  # 7
        "|---|---|\n"  # 8
        "| 1 | 2 |\n"  # 9
        "- first\n"  # 10
        "  goes on\n"  # 11
        "  - nested\n"  # 12
        "- second\n"  # 13
        "***\n"  # 14
        "```python\n"  # 15
        "# no heading\n"  # 16
        "\n"  # 17
        "```\n"  # 18
        "<!-- a\n"  # 19
        "# comment -->\n"  # 20
        "Set\n"  # 21
        "===\n"  # 22
    )
    assert blocks(text) == [
        ("heading", 1, 1),
        ("blank", 2, 2),
        ("paragraph", 3, 4),
        ("blank", 5, 6),
        ("table", 7, 9),
        ("item", 10, 11),
        ("item", 12, 12),
        ("item", 13, 13),
        ("rule", 14, 14),
        ("fence", 15, 18),
        ("html", 19, 20),
        ("heading", 21, 22),
    ]


@pytest.mark.parametrize(
    ("line", "heading"),
    [
        ("# One", (1, "One")),
        ("###### Six", (6, "Six")),
        ("   ## Indented", (2, "Indented")),
        ("## Closed ##", (2, "Closed")),
        ("## C#", (2, "C#")),
        ("#\tTab", (1, "Tab")),
        ("# Windows\r", (1, "Windows")),
        ("##", (2, "")),
        ("## ##", (2, "")),
    ],
)
def test_a_heading_is_one_to_six_hashes_and_a_space(line: str, heading: tuple[int, str]):
    """(X15)"""
    assert headings(f"text\n\n{line}\ntext") == [(*heading, 3)]


@pytest.mark.parametrize(
    "line",
    [
        "#tag",
        "####### seven",
        "    # code",
        "\t# code",
        "\\# escaped",
        "> # quoted",
        "- # item",
        "1. step\n\n   # in the item",
    ],
)
def test_what_only_looks_like_a_heading_is_none(line: str):
    assert headings(f"text\n\n{line}\n") == []


def test_an_underline_makes_a_heading_of_one_line():
    assert headings("One\n===\n\nTwo\n---\n") == [(1, "One", 1), (2, "Two", 4)]
    assert blocks("One\n===\n")[0] == ("heading", 1, 2)


@pytest.mark.parametrize(
    "text",
    [
        "several\nlines\n---\n",
        "\n---\n",
        "- item\n---\n",
        "> quote\n---\n",
        "    code\n---\n",
        "word\n-\n",
        "```\nx\n---\n```",
    ],
)
def test_the_same_marks_below_anything_else_are_no_underline(text: str):
    assert headings(text) == []


@pytest.mark.parametrize(
    ("text", "fence"),
    [
        ("```\n# no\n```\n# yes", (1, 3)),
        ("~~~\n# no\n```\n~~~\n# yes", (1, 4)),
        ("````\n```\n# no\n````\n# yes", (1, 4)),
        ("```\n# no\n````\n# yes", (1, 3)),
        ("```\n# no\n``` x\n```\n# yes", (1, 4)),
        ("```\n    ```\n# no\n```\n# yes", (1, 4)),
        ("```\r\n# no\r\n```\r\n# yes", (1, 3)),
        ("- a\n\n  ```\n  # no\n  ```\n# yes", (3, 5)),
        ("1. a\n     ```\n# no\n     ```\n# yes", (2, 4)),
        ("```\n# no\n\n\n", (1, 2)),
        ("~~~\n\n# no", (1, 3)),
    ],
)
def test_a_fence_ends_at_its_own_mark_or_with_the_text(text: str, fence: tuple[int, int]):
    """A hash within it is no heading (X15)"""
    assert [each[1:] for each in blocks(text) if each[0] == "fence"] == [fence]
    assert [title for _, title, _ in headings(text)] == (["yes"] if "# yes" in text else [])


def test_ticks_within_a_line_open_no_fence():
    assert blocks("```code``` in a line\n# yes")[0] == ("paragraph", 1, 1)


def test_a_fence_tells_its_language():
    assert read("~~~ python title=x\n~~~").blocks[0].text == "python title=x"


def test_a_table_is_its_head_its_dashes_and_its_rows():
    assert blocks("words\na | b\n--|:-:\n1 | 2\n3 | 4\n\nafter | table") == [
        ("paragraph", 1, 1),
        ("table", 2, 5),
        ("blank", 6, 6),
        ("paragraph", 7, 7),
    ]
    assert blocks("- item\n  | a |\n  |---|\n  | 1 |\n- item")[1] == ("table", 2, 4)
    assert {kind for kind, _, _ in blocks("a | b\nno dashes | here")} == {"paragraph"}


def test_items_know_whether_they_are_nested():
    assert [block.level for block in read("- a\n  - b\n    - c\n- d\n10. e\n").blocks] == [1, 2, 2, 1, 1]


def test_what_stands_verbatim_has_no_headings():
    assert headings("<pre>\n# no\n</pre>\n# yes\n<!-- one line -->\n# too\n<SCRIPT>\n# no\n") == [
        (1, "yes", 4),
        (1, "too", 6),
    ]


@for_each(
    ("written", "title"),
    [
        ("**Bold** and *thin* and ~~gone~~", "Bold and thin and gone"),
        ("***All*** __of__ _it_", "All of it"),
        ("The `__init__` of snake_case_names", "The __init__ of snake_case_names"),
        ("``a ` b``", "a ` b"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("[Link](https://example.org/a_(b)) and [ref][x]", "Link and ref"),
        ("[![Badge](badge.svg)](https://example.org) Name", "Badge Name"),
        ("[[Page]] and [[Page|shown]]", "Page and shown"),
        ("Anchored {#anchor}", "Anchored"),
        ("Styled {.class #id}", "Styled"),
        ('<a name="x"></a>Tagged <kbd>K</kbd>', "Tagged K"),
        ("List<T> &amp; more", "List<T> & more"),
        (r"\*as it is\* \# here", "*as it is* # here"),
        ("  wide   spaces ", "wide spaces"),
        ("a [ lone bracket", "a [ lone bracket"),
    ],
)
def test_a_title_is_read_without_its_markup(written: str, title: str):
    """(X15)"""
    assert plain(written) == title


def test_a_title_stays_short_whatever_the_heading():
    assert len(read("# " + "word " * 10_000).title) <= 200


def test_front_matter_says_values_and_lists():
    text = (
        "---\n"
        "title: 'It''s: a note'\n"
        'Summary: "With \\"quotes\\""\n'
        "# a comment\n"
        'tags: [one, "two, three", four ]\n'
        "people:\n"
        "  - Anna\n"
        "  - 'Ben'\n"
        "flat:\n"
        "- x\n"
        "draft: true\n"
        "url: https://example.org/a:b\n"
        "empty:\n"
        "long: |\n"
        "  first\n"
        "  second\n"
        "nested:\n"
        "  key: value\n"
        "---\n"
        "# Heading\n"
    )
    document = read(text)
    assert document.front == {
        "title": "It's: a note",
        "summary": 'With "quotes"',
        "tags": ("one", "two, three", "four"),
        "people": ("Anna", "Ben"),
        "flat": ("x",),
        "draft": "true",
        "url": "https://example.org/a:b",
        "empty": "",
        "long": "first\nsecond",
        "nested": "key: value",
    }
    assert document.front == front_matter(text)
    assert document.front_lines == 19
    assert document.title == "It's: a note"
    assert [(block.kind.value, block.start_line, block.end_line) for block in document.blocks] == [
        ("front", 1, 19),
        ("heading", 20, 20),
    ]


@pytest.mark.parametrize(
    ("text", "front", "lines"),
    [
        ("---\r\ntitle: x\r\n---\r\ntext", {"title": "x"}, 3),
        ("\ufeff---\ntitle: x\n...\ntext", {"title": "x"}, 3),
        ("---\n---\ntext", {}, 2),
        ("---\ntitle: never closed\n", {}, 0),
        ("---\nprose, then a rule\n---\n", {}, 0),
        ("---\n- item\n---\n", {}, 0),
        ("---\nhttp://example.org\n---\n", {}, 0),
        (" ---\ntitle: x\n---\n", {}, 0),
        ("text\n---\ntitle: x\n---\n", {}, 0),
        ("", {}, 0),
    ],
)
def test_what_cannot_be_read_as_front_matter_is_content(text: str, front: dict[str, str], lines: int):
    document = read(text)
    assert (document.front, document.front_lines) == (front, lines)
    assert front_matter(text) == front


def test_the_title_is_the_front_matters_else_the_first_heading_of_level_one():
    assert read("## Two\n# One\n# Other").title == "One"
    assert read("---\ntitle: Given\n---\n# One").title == "Given"
    assert read("## Two only").title == ""


def test_sections_follow_the_headings_down_to_the_fourth_level():
    """(X15)"""
    text = (
        "before\n"  # 1
        "# A\n"  # 2
        "text\n"  # 3
        "### A deep\n"  # 4
        "## B\n"  # 5
        "### C\n"  # 6
        "#### D\n"  # 7
        "##### E\n"  # 8
        "text\n"  # 9
        "###### F\n"  # 10
        "\n"  # 11
        "## G\n"  # 12
        "# H\n"  # 13
    )
    assert [(each.path, each.level, each.start_line, each.end_line) for each in sections(read(text))] == [
        ((), 0, 1, 1),
        (("A",), 1, 2, 3),
        (("A", "A deep"), 3, 4, 4),
        (("A", "B"), 2, 5, 5),
        (("A", "B", "C"), 3, 6, 6),
        (("A", "B", "C", "D"), 4, 7, 11),
        (("A", "G"), 2, 12, 12),
        (("H",), 1, 13, 13),
    ]
    assert sections(read("")) == ()


def test_the_title_of_a_file_heads_every_path_once():
    """(X15)"""
    given = "---\ntitle: Guide\n---\n"
    assert [each.path for each in sections(read(f"{given}# guide\n## Start\n# Annex\n"))] == [
        ("Guide",),
        ("guide",),
        ("guide", "Start"),
        ("Guide", "Annex"),
    ]
    assert sections(read(f"{given}## Start\n"))[1].path == ("Guide", "Start")


def day(year: int, month: int, number: int) -> datetime:
    return datetime(year, month, number, tzinfo=UTC)


@for_each(
    ("path", "front", "expected"),
    [
        ("memory/2026-05-01.md", {}, day(2026, 5, 1)),
        ("memory/2026-05-01-standup.md", {}, day(2026, 5, 1)),
        ("notes/meeting 2026-05-01 b.md", {}, day(2026, 5, 1)),
        ("memory\\2026-05-01.md", {}, day(2026, 5, 1)),
        ("log/2026/05/01.md", {}, day(2026, 5, 1)),
        ("2026/05/01.md", {}, day(2026, 5, 1)),
        ("MEMORY.md", {}, None),
        ("2026-05-01/notes.md", {}, None),
        ("docs/2026/05/10-things.md", {}, None),
        ("memory/2026-02-30.md", {}, None),
        ("memory/2026-13-01.md", {}, None),
        ("memory/0000-01-01.md", {}, None),
        ("id-12026-05-011.md", {}, None),
        ("a.md", {"date": "2026-05-01"}, day(2026, 5, 1)),
        ("a.md", {"date": "2026-05-01T23:30:00-08:00"}, day(2026, 5, 1)),
        ("a.md", {"created": "2026-05-01 10:00"}, day(2026, 5, 1)),
        ("a.md", {"date": "2026-05-02", "created": "2026-05-01"}, day(2026, 5, 2)),
        ("a.md", {"date": "soon", "created": "2026-05-01"}, day(2026, 5, 1)),
        ("a.md", {"date": "2026-02-30"}, None),
        ("a.md", {"date": ("2026-05-01",)}, None),
        ("2026-05-01.md", {"date": "2020-01-01"}, day(2026, 5, 1)),
        ("2026-99-01.md", {"date": "2020-01-01"}, day(2020, 1, 1)),
    ],
)
def test_a_note_is_of_the_day_its_name_or_its_front_matter_says(
    path: str, front: dict[str, object], expected: datetime | None
):
    """(B8)"""
    assert dated(path, front) == expected
