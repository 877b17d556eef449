"""The labeled turns of capture, and how extraction is scored on them."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import datasets
from bench.capture import labeled_turns, view
from bench.capture.labeled_turns import Extract, Label, LabeledTurn, Verdict
from cortex.capture.candidate import Candidate
from cortex.domain.memory import Kind, slot_of
from cortex.domain.turn import Role, Turn
from cortex.errors import InvalidRequest, NotFound

SMALL_TALK = datasets.folder() / "sgd-turns" / "records.jsonl.gz"

LANGUAGES = {"en", "zh-Hans", "zh-Hant", "ja", "es", "de"}
PROMISED = 320


@cache
def half(name: str) -> tuple[LabeledTurn, ...]:
    return labeled_turns.load(labeled_turns.halves()[name])


def both() -> list[LabeledTurn]:
    return [turn for name in labeled_turns.HALVES for turn in half(name)]


def found(text: str, *, kind: Kind = Kind.FACT, subject: str = "", attribute: str = "") -> Candidate:
    return Candidate(text=text, kind=kind, confidence=0.8, source_turns=(), subject=subject, attribute=attribute)


def label(key: str, *kinds: Kind, **more: str | bool) -> Label:
    return Label(key=key, kinds=kinds or (Kind.FACT,), **more)


def turn(text: str, *labels: Label, id: str = "t1", lang: str = "en") -> LabeledTurn:
    return LabeledTurn(id=id, lang=lang, text=text, labels=labels)


def always(*candidates: Candidate) -> Extract:
    return lambda _: list(candidates)


def by_text(said: dict[str, list[Candidate]]) -> Extract:
    return lambda asked: said.get(asked.text, [])


# --- the data --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", labeled_turns.HALVES)
def test_each_half_is_as_large_and_as_mixed_as_promised(name):
    """E17: the measure stands on enough turns, nearly half of which say nothing to remember"""
    turns = half(name)
    empty = sum(not each.labels for each in turns) / len(turns)
    english = sum(each.lang == "en" for each in turns) / len(turns)
    assert len(turns) >= PROMISED
    assert 0.40 <= empty <= 0.50
    assert 0.70 <= english <= 0.80
    assert {each.lang for each in turns} == LANGUAGES
    assert all(any(each.labels for each in turns if each.lang == lang) for lang in LANGUAGES)
    assert {kind for each in turns for made in each.required for kind in made.kinds[:1]} >= set(Kind) - {Kind.OTHER}


def test_the_halves_have_the_same_mixture():
    dev, held = half("dev"), half("held")
    assert Counter(each.lang for each in dev) == Counter(each.lang for each in held)
    shares = [sum(not each.labels for each in some) / len(some) for some in (dev, held)]
    assert abs(shares[0] - shares[1]) < 0.03
    assert Counter(each.part for each in dev) == Counter(each.part for each in held)
    assert {each.part for each in both()} == {"apart", "drawn"}


def test_no_text_and_no_id_stands_twice():
    assert [text for text, times in Counter(each.text.casefold() for each in both()).items() if times > 1] == []
    assert [id for id, times in Counter(each.id for each in both()).items() if times > 1] == []


def test_no_held_turn_is_a_rewording_of_a_dev_turn():
    """A half that repeats the other would measure what the rules were tuned on."""
    dev = [(each.id, words(each.text)) for each in half("dev") if len(words(each.text)) > 4]
    alike = [
        (id, each.id)
        for each in half("held")
        for id, other in dev
        if len(mine := words(each.text)) > 4 and len(mine & other) / len(mine | other) > 0.45
    ]
    assert alike == []


def words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


def test_every_key_is_part_of_its_text_and_of_no_other_key_there():
    for each in both():
        assert all(made.key in each.text for made in each.labels), each.id
        assert not [pair for pair in combinations(each.labels, 2) if pair[0].key in pair[1].key], each.id


def test_the_turns_of_a_slot_group_name_one_slot_with_different_values():
    for name in labeled_turns.HALVES:
        groups: dict[str, list[Label]] = {}
        for each in half(name):
            for made in each.labels:
                if made.slot_group:
                    groups.setdefault(made.slot_group, []).append(made)
        assert len(groups) >= 12
        for members in groups.values():
            assert len(members) >= 2
            assert len({slot_of(made.subject, made.attribute) for made in members} - {None}) == 1, members
            assert len({made.value for made in members}) == len(members), members


def perfect(turns: Sequence[LabeledTurn]) -> Extract:
    labels = {each.id: each.required for each in turns}

    def extract(asked: Turn) -> list[Candidate]:
        return [
            found(made.key, kind=made.kinds[0], subject=made.subject, attribute=made.attribute)
            for made in labels[str(asked.id)]
        ]

    return extract


@pytest.mark.parametrize("name", labeled_turns.HALVES)
def test_whoever_extracts_just_the_labels_is_without_fault(name):
    report = labeled_turns.run(name, perfect(half(name)))
    assert (report.overall["precision"], report.overall["recall"], report.overall["kind_accuracy"]) == (1.0, 1.0, 1.0)
    assert report.overall["false_alarm_turns"] == 0.0
    assert (report.slots.agreement, report.slots.clash) == (1.0, 0.0)
    assert report.faults == ()


@pytest.mark.parametrize("name", labeled_turns.HALVES)
def test_remembering_every_turn_is_no_capture(name):
    """The plainest way finds much, and is wrong about half the time."""
    report = labeled_turns.run(name, labeled_turns.whole_turn)
    assert report.overall["precision"] < 0.55
    assert report.overall["recall"] < 0.95
    assert report.overall["false_alarm_turns"] == 1.0
    assert report.baseline.values == report.overall.values


# --- scoring ---------------------------------------------------------------------------------------------------------


def verdicts(labeled: LabeledTurn, *candidates: Candidate) -> list[Verdict]:
    return [verdict for _, verdict in labeled_turns.judge(labeled, candidates).verdicts]


def test_a_candidate_is_right_when_it_holds_the_key_whatever_its_case_and_spaces():
    labeled = turn("btw I'm  Left-handed", label("Left-handed"))
    assert verdicts(labeled, found("The user is left-handed")) == [Verdict.RIGHT]
    assert verdicts(turn("don’t  use tabs", label("don’t  use")), found("Don't use tabs")) == [Verdict.RIGHT]
    assert verdicts(labeled, found("The user has hands")) == [Verdict.WRONG]


def test_saying_the_same_twice_is_wrong_the_second_time():
    """E11: near-identical items once"""
    labeled = turn("I'm vegetarian", label("vegetarian"))
    report = labeled_turns.measure([labeled], always(found("I'm vegetarian"), found("vegetarian")))
    assert verdicts(labeled, found("I'm vegetarian"), found("vegetarian")) == [Verdict.RIGHT, Verdict.DUPLICATE]
    assert (report.overall["precision"], report.overall["recall"]) == (0.5, 1.0)


def test_a_long_message_is_no_memory_of_the_fact_inside():
    long = "I live in Porto. " + "Could you look at the attached plan? " * 10
    assert verdicts(turn(long, label("Porto")), found(long)) == [Verdict.TOO_LONG]
    assert verdicts(turn(long, label("Porto")), found("I live in Porto.")) == [Verdict.RIGHT]
    assert verdicts(turn(long, label(long[:150])), found(long)) == [Verdict.RIGHT]


def test_one_candidate_may_find_two_labels():
    labeled = turn("I'm Ingrid and I bake", label("Ingrid"), label("bake"))
    report = labeled_turns.measure([labeled], always(found("I'm Ingrid and I bake")))
    assert (report.overall["precision"], report.overall["recall"], report.overall["found"]) == (1.0, 1.0, 2)


def test_what_is_optional_counts_neither_for_nor_against():
    labeled = turn("I'm Ingrid, it was raining", label("Ingrid"), label("raining", optional=True))
    with_it = labeled_turns.measure([labeled], always(found("Ingrid"), found("raining")))
    without = labeled_turns.measure([labeled], always(found("Ingrid")))
    assert with_it.overall.values == without.overall.values
    assert with_it.overall["labels"] == 1
    alone = labeled_turns.measure([turn("it was raining", label("raining", optional=True))], always(found("raining")))
    assert (alone.overall["precision"], alone.overall["false_alarm_turns"], alone.faults) == (None, None, ())


def test_precision_and_recall_count_over_all_turns_and_by_language():
    turns = [
        turn("I live in Porto", label("Porto"), id="a"),
        turn("Ich wohne in Köln", label("Köln"), id="b", lang="de"),
        turn("thanks!", id="c"),
    ]
    made = {"I live in Porto": [found("I live in Porto"), found("in general")], "thanks!": [found("thanks!")]}
    assert labeled_turns.measure(turns, by_text(made)).parts == {}
    report = labeled_turns.measure(turns, by_text(made))
    assert report.overall["precision"] == pytest.approx(1 / 3)
    assert report.overall["recall"] == 0.5
    assert report.overall["f1"] == pytest.approx(0.4)
    assert report.overall["false_alarm_turns"] == 1.0
    assert (report.languages["de"]["recall"], report.languages["de"]["precision"]) == (0.0, None)
    assert sorted(fault.what for fault in report.faults) == ["missed", "wrong", "wrong"]


def test_a_kind_is_right_when_the_label_allows_it():
    labeled = turn("I'm vegetarian", label("vegetarian", Kind.PREFERENCE, Kind.FACT))
    right = labeled_turns.measure([labeled], always(found("I'm vegetarian", kind=Kind.FACT)))
    wrong = labeled_turns.measure([labeled], always(found("I'm vegetarian", kind=Kind.DECISION)))
    assert (right.overall["kind_accuracy"], wrong.overall["kind_accuracy"]) == (1.0, 0.0)
    assert [(fault.what, fault.key) for fault in wrong.faults] == [("kind", "decision, not preference or fact")]
    assert (wrong.kinds["preference"]["recall"], wrong.kinds["preference"]["precision"]) == (1.0, None)
    assert (wrong.kinds["decision"]["recall"], wrong.kinds["decision"]["precision"]) == (None, 1.0)


MOVED = (
    turn("due on 3 May", label("3 May", slot_group="g"), id="a"),
    turn("due on 17 May now", label("17 May", slot_group="g"), id="b"),
)


@pytest.mark.parametrize(
    ("older", "newer", "agreed"),
    [
        (("grant", "deadline"), ("Grant", " deadline"), 1),
        (("grant", "deadline"), ("grant", "date"), 0),
        (("grant", ""), ("grant", ""), 0),
        (("", ""), ("grant", "deadline"), 0),
    ],
)
def test_values_of_one_slot_agree_only_when_both_name_it_alike(older, newer, agreed):
    made = {
        "due on 3 May": [found("due on 3 May", subject=older[0], attribute=older[1])],
        "due on 17 May now": [found("due on 17 May now", subject=newer[0], attribute=newer[1])],
    }
    slots = labeled_turns.measure(MOVED, by_text(made)).slots
    assert (slots.groups, slots.found, slots.agreed) == (1, 1, agreed)


def test_a_group_of_which_one_side_was_missed_does_not_agree():
    made = {"due on 3 May": [found("due on 3 May", subject="grant", attribute="deadline")]}
    slots = labeled_turns.measure(MOVED, by_text(made)).slots
    assert (slots.found, slots.agreed, slots.agreement) == (0, 0, 0.0)


def test_things_that_stand_side_by_side_must_not_share_a_slot():
    beside = [
        turn("I enjoy hiking", label("hiking", multi_group="m"), id="a"),
        turn("I enjoy chess", label("chess", multi_group="m"), id="b"),
    ]

    def extract(attribute: str) -> Extract:
        return lambda asked: [found(asked.text, subject="user", attribute=attribute)]

    shared = labeled_turns.measure(beside, extract("hobby")).slots
    apart = labeled_turns.measure(beside, extract("")).slots
    assert (shared.beside, shared.clashing, shared.clash) == (1, 1, 1.0)
    assert (apart.beside, apart.clashing, apart.clash) == (1, 0, 0.0)


def test_nothing_extracted_has_no_precision_and_no_recall_to_speak_of():
    overall = labeled_turns.measure([turn("I live in Porto", label("Porto"))], always()).overall
    assert (overall["precision"], overall["recall"], overall["f1"], overall["kind_accuracy"]) == (None, 0.0, 0.0, None)


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans()), min_size=1, max_size=12))
def test_every_share_lies_between_0_and_1_within_its_interval(cases):
    turns = [
        turn(f"turn {at} says key", *([label("key")] if labeled else []), id=str(at))
        for at, (labeled, _, _) in enumerate(cases)
    ]
    made = {
        f"turn {at} says key": [found("key")] * hit + [found("noise")] * noise
        for at, (_, hit, noise) in enumerate(cases)
    }
    overall = labeled_turns.measure(turns, by_text(made)).overall
    for name, interval in overall.intervals.items():
        value = overall[name]
        assert (value is None) == (interval is None), name
        assert value is None or 0.0 <= interval[0] <= interval[1] <= 1.0
        assert value is None or 0.0 <= value <= 1.0


def test_a_whole_engine_is_measured_as_it_captures():
    """X2, E11: what becomes a memory is judged, traced back to the turn it came from"""
    said = [turn("I live in Porto", label("Porto"), id="a"), turn("thanks!", id="b")]
    with labeled_turns.through_engine() as captured:
        report = labeled_turns.measure(said, captured)
    assert (report.overall["precision"], report.overall["recall"]) == (1.0, 1.0)


# --- files -----------------------------------------------------------------------------------------------------------

LINE = {"id": "x1", "lang": "en", "text": "I live in Porto", "memories": [{"key": "Porto", "kind": ["fact"]}]}


def written(path, *lines):
    path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines), encoding="utf-8")
    return path


def test_a_labeled_turn_is_read_with_everything_it_may_say(tmp_path):
    key = {"key": "Porto", "kind": ["fact", "episode"], "subject": "Mei", "attribute": "home city", "value": "Porto"}
    line = LINE | {
        "part": "drawn",
        "role": "user",
        "speaker": "Mei",
        "memories": [key | {"slot_group": "g1"}],
        "why": "plain",
    }
    (read,) = labeled_turns.load(written(tmp_path / "some.jsonl", line, ""))
    assert (read.id, read.lang, read.role, read.speaker, read.why) == ("x1", "en", Role.USER, "Mei", "plain")
    assert read.part == "drawn"
    assert read.labels[0].kinds == (Kind.FACT, Kind.EPISODE)
    assert (read.labels[0].attribute, read.labels[0].slot_group, read.labels[0].optional) == ("home city", "g1", False)
    assert (read.turn.text, read.turn.speaker) == ("I live in Porto", "Mei")


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        (["{"], "some.jsonl line 1"),
        (["[]"], "some.jsonl line 1"),
        ([LINE, {"id": "x2"}], "some.jsonl line 2"),
        ([LINE, LINE], "some.jsonl line 2, id"),
        ([LINE | {"role": "owner"}], "some.jsonl line 1, role"),
        ([LINE | {"memories": [{"key": "Lisbon", "kind": ["fact"]}]}], "some.jsonl line 1, key"),
        ([LINE | {"memories": [{"key": "Porto", "kind": ["whim"]}]}], "some.jsonl line 1, kind"),
        ([LINE | {"memories": [{"key": "Porto", "kind": []}]}], "some.jsonl line 1, kind"),
    ],
)
def test_a_bad_label_is_refused_by_line_and_field(tmp_path, lines, place):
    with pytest.raises(InvalidRequest) as caught:
        labeled_turns.load(written(tmp_path / "some.jsonl", *lines))
    assert caught.value.field == place


def test_a_half_or_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(NotFound, match="third"):
        labeled_turns.run("third", always())
    with pytest.raises(NotFound, match="absent"):
        labeled_turns.load(tmp_path / "absent.jsonl")
    with pytest.raises(NotFound, match="absent"):
        labeled_turns.small_talk(tmp_path / "absent.jsonl", extract=always())
    with pytest.raises(InvalidRequest, match="through"):
        labeled_turns.run("dev", through="magic")


def test_small_talk_is_drawn_alike_for_the_same_seed(tmp_path):
    path = tmp_path / "records.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for at in range(50):
            file.write(json.dumps({"id": f"r{at}", "scope": "s", "text": f"turn {at}" if at else " "}) + "\n")

    def even(asked: Turn) -> list[Candidate]:
        return [found(asked.text)] * 2 if int(asked.text.split()[1]) % 2 == 0 else []

    one, again, other = (labeled_turns.small_talk(path, 20, seed, extract=even) for seed in (1, 1, 2))
    everything = labeled_turns.small_talk(path, 200, extract=even)
    assert one == again != other
    assert one.turns == 20
    assert (everything.turns, everything.memories, everything.turns_with) == (49, 48, 24)
    assert everything.per_hundred == pytest.approx(100 * 48 / 49)
    assert everything.kinds == {"fact": 48}


# --- the view --------------------------------------------------------------------------------------------------------


def shown(capsys, **options):
    turns = [turn("I live in Porto", label("Porto")), turn("thanks!", id="t2")]
    report = labeled_turns.measure(turns, by_text({"thanks!": [found("thanks!")]}), name="dev", notes=["so it went"])
    view.show(report, **options)
    return capsys.readouterr().out


def test_a_report_is_shown_as_tables_and_its_faults_on_request(capsys):
    plain = shown(capsys, as_json=False)
    assert all(told in plain for told in ("precision", "every turn", "so it went"))
    assert "missed" not in plain
    assert "missed" in shown(capsys, as_json=False, errors=True)


def test_a_report_is_one_json_object(capsys):
    payload = json.loads(shown(capsys, as_json=True, talk=labeled_turns.SmallTalk(200, 3, 2)))
    assert (payload["overall"]["precision"], payload["overall"]["recall"]) == (0.0, 0.0)
    assert payload["faults_by_sort"] == {"missed": 1, "wrong": 1}
    assert payload["small_talk"]["per_hundred"] == 1.5
    assert "faults" not in payload
    assert [fault["turn"] for fault in json.loads(shown(capsys, as_json=True, errors=True))["faults"]] == ["t1", "t2"]


# --- what we hold ourselves to ----------------------------------------------------------------------------------------


def test_capture_is_precise_and_finds_most_on_the_half_no_rule_was_written_on() -> None:
    """X11, X12, E11: precision at least 0.9, recall at least 0.7"""
    overall = labeled_turns.run("held").to_json()["overall"]
    assert overall["precision"] >= 0.9
    assert overall["recall"] >= 0.7


@pytest.mark.skipif(not SMALL_TALK.exists(), reason="the set of small talk is not here")
def test_small_talk_leaves_hardly_anything_behind() -> None:
    """E11"""
    assert labeled_turns.small_talk(SMALL_TALK, 200).memories <= 2
