"""No text takes longer than its size accounts for: all that reads text from outside is linear, whatever it is made of.

`patterns` finds every regular expression of the package, `readers` has the functions that text goes through, `shapes`
has the texts, and `growth` compares two sizes. The default suite tries each function on the texts that hurt most, at
small sizes; every pattern and every shape are slow, and part of `make soak`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from growth import KIB, TooSlow, best, grows_faster, too_slow
from patterns import Use, uses
from readers import READERS, turn
from shapes import Shape, common, derived

from cortex import settings as configuration
from cortex.capture.rules import candidates
from cortex.context import Context
from cortex.domain import fingerprints, injection_detection, text
from cortex.domain.evidence import Evidence
from cortex.domain.ownership import extents
from cortex.domain.paraphrase import is_supported
from cortex.domain.scope import Tenant
from cortex.languages.pack import compiled
from cortex.languages.packs import DEFAULT_PACKS
from cortex.memory import Cortex
from cortex.testing import CountingIds, FakeClock, FakeEmbedder, FakeReranker
from cortex.wiring import build


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Cortex]:
    told = configuration.load(
        tmp_path, {"embedding": {"cache_entries": 0}, "store": {"sqlite": {"synchronous": "normal"}}}
    )
    fakes = {"embedder": FakeEmbedder(8), "reranker": FakeReranker(), "clock": FakeClock(), "ids": CountingIds()}
    engine = Cortex.over(Context(build(tmp_path, told, **fakes), Tenant()))
    yield engine
    engine.close()


class TestWhatFrozeTheServer:
    """Each is compared with an eighth of itself."""

    def test_a_web_page_of_line_breaks_is_remembered_in_linear_time(self, engine: Cortex):
        def remember(breaks: int) -> Callable[[], object]:
            return lambda: engine.remember("a" + "\n" * breaks + "b", source_kind="web")

        assert_linear(remember(1_000), remember(8_000))

    def test_a_message_of_dots_is_captured_in_linear_time(self, engine: Cortex):
        assert_linear(captured(engine, 1, "." * 7_500), captured(engine, 1, "." * 60_000))
        assert_linear(captured(engine, 1, "." * 1_250 + "x"), captured(engine, 1, "." * 10_000 + "x"))

    @pytest.mark.slow
    def test_twenty_such_messages_take_twenty_times_as_long_as_one(self, engine: Cortex):
        assert_linear(captured(engine, 1, "." * 30_000), captured(engine, 20, "." * 30_000), times=20)

    def test_a_letter_with_thousands_of_marks_is_remembered_in_linear_time(self, engine: Cortex):
        def remember(marks: int) -> Callable[[], object]:
            return lambda: engine.remember("a" + "\u0301\u0316" * marks, source_kind="web")

        assert_linear(remember(1_800), remember(14_400))


def captured(engine: Cortex, count: int, said: str) -> Callable[[], object]:
    """Captures a session of its own each time."""
    rounds = iter(range(100))
    return lambda: engine.capture(
        [{"role": "user", "content": said}] * count, session=f"{count}-{len(said)}-{next(rounds)}"
    )


def assert_linear(small: Callable[[], object], large: Callable[[], object], times: int = 8) -> None:
    small()  # what is compiled and opened on first use counts for neither
    costs = best(small, large, times)
    assert not grows_faster(*costs, times), f"{costs[1] / costs[0]:.0f} times as long for {times} times as much"


@pytest.mark.slow
class TestEveryPattern:
    def test_all_are_found(self):
        """By where they are: in constants and containers, compiled on first use, held by rules, of each language."""
        found = {use.pattern.pattern for use in uses()}
        assert extents.FENCE in found
        needs = [need for _, rules in injection_detection._phrases() for rule in rules for need in rule.needs]
        assert all(need in found for need in needs)
        assert {compiled(rule.pattern).pattern for pack in DEFAULT_PACKS for rule in pack.rules} <= found
        assert {compiled(pack.asks).pattern for pack in DEFAULT_PACKS} <= found
        assert len(found) > 1_000

    def test_none_is_slow_on_what_is_made_of_its_own_words(self):
        # From 2 KiB on: below that, a repetition of up to 1,202 characters still grows with the text.
        sizes = {"screen": KIB // 4, "small": 2 * KIB, "large": 16 * KIB, "most": 2}
        assert_none({named(use): too_slow(use, derived(use.pattern), **sizes) for use in uses()})

    @pytest.mark.parametrize("part", range(8))
    def test_none_is_slow_on_any_shape(self, part: int):
        sizes = {"screen": 8 * KIB, "small": 8 * KIB, "large": 64 * KIB, "most": 8}
        mine = uses()[part::8]
        assert_none({named(use): too_slow(use, (*common(), *derived(use.pattern)), **sizes) for use in mine})


class TestEveryReader:
    def test_none_is_slow_on_the_shapes_that_hurt_most(self):
        sizes = {"screen": KIB // 2, "small": KIB, "large": 8 * KIB, "most": 1}
        assert_none({name: too_slow(read, _HURTING, **sizes) for name, read in READERS.items()})

    @pytest.mark.slow
    @pytest.mark.parametrize("name", READERS)
    def test_none_is_slow_on_any_shape(self, name: str):
        sizes = {"screen": 8 * KIB, "small": 8 * KIB, "large": 64 * KIB, "most": 12}
        assert_none({name: too_slow(READERS[name], common(), **sizes)})

    @pytest.mark.slow
    @pytest.mark.parametrize("pack", DEFAULT_PACKS, ids=lambda pack: pack.lang)
    def test_no_language_is_slow_on_sentences_made_of_its_own_words(self, pack):
        """A sentence is read up to its limit, and a turn up to its own: here both are as long as can be."""
        own = [use for use in uses() if use.pattern.pattern in {compiled(rule.pattern).pattern for rule in pack.rules}]
        shapes = [Shape("", shape(1_190) + ". ") for use in own for shape in derived(use.pattern)[:12]]
        sizes = {"screen": 2 * KIB, "small": 3 * KIB, "large": 24 * KIB, "most": 12}
        assert_none({pack.lang: too_slow(lambda said: candidates(turn(said), packs=(pack,)), shapes, **sizes)})


_HURTING = tuple(
    Shape("", piece)
    for piece in (" ", "\n", ".", "'", "“", "_", "0", "[", "日", "\u0301\u0316", "a ", "a-", "\n> ", "\na: b", "first ")
)


def named(use: Use) -> str:
    return f"{use.where} {use.method} {use.pattern.pattern[:60]!r}"


def assert_none(slow: dict[str, list[TooSlow]]) -> None:
    found = [f"{where}: {each}" for where, each_slow in slow.items() for each in each_slow]
    assert not found, "\n".join(["these take longer than the size of the text accounts for:", *found])


class TestLimitsOfPython:
    """What Python itself refuses or takes long for is a text like any other."""

    @pytest.mark.parametrize("reference", ["&#" + "9" * 5_000 + ";", "&#" + "0" * 5_000 + "65;"])
    def test_a_reference_of_thousands_of_digits_is_read(self, engine: Cortex, reference: str):
        kept = engine.remember(f"one two three four five {reference}", source_kind="web")
        assert kept.memory.text.endswith(reference)
        assert injection_detection.suspicion(reference) == injection_detection.CLEAR
        assert fingerprints.fingerprints(f"one two three four five {reference}")

    def test_a_reference_is_the_character_it_was(self):
        assert text.without_references("&#65;&#0000000065;&lt;&#99999999;") == "AA<\ufffd"

    def test_a_number_of_thousands_of_digits_is_compared(self):
        number = "7" * 5_000
        assert is_supported(f"The code is {number[:900]}", [f"the code: {number[:900]}"])
        assert not is_supported(f"The code is {number}", [f"the code: {number}"]), "no sentence is so long"
        assert not is_supported(f"The code is {number[:900]}", [f"the code: {number}"])
        assert Evidence.of([turn(f"My code is {number}")]).supports(f"The user's code is {number}")
        assert not Evidence.of([turn("My code is 7")]).supports(f"The user's code is {number}")

    @pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC"])
    def test_what_is_written_in_any_language_is_normal_as_before(self, form):
        import unicodedata

        said = "Zażółć gęślą jaźń, ﬁne Ａ ｶﾞ हिन्दी Tiếng Việt ầ́ 👨‍👩‍👧 " + "！？" * 40
        assert text.normal(form, said) == unicodedata.normalize(form, said)
