"""B5: keyword search in every script, Unicode letters and digits, quoted terms, stop words out, CJK handled."""

import re
import subprocess
import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.stopwords import STOP_WORDS
from cortex.domain.terms import (
    MAX_QUERY_TERMS,
    index_terms,
    query_terms,
)
from sweeps import for_each

ANY_TEXT = st.text(st.characters(codec=None, categories=None))
WORD = st.text("abcdefghijklmnopqrstuvwxyzäéñø", min_size=1, max_size=20)
HAN = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=2, max_size=12)
HASH = st.text("0123456789abcdef", min_size=40, max_size=40)

FORBIDDEN = re.compile(r"[\s\x00-\x1f\x7f\"=]|[!-~](?<![A-Za-z0-9_\-./#@:+])|[\ud800-\udfff]")


def found(query: str, text: str) -> float:
    """The weight of the query's terms that the text holds: a stand-in for its score."""
    terms = set(index_terms(text))
    return sum(term.weight for term in query_terms(query) if term.text in terms)


def looked_for(query: str) -> list[str]:
    return [term.text for term in query_terms(query)]


# --- any text at all --------------------------------------------------------------------------------------------------


@given(ANY_TEXT)
def test_any_text_gives_terms_fit_for_the_index(text: str) -> None:
    for term in index_terms(text) + looked_for(text):
        assert term
        assert not FORBIDDEN.search(term)


def test_no_character_of_unicode_smuggles_a_separator_into_a_term() -> None:
    text = " ".join(f"a{chr(point)}b" for point in range(0x20000))
    assert not [term for term in index_terms(text) if FORBIDDEN.search(term)]


@given(ANY_TEXT)
def test_the_same_text_gives_the_same_terms(text: str) -> None:
    assert index_terms(text) == index_terms(text)
    assert query_terms(text) == query_terms(text)


@given(ANY_TEXT)
def test_what_a_query_looks_for_is_what_the_same_text_is_found_by(text: str) -> None:
    assert set(looked_for(text)) <= set(index_terms(text))


@given(ANY_TEXT)
def test_the_form_of_normalisation_does_not_matter(text: str) -> None:
    assert index_terms(unicodedata.normalize("NFD", text)) == index_terms(unicodedata.normalize("NFC", text))


@given(ANY_TEXT, ANY_TEXT)
def test_two_texts_side_by_side_have_the_terms_of_both(text: str, other: str) -> None:
    assert index_terms(f"{text}\n{other}") == index_terms(text) + index_terms(other)


@given(WORD, ANY_TEXT)
def test_a_word_finds_every_text_it_stands_in(word: str, rest: str) -> None:
    terms = index_terms(f"{rest} {word} {rest}")
    assert all(term in terms for term in looked_for(word))


@for_each("query", ["", " ", "\x00", "\ud800", "؟!", '"', '""', "***", "(*)", "\u200d", "____", "=="])
def test_a_query_of_nothing_looks_for_nothing(query: str) -> None:
    assert query_terms(query) == ()


def test_search_syntax_is_data() -> None:
    assert set(looked_for('title:fox* OR -"dog" NEAR(cat, 5)')) >= {"fox", "dog", "near", "cat", "5"}


def test_a_query_of_ten_megabytes_is_bounded_work() -> None:
    started = time.process_time()
    for query in ("word " * 2_000_000, "a" * 10_000_000, "水火" * 3_000_000, "a.b_" * 2_500_000, '"' * 10_000_000):
        assert len(query_terms(query)) <= MAX_QUERY_TERMS
    assert time.process_time() - started < 2.0


def test_time_is_linear_in_the_text() -> None:
    def seconds(length: int) -> float:
        started = time.process_time()
        for shape in ("a'", "a.b", "-", "#", "1,000", "e\u0301", "aB", "水"):
            index_terms(shape * length)
        return time.process_time() - started

    seconds(2_000)
    assert seconds(40_000) < 40 * max(seconds(4_000), 0.005)


def test_a_long_query_keeps_the_terms_that_look_rarest() -> None:
    query = " ".join(f"w{n}" for n in range(500)) + " transubstantiation"
    assert "transubs" in looked_for(query)
    assert len(query_terms(query)) == MAX_QUERY_TERMS


def test_importing_loads_no_stemmer() -> None:
    code = "import sys, cortex.domain.terms; sys.exit('Stemmer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- words ------------------------------------------------------------------------------------------------------------


@for_each(
    ("query", "text"),
    [
        ("Caroline", "Caroline's book"),
        ("caroline’s", "a book of CAROLINE"),
        ("photography", "She photographs birds"),
        ("résumé", "my resume"),
        ("STRASSE", "die Straße"),
        ("Müllers Haus", "bei Muller"),
        ("homme", "l'homme"),
        ("obrien", "O'Brien called"),
        ("Lodz", "Łódź"),
        ("ｆｕｌｌｗｉｄｔｈ", "full width fullwidth"),
        ("Geschwindigkeitsbegrenzungen", "eine Geschwindigkeitsbegrenzung"),
        ("книгу", "Эти книги"),
        ("ёлка", "елка"),
        ("замок", "за\u0301мок"),
        ("كتاب", "الكِتَاب"),
        ("किताबों", "यह किताब है"),
        ("٢٠٢٣", "in 2023"),
        ("שלום", "שָׁלוֹם"),
        ("வணக்கம்", "அனைவருக்கும் வணக்கம்!"),
        ("🎉", "done🎉 and dusted"),
        ("👍", "👍🏽"),
    ],
)
def test_a_word_is_found_in_its_other_forms(query: str, text: str) -> None:
    assert found(query, text) > 0


def test_cyrillic_short_i_is_a_letter_of_its_own() -> None:
    assert index_terms("йод") != index_terms("иод")


def test_a_hindi_word_keeps_its_vowel_signs() -> None:
    assert len(index_terms("हिन्दी")) == 1


def test_a_common_word_gives_one_term_and_repeats_are_kept() -> None:
    assert index_terms("The cat, the cats") == ["the", "cat", "the", "cat"]


def test_accents_are_folded_in_place() -> None:
    assert index_terms("a café in Zürich") == ["a", "cafe", "in", "zurich"]


# --- stop words and phrases -------------------------------------------------------------------------------------------


def test_stop_words_are_dropped_from_a_question() -> None:
    assert looked_for("When did Caroline go to the support group?") == ["carolin", "go", "support", "group"]
    assert looked_for("What's Melanie's dog called?") == ["melani", "dog", "call"]


def test_stop_words_count_where_there_is_nothing_else() -> None:
    assert looked_for("to be or not to be") == ["to", "be", "or", "not"]
    assert looked_for("什么") == ["什", "么", "什么"]


def test_stop_words_count_inside_quotes() -> None:
    assert looked_for('who sang "let it be"?') == ["sang", "let", "it", "be"]


def test_chinese_question_words_are_dropped() -> None:
    assert "什么" not in looked_for("战国无双是什么游戏")
    assert "几何" in looked_for("几何学")


def test_stop_words_are_written_as_words_compare() -> None:
    assert all(word == word.casefold() for word in STOP_WORDS)


# --- scripts without spaces -------------------------------------------------------------------------------------------


@given(HAN, HAN, HAN)
def test_every_han_substring_of_two_characters_or_more_is_found(before: str, word: str, after: str) -> None:
    terms = set(index_terms(before + word + after))
    assert set(index_terms(word)) <= terms


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("猫", "我家的猫很可爱"),
        ("ゲーム", "コンピュータゲームの歴史"),
        ("집", "우리 집에 왔다"),
        ("학교", "학교에서 만나요"),
        ("iPhone", "新しいiPhone15を買った"),
        ("2024", "2024年の予定"),
        ("ปลา", "ฉันชอบกินปลามาก"),
        ("ດີ", "ສະບາຍດີ"),
        ("ភាសា", "ខ្ញុំរៀនភាសាខ្មែរ"),
        ("မြန်မာ", "ကျွန်တော်မြန်မာစကားပြောတယ်"),
    ],
)
def test_a_word_is_found_inside_a_script_without_spaces(query: str, text: str) -> None:
    wanted = {term.text for term in query_terms(query)}
    assert wanted & set(index_terms(text))


def test_a_name_in_latin_letters_outweighs_a_pair_of_characters() -> None:
    weights = {term.text: term.weight for term in query_terms("UNTAGの正式名称")}
    assert weights["untag"] > weights["正式"]


# --- identifiers ------------------------------------------------------------------------------------------------------


@given(HASH, st.integers(min_value=6, max_value=40))
def test_a_hash_is_found_by_every_prefix_of_six_digits_or_more(commit: str, length: int) -> None:
    commit = "a1" + commit[2:]
    assert found(commit[:length], f"commit {commit}\nfix") >= 1.0
    assert found(f"what changed in commit {commit[:length].upper()}?", f"commit {commit}") >= 1.0


@given(HASH)
def test_a_full_hash_finds_its_short_form_but_prefers_itself(commit: str) -> None:
    commit = "a1" + commit[2:]
    assert 0 < found(commit, f"see {commit[:7]}") < found(commit, f"commit {commit}")


def test_a_hash_prefix_of_digits_or_of_letters_alone_is_found() -> None:
    assert found("1234567", "commit 1234567abc" + "d" * 30) > 0
    assert found("decade", "commit decade0123" + "4" * 30) > 0


def test_an_issue_number_prefers_its_sign_over_the_bare_number() -> None:
    assert found("#842", "Refs #842") > found("#842", "842 rows") > 0
    assert found("842", "Refs #842") > 0
    assert found("#842", "simonw/sqlite-utils#842") > found("#842", "842 rows")
    assert found("#84", "Refs #842") == 0


def test_a_full_path_ranks_over_its_file_name_and_that_over_a_part() -> None:
    path = "tests/test_create_view.py"
    scores = [found(path, text) for text in (f"files: {path}", "docs/test_create_view.py", "tests/test_view.py", "a")]
    assert scores == sorted(set(scores), reverse=True)


@for_each(
    ("query", "text"),
    [
        ("test_create_view", "tests/test_create_view.py"),
        ("create view", "tests/test_create_view.py"),
        ("user name", "getUserName()"),
        ("getusername", "getUserName()"),
        ("get_user_name", "getUserName()"),
        ("HTTPServer", "http server"),
        ("APIs", "one api"),
        ("email", "an e-mail"),
        ("sqlite-utils", "import sqlite_utils"),
        ("4.2.1", "Release v4.2.1."),
        ("1000", "1,000 rows"),
        ("jane.doe@example.com", "<Jane.Doe@Example.com>"),
        ("example.com", "jane.doe@example.com"),
        ("https://github.com/a/b/issues/7", "see github.com/a/b/issues/7."),
        ("C++", "written in c++"),
        ("C#", "a C# class"),
        ("__init__", "def __init__(self)"),
        ("std::vector", "a std::vector<int>"),
        ("os.path.join", "os.path.join(a, b)"),
        ("AT&T", "at&t"),
        ("2024-03-15", "due 2024-03-15"),
        ("gpt-4", "GPT4"),
    ],
)
def test_an_identifier_is_found_whole_and_by_its_parts(query: str, text: str) -> None:
    assert found(query, text) >= 0.5


@given(st.from_regex(r"[a-z]{2,8}([-_./@:][a-z]{2,8}){1,5}", fullmatch=True))
def test_the_whole_identifier_weighs_most(identifier: str) -> None:
    weights = {term.text: term.weight for term in query_terms(f'"{identifier}"')}
    assert weights[identifier] == max(weights.values())


def test_a_whole_identifier_scores_above_its_parts_apart() -> None:
    assert found("user_id", "the user_id column") > found("user_id", "the user has an id")
