"""The Markdown form of memories: what is written is read back exactly, whatever the text and whatever the editor."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cortex.domain.events import EventKind
from cortex.domain.identity import TraceId, format_uuid7
from cortex.domain.memory import Kind, Memory, Retention
from cortex.domain.scope import Tenant
from cortex.domain.trust import TrustTier
from cortex.errors import InvalidRequest
from cortex.exchange import EditableFields, MarkdownReader, Page, markdown_of, markdown_pages
from cortex.exchange.page_reader import Item
from cortex.ports.store import Filter, Put
from cortex.stores.ephemeral import EphemeralStore
from sweeps import for_each

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
ID = TraceId("01a1e124-5208-7180-9d7e-0e4ff0b558d0")
BASE = "0123456789abcdef"


def a_memory(text: str, number: int = 0, **fields: Any) -> Memory:
    return Memory(id=TraceId(format_uuid7(number, number)), text=text, created_at=NOW, **fields)


def written(*memories: Memory) -> str:
    return markdown_of(memories, Tenant(), position=7, at=NOW)


def read(text: str) -> list[Item]:
    return MarkdownReader(text).items


def read_back(memory: Memory, editor: Callable[[str], str] = str) -> Item:
    (item,) = read(editor(written(memory)))
    return item


NASTY = [
    "plain", "-->", "a --> b", "<!-- a comment -->", "<!-- never closed", "<!-- cortex:id=x base=y -->",
    f"<!-- cortex:id={ID} base={BASE} -->", "cortex:exported", "CORTEX:ID=", f"base={BASE}", "```", "```\ncode\n```",
    "~~~\nnever closed", "# heading", "## fact", "text\n# heading\n## rule", "- item", "- a\n- b", "* a\n+ b",
    "1. one", "---", "---\nschema: x\n---", "a\n---", "===", "> quote", "\ttabbed", "a\n\ttabbed", "a\n    code",
    "  led by spaces", "trailing  ", "a  \nb\t\nc ", "a\n\nb", "a\n\n\n\nb", "a\n   \nb", "\nbegins blank",
    "\n\n  both\n\n", "ends\n", "a\r\nb", "a\rb", "\r", "a\r", "\r\na", "a\x0bb\x0cc", "a\x85b", "a\u2028b\u2029c",
    "\ufeffmarked", "a\u202eb", "a\u200bb", "(tags: a)", "a\n(tags: a)", "a\n(note: b)", "a\n  (importance: 1)  ",
    "a\n(tags: b)\n", "&#13;", "&#38;#13;", "&amp;", "&#9999999;", "&#x20;", "&#", "&#1", "a &#32;", "\\", "\\-", "a\\",
    "|", "a | b", "名前は山田です。", "\u3000全角", "全角\u3000", "می\u200cخواهم", "👩\u200d👩\u200d👧", "e\u0301",
    "\U000e0041", "\x1b[31mred", "\xa0", "\xad", "x" * 60_000, "a\n" * 9_000,
]  # fmt: skip

nasty = st.sampled_from([each for each in NASTY if len(each) < 1_000])
blanks = st.sampled_from(["\n", " ", "  ", "\t", "\r\n"])
texts = st.lists(nasty | st.text(max_size=20) | blanks, max_size=6).map("".join)
said_texts = texts.map(lambda text: text if text.strip() else f"{text}said")
tags = st.lists(texts.map(lambda tag: tag.replace("\x00", "")), max_size=4).map(tuple)
scopes = said_texts.map(lambda text: "".join(filter(str.isprintable, text))[:255]).filter(str.strip)
lives = st.timedeltas(timedelta(microseconds=1), timedelta(days=9_000))
retentions = st.one_of(
    st.sampled_from([Retention.PERMANENT, Retention.PROJECT, Retention.SESSION]).map(lambda kept: {"retention": kept}),
    st.none().map(lambda _: {"retention": Retention.TTL}),
    lives.map(lambda ttl: {"retention": Retention.TTL, "ttl": ttl}),
)


# --- what is written is read back ----------------------------------------------------------------


@for_each("text", [each for each in NASTY if each.strip()])
def test_a_text_comes_back_exactly(text: str) -> None:
    item = read_back(a_memory(text))
    assert item.statement.text == text
    assert item.base == item.statement.digest(item.id or "")


@given(text=said_texts, tags=tags, scope=scopes, kind=st.sampled_from(Kind), kept=retentions,
       importance=st.floats(0, 1) | st.integers(0, 1))  # fmt: skip
def test_whatever_a_memory_says_comes_back_exactly(
    text: str, tags: tuple[str, ...], scope: str, kind: Kind, kept: dict[str, Any], importance: float
) -> None:
    memory = a_memory(text, tags=tags, scope=scope, kind=kind, importance=importance, **kept)
    item = read_back(memory)
    assert item.statement == EditableFields.of(memory)
    assert (item.id, item.base) == (memory.id, EditableFields.of(memory).digest(memory.id))


EDITORS: dict[str, Callable[[str], str]] = {
    "CRLF": lambda page: page.replace("\n", "\r\n"),
    "CR": lambda page: page.replace("\n", "\r"),
    "a byte order mark": lambda page: "\ufeff" + page,
    "no spaces at line ends": lambda page: "\n".join(line.rstrip() for line in page.split("\n")),
    "spaces at line ends": lambda page: page.replace("\n", " \t\n"),
    "no newline at the end": lambda page: page.rstrip("\n"),
    "many newlines at the end": lambda page: page + "\n\n\n",
    "a blank line before comments": lambda page: page.replace("\n  <!-- cortex:", "\n\n  <!-- cortex:"),
    "comments on the line before": lambda page: page.replace("\n  <!-- cortex:", " <!-- cortex:"),
    "comments without indent": lambda page: page.replace("\n  <!-- cortex:", "\n<!-- cortex:"),
    "other bullets": lambda page: re.sub(r"(?m)^- ", "*   ", page),
    "tabs for indents": lambda page: re.sub(r"(?m)^  (?=\S)", "\t", page),
}


@pytest.mark.parametrize("editor", EDITORS)
@given(said=st.lists(said_texts, min_size=1, max_size=3))
@example(said=["a\r\nb  \n\n  c\t", "-->", "\n- x\n"])
def test_an_editor_that_rewrites_line_ends_and_blanks_changes_no_memory(editor: str, said: list[str]) -> None:
    memories = [a_memory(text, number, tags=("a",), importance=0.9) for number, text in enumerate(said)]
    found = read(EDITORS[editor](written(*memories)))
    assert [item.statement for item in found] == [EditableFields.of(memory) for memory in memories]
    assert all(item.base == item.statement.digest(item.id or "") for item in found)


def test_a_page_reads_like_a_note() -> None:
    tagged = a_memory("The key rotates on Mondays", 1, scope="infra", tags=("ops", "a, b"), importance=0.9)
    held = a_memory("Buy\n\n  - now", 2, trust=TrustTier.UNTRUSTED, kind=Kind.RULE)
    bases = [EditableFields.of(memory).digest(memory.id) for memory in (tagged, held)]
    body = written(held, tagged).split("-->\n", 1)[1]
    assert body == (
        "\n# infra\n\n## fact\n\n"
        "- The key rotates on Mondays\n"
        "  (importance: 0.9 | tags: ops, a&#44; b)\n"
        f"  <!-- cortex:id={tagged.id} base={bases[0]} -->\n"
        "\n# personal\n\n## rule\n\n"
        "- Buy\n\n    - now\n"
        f"  <!-- cortex:id={held.id} base={bases[1]} trust=untrusted -->\n"
        f"\n<!-- cortex:exported\n{tagged.id} {bases[0]}\n{held.id} {bases[1]}\n-->\n"
    )


@given(order=st.permutations(range(6)))
def test_the_order_is_by_scope_kind_and_id(order: list[int]) -> None:
    memories = [
        a_memory(f"text {n}", n, scope="ab"[n % 2], kind=(Kind.RULE, Kind.FACT, Kind.OTHER)[n % 3]) for n in range(6)
    ]
    assert written(*(memories[n] for n in order)) == written(*memories)


def test_a_base_stands_for_one_memory_and_each_of_its_fields() -> None:
    memory = a_memory("said", tags=("a", "b"))
    others = [
        memory.revised(text="said "), memory.revised(scope="b"), memory.revised(kind=Kind.RULE),
        memory.revised(importance=0.6), memory.revised(tags=("a",)), memory.revised(tags=("b", "a")),
        memory.revised(retention=Retention.PROJECT), memory.revised(retention=Retention.TTL),
        memory.revised(retention=Retention.TTL, ttl=timedelta(days=1)), a_memory("said", 1, tags=("a", "b")),
    ]  # fmt: skip
    assert len({EditableFields.of(each).digest(each.id) for each in [memory, *others]}) == len(others) + 1
    same = memory.revised(trust=TrustTier.UNTRUSTED, access_count=3, confidence=0.5)
    assert EditableFields.of(same).digest(same.id) == EditableFields.of(memory).digest(memory.id)


def test_a_file_of_more_than_a_million_characters_is_read() -> None:
    memories = [a_memory(f"{number} " + "word -->\n" * 100, number) for number in range(1_200)]
    page = written(*memories)
    assert len(page) > 1_000_000
    assert [item.statement.text for item in read(page)] == [memory.text for memory in memories]


LONG = {
    "newlines": "a" + "\n" * 500_000 + "b", "spaces": "a" + " " * 500_000 + "b", "comments": "<!--" * 250_000,
    "references": "&#" * 500_000, "fields": "a\n(tags:" + " " * 500_000 + "x", "marks": "cortex:" * 150_000,
    "headings": "#" * 500_000,
}  # fmt: skip


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_text_of_very_many_odd_characters_is_read_in_one_go(text: str) -> None:
    assert read_back(a_memory(text)).statement.text == text


# --- pages of a directory ------------------------------------------------------------------------


def pages_of(*scopes: str) -> list[Page]:
    store = EphemeralStore()
    puts = [Put(a_memory("said", number, scope=scope), EventKind.REMEMBERED) for number, scope in enumerate(scopes)]
    store.apply(Tenant(), puts, at=NOW)
    with store.view(Tenant()) as view:
        return markdown_pages(view, Tenant(), Filter(), at=NOW, by_scope=True)


def test_each_scope_has_a_page_and_a_file_name_that_leads_nowhere_else() -> None:
    odd = [
        "../up", "a/b", "a\\b", "a b", "A", "a", ".hidden", "con", "*", "日本", "x" * 250, "x" * 251, "-", "a.md", "~",
    ]  # fmt: skip
    pages = pages_of(*odd)
    names = [page.name for page in pages]
    assert len({name.lower() for name in names}) == len(odd)
    assert all(re.fullmatch(r"[a-z0-9_][a-z0-9_-]{0,80}\.md", name) for name in names), names
    assert "a.md" in names
    assert "con.md" not in names
    assert sorted(item.statement.scope for page in pages for item in read(page.text)) == sorted(odd)
    assert [page.memories for page in pages] == [1] * len(odd)


# --- what a person writes ------------------------------------------------------------------------

HEAD = "---\nschema: cortex.memories.v1\n---\n"


def said(body: str) -> list[EditableFields]:
    return [item.statement for item in read(HEAD + body)]


def test_an_item_without_a_comment_takes_scope_and_kind_from_its_headings() -> None:
    found = said(
        "# infra\n## Rule\n- Never push on Fridays\n* second\n\n  paragraph\n\n## fact\n-\n  below\n# b\n## fact\n- c"
    )
    assert [(each.scope, each.kind.value, each.text) for each in found] == [
        ("infra", "rule", "Never push on Fridays"),
        ("infra", "rule", "second\n\nparagraph"),
        ("infra", "fact", "below"),
        ("b", "fact", "c"),
    ]


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("(importance: 0.9)", {"importance": 0.9}),
        ("( Importance:1|TAGS: a ,  b c,, )", {"importance": 1.0, "tags": ("a", "b c")}),
        ("(retention: session)", {"retention": Retention.SESSION}),
        ("(expires: 2026-03-01)", {"retention": Retention.TTL, "expires": datetime(2026, 3, 1, tzinfo=UTC)}),
        (
            "(expires: 2026-03-01T10:00+02:00)",
            {"retention": Retention.TTL, "expires": datetime(2026, 3, 1, 8, tzinfo=UTC)},
        ),
        ("(tags: )", {"tags": ()}),
    ],
)  # fmt: skip
def test_a_last_line_in_brackets_gives_fields(line: str, fields: dict[str, Any]) -> None:
    (found,) = said(f"# a\n## fact\n- text\n  {line}\n")
    assert found == EditableFields(text="text", scope="a", kind=Kind.FACT, **fields)


@pytest.mark.parametrize(
    "text", ["(tags: a)", "said (tags: a)", "said\n(really)", "said\n&#40;tags: a)", "(a: b)\nsaid"]
)
def test_brackets_elsewhere_are_text(text: str) -> None:
    (found,) = said("# a\n## fact\n- " + text.replace("\n", "\n  "))
    assert found.text == text.replace("&#40;", "(")
    assert found.tags == ()


def test_comments_of_a_persons_own_are_left_out() -> None:
    (found,) = said("<!-- note -->\n# a\n<!--\n- hidden\n-->\n## fact\n- said\n<!-- note -->\n")
    assert found.text == "said"


# --- what is damaged -----------------------------------------------------------------------------

START = HEAD + "# a\n## fact\n"  # the next line is line 6
COMMENT = f"<!-- cortex:id={ID} base={BASE} -->"
DAMAGED: dict[str, tuple[str, int, str]] = {
    "empty": ("", 1, "begins no front matter"),
    "no front matter": ("# a\n## fact\n- b\n", 1, "begins no front matter"),
    "front matter not closed": ("---\nschema: cortex.memories.v1\n# a\n", 1, "is never closed"),
    "no schema": ("---\nuser: x\n---\n", 1, "begins no front matter with a schema"),
    "another schema": ("---\nuser: x\nschema: cortex.memories.v9\n---\n", 3, "has the schema 'cortex.memories.v9'"),
    "no scope": (HEAD + "- b\n", 4, "stands under no scope"),
    "kind without scope": (HEAD + "## fact\n- b\n", 5, "stands under no scope"),
    "no kind": (HEAD + "# a\n- b\n", 5, "stands under no kind"),
    "kind of another scope": (START + "# b\n- c\n", 7, "stands under no kind"),
    "unknown kind": (HEAD + "# a\n\n## facts\n", 6, "kind: 'facts' is not known"),
    "deep heading": (START + "### x\n", 6, "is neither a heading nor an item"),
    "no indent": (START + "- b\nc\n", 7, "is neither a heading nor an item"),
    "too little indent": (START + "- b\n c\n", 7, "is neither a heading nor an item"),
    "text after the comment": (START + f"- b\n  {COMMENT}\n  c\n", 8, "belongs to no item"),
    "text before any item": (START + "  c\n", 6, "belongs to no item"),
    "no text": (START + f"-\n  {COMMENT}\n", 6, "has no text"),
    "only blanks": (START + "- &#32;\n", 6, "has no text"),
    "comment alone": (START + f"  {COMMENT}\n", 6, "is the comment of no item"),
    "two comments": (START + f"- b\n  {COMMENT}\n  {COMMENT}\n", 8, "is the comment of no item"),
    "two comments on a line": (START + f"- b {COMMENT} {COMMENT}\n", 6, "is the comment of no item"),
    "comment in a heading": (START + f"# b {COMMENT}\n", 6, "is the comment of no item"),
    "short id": (START + f"- b\n  <!-- cortex:id={ID[:-1]} base={BASE} -->\n", 7, "is a damaged comment"),
    "id that is none": (START + f"- b\n  <!-- cortex:id={'-' * 36} base={BASE} -->\n", 7, "is a damaged comment"),
    "short base": (START + f"- b\n  <!-- cortex:id={ID} base={BASE[:-1]} -->\n", 7, "is a damaged comment"),
    "no base": (START + f"- b\n  <!-- cortex:id={ID} -->\n", 7, "is a damaged comment"),
    "no id": (START + f"- b\n  <!-- base={BASE} -->\n", 7, "is a damaged comment"),
    "not closed": (START + f"- b\n  {COMMENT[:-4]}\n", 7, "is a damaged comment"),
    "not opened": (START + f"- b\n  {COMMENT[5:]}\n", 7, "is a damaged comment"),
    "another name": (START + f"- b\n  {COMMENT.replace('cortex', 'cortx')}\n", 7, "is a damaged comment"),
    "more behind it": (START + f"- b\n  {COMMENT} c\n", 7, "is a damaged comment"),
    "over two lines": (START + f"- b\n  {COMMENT.replace(' base', chr(10) + '  base')}\n", 7, "is a damaged comment"),
    "within a comment": (START + f"<!--\n- b\n  {COMMENT}\n-->\n", 8, "is an id inside another comment"),
    "comment never ends": (START + "<!-- b\n- c\n", 6, "begins a comment that never ends"),
    "unknown field": (START + "- b\n  (tag: c)\n", 7, "tag: is not a field"),
    "field without a name": (START + "- b\n  (tags: c | d)\n", 7, "d: is not a field"),
    "field twice": (START + "- b\n  (tags: c | tags: d)\n", 7, "tags: is given twice"),
    "importance in words": (START + "- b\n\n  (importance: high)\n", 8, "importance: is not a number"),
    "time in words": (START + "- b\n  (expires: tomorrow)\n", 7, "expires: is not an ISO 8601 time"),
    "unknown retention": (START + "- b\n  (retention: sesion)\n", 7, "retention: 'sesion' is not known"),
    "ttl without an end": (START + "- b\n  (retention: ttl)\n", 7, "retention: needs an end"),
    "two ends": (START + "- b\n  (retention: session | expires: 2026-03-01)\n", 7, "retention: cannot stand beside"),
    "list not closed": (START + f"<!-- cortex:exported\n{ID} {BASE}\n", 6, "begins a list that never ends"),
    "list damaged": (START + f"<!-- cortex:exported\n{ID}{BASE}\n-->\n", 7, "is damaged: it lists no memory"),
    "list id damaged": (START + f"<!-- cortex:exported\n{'-' * 36} {BASE}\n-->\n", 7, "is damaged: it lists no memory"),
    "list gone": ("---\nschema: cortex.memories.v1\nmemories: 2\n---\n", 3, "says that 2 memories were exported"),
    "list cut": (
        f"---\nmemories: 2\nschema: cortex.memories.v1\n---\n<!-- cortex:exported\n{ID} {BASE}\n-->\n", 2,
        "says that 2 memories were exported; the list at the end of the file has 1",
    ),
}  # fmt: skip


@for_each("damage", DAMAGED)
def test_a_damaged_page_is_refused_by_line_and_reason(damage: str) -> None:
    page, line, reason = DAMAGED[damage]
    with pytest.raises(InvalidRequest) as refused:
        read(page)
    assert refused.value.field == f"line {line}"
    assert reason in refused.value.message
    assert refused.value.hint


@given(cut=st.integers(0, 10_000))
def test_a_page_that_was_cut_short_is_never_taken_for_a_whole_one(cut: int) -> None:
    page = written(a_memory("first", 1), a_memory("second\nline", 2)).rstrip("\n")
    with pytest.raises(InvalidRequest):
        read(page[: cut % len(page)])


PIECES = [
    HEAD, "# a\n", "## fact\n", "- b\n", f"  {COMMENT}\n", "<!-- cortex:exported\n", "-->\n", f"{ID} {BASE}\n",
    "  (tags: c)\n", "\n",
]  # fmt: skip


@given(page=st.lists(nasty | st.sampled_from(PIECES), max_size=12).map("".join))
def test_whatever_a_page_says_it_is_read_or_refused_by_its_line(page: str) -> None:
    found, where = [], "line 1"
    try:
        found = read(HEAD + page)
    except InvalidRequest as error:
        where = error.field
    assert re.fullmatch(r"line \d+", where)
    assert all(item.statement.text.strip() for item in found)
