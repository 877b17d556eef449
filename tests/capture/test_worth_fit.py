"""The weights of capture come from the training chats: the fit that ships is the fit that is written down."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from bench.capture import fit
from cortex.capture import worth
from cortex.capture.worth import WorthScale
from sweeps import sweep


@pytest.fixture(scope="module")
def examples() -> list[fit.Example]:
    return fit.statement_examples()


@pytest.fixture(scope="module")
def by_signs(examples: list[fit.Example]) -> fit.Problem:
    """The scale that needs no vectors: these are one number each."""
    return fit.Problem.of(examples, np.zeros((len(examples), 1)), fit.FITS[WorthScale.STATEMENT_BY_SIGNS])


@pytest.mark.parametrize("file", sorted(fit.TRAINING.glob("*.jsonl")), ids=lambda file: file.stem)
def test_every_training_chat_is_labeled_as_its_readme_says(file):
    for line in file.read_text(encoding="utf-8").splitlines():
        chat = json.loads(line)
        assert chat["style"] in {"assistant", "friends"}
        for turn in chat["turns"]:
            assert ("parts" in turn) != ("text" in turn), chat["chat"]
            for sentence, _kind, weight, *keep in turn.get("parts", ()):
                assert sentence.strip()
                assert weight in {0, 1, 2}, sentence
                assert all(part in sentence and weight for part in keep), sentence


def test_no_two_training_chats_share_a_name():
    names = [chat["chat"] for chat in fit._chats()]
    assert len(names) == len(set(names))


def test_every_sort_of_casual_sentence_is_of_several_topics():
    rows = [json.loads(line) for line in fit.CASUAL.read_text(encoding="utf-8").splitlines()]
    assert len({row["text"] for row in rows}) == len(rows)
    assert all(row.keys() == {"text", "rule", "sort", "topic"} for row in rows)
    assert all(len({row["topic"] for row in rows if row["sort"] == sort}) > 5 for sort in {row["sort"] for row in rows})


def test_the_weights_that_ship_were_fitted_on_these_chats():
    """A chat, a label or a weight that changed without `python -m bench.capture.fit` fails here."""
    assert fit.FITTED.read_text(encoding="ascii").strip() == fit.fingerprint()


@pytest.mark.slow
def test_the_weights_that_ship_are_those_of_a_fit_on_the_training_chats(
    examples: list[fit.Example], by_signs: fit.Problem
):
    """Signs that changed without `python -m bench.capture.fit` fail here."""
    how = fit.FITS[WorthScale.STATEMENT_BY_SIGNS]
    shipped = worth.weights(WorthScale.STATEMENT_BY_SIGNS)
    fitted = by_signs.as_dict(fit.threshold_of(how, examples, by_signs))
    assert fitted["threshold"] == pytest.approx(shipped.threshold, abs=0.11)
    assert fitted["bias"] == pytest.approx(shipped.bias, abs=0.02)
    assert fitted["signs"].keys() == shipped.signs.keys()
    assert all(weight == pytest.approx(shipped.signs[name], abs=0.02) for name, weight in fitted["signs"].items())


@pytest.mark.slow
def test_a_higher_share_of_useful_statements_asks_for_a_higher_threshold(
    examples: list[fit.Example], by_signs: fit.Problem
):
    scores = fit.left_out(examples, by_signs)
    found = [fit.chosen_threshold(scores, by_signs, share) for share in (0.6, 0.7, 0.8, 0.9)]
    assert found == sorted(found)
    for share, threshold in zip((0.6, 0.7, 0.8, 0.9), found, strict=True):
        # Thresholds are rounded to a tenth.
        assert by_signs.target[scores >= threshold].mean() == pytest.approx(share, abs=0.02)


@pytest.mark.slow
def test_what_is_left_out_is_scored_by_weights_that_never_saw_it(examples: list[fit.Example]):
    """Turning the labels of one group over changes no score of that group."""
    group = examples[0].group
    turned = [replace(each, is_right=each.is_right != (each.group == group)) for each in examples]
    how = fit.FITS[WorthScale.STATEMENT_BY_SIGNS]
    none = np.zeros((len(examples), 1))
    before = fit.left_out(examples, fit.Problem.of(examples, none, how))
    after = fit.left_out(turned, fit.Problem.of(turned, none, how))
    is_of_group = np.array([each.group == group for each in examples])
    assert np.allclose(before[is_of_group], after[is_of_group])
    assert not np.allclose(before[~is_of_group], after[~is_of_group])


@pytest.mark.parametrize("every", sweep([12, 1], [12]))
def test_what_is_worth_more_scores_higher_by_the_weights_that_ship(every: int):
    examples = [example for chat in list(fit._chats())[::every] for example in fit._of_chat(chat)]
    shipped = worth.weights(WorthScale.STATEMENT_BY_SIGNS)
    scores = np.array([shipped.score(each.signs) for each in examples])
    right = np.array([each.is_right for each in examples])
    assert np.median(scores[right]) > shipped.threshold > np.median(scores[~right])
