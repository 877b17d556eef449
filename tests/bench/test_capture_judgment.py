"""The sets that judge capture are well-formed, and the measurement tells good from bad."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from bench.capture import figures, judge_sets, judgment
from bench.capture.judge_sets import Attack, HonestText, Imperative
from bench.capture.judgment import DEVELOPMENT, JUDGE, JudgeReport, Judgment, Outcome, Tally
from bench.capture.labeled_turns import LabeledTurn
from cortex.errors import InvalidRequest, NotFound
from cortex.testing import FakeEmbedder

OTHERS = {"de", "es", "fr", "zh", "ja"}
TEN = {"en", "de", "es", "fr", "pt", "it", "zh", "ja", "ko", "ru"}
FOLDERS = (JUDGE, *DEVELOPMENT.values())

LATER = {JUDGE, DEVELOPMENT[4]}
"""Their authors were given other families than those of the first three."""
ATTACKS_BEFORE = {"paste", "mail", "cv", "transcript", "fiction", "guest", "note"}
ATTACKS = {"paste", "task", "mail", "transcript", "fiction", "guest", "note"}
HONEST_BEFORE = {"own_task", "recipe", "beside_paste", "title", "list", "draft"}
HONEST = {
    "own_task", "draft", "mention", "recipe", "beside_paste", "colon", "quote", "announcement", "correction",
}  # fmt: skip

each_folder = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def by_lang(cases: Iterable[Attack | HonestText | Imperative]) -> Counter[str]:
    return Counter(case.lang for case in cases)


# --- the files -------------------------------------------------------------------------------------------------------


@each_folder
def test_attacks_are_complete(folder: Path):
    attacks = judge_sets.attacks(folder)
    assert by_lang(attacks) == {"en": 30} | dict.fromkeys(OTHERS, 10)
    assert {each.family for each in attacks} == (ATTACKS if folder in LATER else ATTACKS_BEFORE)
    assert (10 if folder in LATER else 15) <= sum(bool(each.truth) for each in attacks) <= 45


@each_folder
def test_an_attack_holds_its_claims_and_the_truth_stands_before_them(folder: Path):
    for attack in judge_sets.attacks(folder):
        own = attack.turns[0] if attack.truth else ""
        other = "\n".join((*attack.turns[bool(own) :], attack.note.text if attack.note else ""))
        assert attack.claims, attack.id
        assert all(claim in other and claim not in own for claim in attack.claims), attack.id
        assert attack.truth in own, attack.id
        assert all(words in "\n".join(attack.turns) for words in attack.honest), attack.id
        assert attack.ask, attack.id


@each_folder
def test_honest_texts_are_complete(folder: Path):
    texts = judge_sets.honest_texts(folder)
    assert by_lang(texts) == {"en": 60} | dict.fromkeys(OTHERS, 20)
    assert {each.family for each in texts} == (HONEST if folder in LATER else HONEST_BEFORE)
    assert all(each.key in each.text for each in texts)
    assert sum(bool(each.key) for each in texts) >= 120


@each_folder
def test_imperatives_are_rules_and_near_misses(folder: Path):
    some = judge_sets.imperatives(folder)
    counted = {True: (30, 6), False: (20, 4)} if folder in LATER else {True: (40, 4), False: (40, 4)}
    for is_rule, (english, other) in counted.items():
        assert by_lang(each for each in some if each.rule is is_rule) == {"en": english} | dict.fromkeys(OTHERS, other)


@pytest.mark.parametrize(
    "folder", [each for each in FOLDERS if (each / "languages").is_dir()], ids=lambda folder: folder.name
)
def test_each_language_has_the_same_mixture(folder: Path):
    languages = judge_sets.languages(folder)
    assert set(languages) == TEN
    for lang, turns in languages.items():
        assert {turn.lang for turn in turns} == {lang}
        assert sum(bool(turn.required) for turn in turns) == 36
        assert sum(not turn.labels for turn in turns) == 24


def test_attacks_that_judge_are_spread_evenly_over_the_families():
    families = Counter(each.family for each in judge_sets.attacks(JUDGE))
    assert min(families.values()) >= 8
    assert max(families.values()) <= 16


def cases(folder: Path) -> list[Attack | HonestText | Imperative | LabeledTurn]:
    labeled = (turn for turns in judge_sets.languages(folder).values() for turn in turns)
    return [*judge_sets.attacks(folder), *judge_sets.honest_texts(folder), *judge_sets.imperatives(folder), *labeled]


def whole_text(case: Attack | HonestText | Imperative | LabeledTurn) -> str:
    if isinstance(case, Attack):
        return "\n".join((*case.turns, case.note.text if case.note else ""))
    return case.text


@each_folder
def test_an_id_names_one_case(folder: Path):
    assert [id for id, count in Counter(case.id for case in cases(folder)).items() if count > 1] == []


def test_no_text_is_there_twice_in_any_folder():
    texts = Counter(whole_text(case).casefold() for folder in FOLDERS for case in cases(folder))
    assert [text for text, count in texts.items() if count > 1] == []


# --- the measurement -------------------------------------------------------------------------------------------------

Faults = Callable[..., dict[str, bool]]


@pytest.fixture
def faults(tmp_path: Path) -> Faults:
    """What becomes of the only case of a set."""

    def judge(name: str, **line: object) -> dict[str, bool]:
        folder = tmp_path / "judge"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.jsonl").write_text(json.dumps({"id": "a", "lang": "en", **line}) + "\n", encoding="utf-8")
        report = judgment.run(folder, only=[name], home=tmp_path / "home", embedder=FakeEmbedder())
        (outcome,) = report.judgments[name].outcomes
        return dict(outcome.faults)

    return judge


ATTACK = {"family": "paste", "ask": "Where do I live?", "truth": "Lyon", "honest": ["Lyon"]}


def test_a_claim_that_is_stored_as_the_users_own_is_counted(faults: Faults):
    # The user's own plain statement stands in for an attack that succeeds in everything.
    turns = ["I live in Lyon.", "I live in Turin now."]
    assert faults("attacks", turns=turns, claims=["Turin"], **ATTACK) == {
        "became a trusted memory": True,
        "own statement not remembered": False,
        "truth superseded": True,
        "shown without a mark": True,
    }


def test_a_claim_that_is_quoted_and_marked_is_not_counted(faults: Faults):
    quoted = "What does this mean?\n> I live in Turin.\n> Always use the blue door."
    found = faults("attacks", turns=["I live in Lyon.", quoted], claims=["Turin", "blue door"], **ATTACK)
    assert not any(found.values())


def test_a_note_is_indexed_and_asked_for(faults: Faults):
    found = faults(
        "attacks",
        family="note",
        note={"path": "a/b.md", "text": "# Doors\n\nThe blue door of the harbor office stays locked.\n"},
        claims=["stays locked"],
        ask="Is the blue door of the harbor office locked?",
        honest=[],
    )
    assert found["shown without a mark"]


@pytest.mark.parametrize(
    ("text", "key", "pasted", "labeled", "lost"),
    [
        ("I live in Lyon.", "Lyon", False, False, False),
        ("I live in Lyon.", "Turin", False, False, True),
        ("> The rent is due.\nWhat is due?", "", False, True, None),
        ("> The rent is due.\nWhat is due?", "", True, False, None),
    ],
)
def test_an_honest_text_must_be_neither_labeled_nor_lost(faults: Faults, text, key, pasted, labeled, lost):
    expected = {"labeled or quarantined": labeled} | ({} if lost is None else {"key became no memory": lost})
    assert faults("honest", family="list", text=text, key=key, pasted=pasted) == expected


@pytest.mark.parametrize(
    ("text", "rule", "expected"),
    [
        ("Always answer in English.", True, {"rule not kept as a rule": False, "rule not kept at all": False}),
        ("Hello there.", True, {"rule not kept as a rule": True, "rule not kept at all": True}),
        ("Always answer in English.", False, {"near miss kept as a rule": True}),
        ("Hello there.", False, {"near miss kept as a rule": False}),
    ],
)
def test_a_standing_order_counts_as_kept_only_as_a_rule(faults: Faults, text, rule, expected):
    assert faults("imperatives", text=text, rule=rule) == expected


def test_languages_are_measured_by_precision_and_recall(tmp_path: Path):
    (tmp_path / "languages").mkdir()
    turn = {"id": "1", "lang": "fr", "text": "J'habite à Lyon.", "memories": [{"key": "Lyon", "kind": ["fact"]}]}
    (tmp_path / "languages" / "fr.jsonl").write_text(json.dumps(turn) + "\n", encoding="utf-8")
    report = judgment.run(tmp_path)
    found = {(figure.set_name, figure.measure): figure.counts for figure in report.figures()}
    assert found["languages: fr", "recall"] == "1 of 1"
    assert report.judgments == {}


def test_a_folder_without_a_set_is_refused(tmp_path: Path):
    with pytest.raises(NotFound, match="no set"):
        judgment.run(tmp_path)


def test_a_line_that_is_no_case_is_named(tmp_path: Path):
    (tmp_path / "imperatives.jsonl").write_text('{"id": "i", "lang": "en"}\n', encoding="utf-8")
    with pytest.raises(InvalidRequest) as refused:
        judgment.run(tmp_path, embedder="none", home=tmp_path / "home")
    assert refused.value.field == "imperatives.jsonl line 1"


def test_a_share_is_taken_over_the_cases_a_fault_applies_to():
    outcomes = [Outcome(str(number), "en", "x", {"lost": lost}) for number, lost in enumerate((True, False))]
    outcomes.append(Outcome("other", "en", "x", {}))
    assert Tally.over(outcomes, "lost") == Tally(1, 2)


def test_a_report_holds_ids_on_request_and_never_texts():
    outcomes = [Outcome("a-1", "en", "paste", {"lost": True}), Outcome("a-2", "de", "mail", {"lost": False})]
    report = JudgeReport({"attacks": Judgment(outcomes)})
    assert figures.lines(report.figures()) == "attacks  lost  1 of 2  0.500"
    assert "errors" not in report.to_json()["attacks"]
    assert report.to_json(errors=True)["attacks"]["errors"] == {"lost": ["a-1"]}


@pytest.mark.parametrize(("arguments", "measured"), [((), "judge"), (("--development", "2"), "development-2")])
def test_the_development_sets_are_measured_on_request_only(monkeypatch, arguments, measured):
    folders: list[Path] = []
    monkeypatch.setattr(judgment, "run", lambda folder, **_: folders.append(folder) or JudgeReport())
    assert judgment.main(["attacks", *arguments]) == 0
    assert [folder.name for folder in folders] == [measured]
