"""Whole statements: what a turn says that is worth remembering, in words that stand alone."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from cortex.capture import audience, clauses, prose, standalone, statements, worth
from cortex.capture.candidate import Candidate
from cortex.domain.identity import TraceId
from cortex.domain.memory import Kind
from cortex.domain.turn import Role, Turn
from cortex.languages.en.clauses import ENGLISH
from cortex.languages.en.references import ENGLISH as REFERENCES
from sweeps import for_each

FRAGMENTS = Path(__file__).with_name("sentences") / "fragments.tsv"
MONDAY = datetime(2024, 3, 4, 9, 0, tzinfo=UTC)


def turn(text: str, *, seq: int = 0, speaker: str = "", role: Role = Role.USER) -> Turn:
    return Turn(
        id=TraceId(f"t{seq}"), text=text, session="s", seq=seq, created_at=MONDAY, role=role, speaker=speaker
    )  # fmt: skip


def kept(*texts: str, speaker: str = "") -> list[Candidate]:
    return statements.candidates([turn(text, seq=at, speaker=speaker) for at, text in enumerate(texts)])


def texts(*said: str, speaker: str = "") -> list[str]:
    return [each.text for each in kept(*said, speaker=speaker)]


class TestStatements:
    @for_each(
        ("sentence", "stated"),
        [
            (
                "Given that my budget is $450 and I live near Leeds, can you suggest a road bike?",
                ["my budget is $450 and I live near Leeds"],
            ),
            (
                "Can you suggest a laptop, considering I've already spent $1,350 of the $2,000?",
                ["I've already spent $1,350 of the $2,000?"],
            ),
            (
                "How can I use the fact that I placed three nurses in May?",
                ["I placed three nurses in May?"],
            ),
            (
                "I have some doubts about the flat, can you check the offer, I earn $3,200 a month, is that enough?",
                ["I have some doubts about the flat", "I earn $3,200 a month"],
            ),
            ("How do I cancel my order, and can I get a refund?", []),
            (
                "My spouse Alexis, who's 32 and works in design, wants to move to Lisbon.",
                ["My spouse Alexis, who's 32 and works in design, wants to move to Lisbon."],
            ),
            ("I'm not sure how to phrase it, can you help me?", []),
            ("My dog is 9 and has bad hips, any exercises?", ["My dog is 9 and has bad hips"]),
            ("I drive a 2014 Octavia, the oil light is on, what now?", ["I drive a 2014 Octavia, the oil light is on"]),
            ("I'm vegetarian.", ["I'm vegetarian."]),
            ("I know.", []),
            ("Can you suggest a plan, given my increased rent and reduced hours?", []),
            ("I moved to Bonn in May, but anyway", ["I moved to Bonn in May"]),
            ("Can you write the HTML and CSS code for it?", []),
            (
                "What's the best way to ensure Greta and I can share the files, since we moved to Bonn in May?",
                ["we moved to Bonn in May?"],
            ),
            (
                "I want to make sure I meet the June 3 deadline for the pilot, can you help?",
                ["I want to make sure I meet the June 3 deadline for the pilot"],
            ),
        ],
    )
    def test_what_a_sentence_states_is_cut_from_what_it_asks(self, sentence: str, stated: list[str]):
        spans = clauses.statements(sentence, 0, len(sentence), ENGLISH)
        assert [sentence[start:end] for start, end in spans] == stated

    def test_a_long_sentence_becomes_statements_of_at_most_forty_words(self):
        sentence = ", and ".join(f"I have moved the item number {at} from the cellar to the attic" for at in range(9))
        spans = clauses.statements(sentence, 0, len(sentence), ENGLISH)
        assert len(spans) > 1
        assert all(len(sentence[start:end].split()) <= clauses.LONGEST_WORDS for start, end in spans)

    def test_a_sentence_without_end_takes_time_in_proportion(self):
        text = "I have a dog and " * 4_000
        assert len(clauses.statements(text, 0, len(text), ENGLISH)) >= 1


class TestWhatIsKept:
    @pytest.mark.parametrize(
        ("said", "key"),
        [
            ("I paid off the last $2,000 of my car loan on March 5.", "$2,000"),
            ("My spouse Alexis, who's 32 and works in design, wants to move to Lisbon next year.", "works in design"),
            ("Given that my budget is $450 and I live near Leeds, can you suggest a road bike?", "budget is $450"),
            ("I had a car accident last Friday and my neck still hurts.", "car accident"),
            ("I think I'll reduce my hours to 30 a week from June.", "hours to 30"),
            ("We're on Django 4.2.1 with Postgres 15, and test coverage is up to 78%.", "4.2.1"),
            ("My sister Ines is visiting on Friday, she is a vet.", "she is a vet"),
            ("I'm vegetarian.", "vegetarian"),
            ("I prefer short answers.", "short answers"),
            ("My dog Biscuit is 7 and has hip problems, any exercises?", "Biscuit is 7"),
        ],
    )
    def test_facts_events_and_soft_decisions_are_remembered(self, said: str, key: str):
        assert any(key in text for text in texts(said)), texts(said)

    @pytest.mark.parametrize(
        "said",
        [
            "Thanks, that makes sense! I'll start with the first step.",
            "Can you explain how a hash map works?",
            "Wow, that's amazing! I'm so happy for you.",
            "Got it, so I should use a left join here.",
            "Here's my current code: ```python\nlimit = 450\n```",
            "Never mind, sorted it.",
            "If I won the lottery I'd move to Lisbon.",
            "I prefer the second one.",
            "I prefer that.",
        ],
    )
    def test_small_talk_requests_and_echoes_are_not(self, said: str):
        assert texts(said) == []

    def test_at_most_three_statements_of_a_turn_are_kept(self):
        said = " ".join(f"My cousin number {at} works at Statoil in Oslo since 20{at}." for at in range(11, 19))
        assert len(kept(said)) == 3

    def test_what_is_worth_more_is_more_important(self):
        """The better of two statements has the higher importance."""
        high = kept("My daughter Mia was diagnosed with celiac disease on March 1.")[0]
        low = kept("I have a few spare cables at home from my old office.")
        assert not low or high.importance > low[0].importance

    @for_each(
        ("said", "begins"),
        [
            ("torque-api 4.2.1 went out on March 1.", "torque-api"),
            ("my sister Ines is a vet in Ghent.", "My sister"),
        ],
    )
    def test_a_memory_opens_with_a_capital_unless_it_opens_with_the_name_of_a_thing(self, said: str, begins: str):
        assert [text[: len(begins)] for text in texts(said)] == [begins]

    def test_what_is_plain_is_as_sure_as_its_rule(self):
        (plain,) = kept("I prefer short answers.")
        assert plain.confidence >= 0.8

    def test_a_caption_is_not_said_by_anybody(self):
        assert texts("Look! [photo: a photo of a man who lives in Oslo with 3 dogs]") == []

    def test_what_is_said_before_a_picture_is_kept(self):
        assert texts("My daughter Mia was born in Ghent on March 1. [photo: a baby]") == [
            "My daughter Mia was born in Ghent on March 1."
        ]

    @pytest.mark.parametrize(
        "said",
        [
            "Family is the most important thing in life.",
            "Music has a way of bringing people together.",
            "I'm trying to center the map inside the card.",
            "I've tried restarting the server and clearing the queue.",
            "It's been ages since we last talked!",
            "You should be so proud of yourself.",
        ],
    )
    def test_sayings_tasks_of_the_hour_and_compliments_are_not(self, said: str):
        assert texts(said) == []

    def test_an_echo_of_what_the_assistant_proposed_is_worth_less(self):
        plan = "I'll plant the garlic in October and cover the beds with straw."
        advice = "Plant the garlic in October, cover the beds with straw, and water them once a week."
        alone, echoed = (statements.read(turn(plan), "", heard)[0][0].signs for heard in ("", advice))
        assert echoed - alone == {"echoes", "echoes most", "echoes, as a plan", "echoes most, as a plan"}

    def test_what_the_user_brought_up_first_is_no_echo(self):
        said = "I planted garlic and straw beds in October."
        found, _ = statements.read(turn(said), before=said, reply="Garlic planted in October needs straw on the beds.")
        assert "echoes" not in found[0].signs

    def test_the_words_of_the_assistant_are_left_alone(self):
        assert statements.candidates([turn("I live in Oslo with my wife and 3 dogs.", role=Role.ASSISTANT)]) == []


class TestStandingAlone:
    def test_a_relative_date_has_the_day_beside_it(self):
        assert texts("I had a car accident last Friday and broke my wrist.") == [
            "I had a car accident last Friday (2024-03-01) and broke my wrist."
        ]

    @pytest.mark.parametrize(
        ("said", "day"),
        [
            ("My brother Tom moved to Leeds two weeks ago.", "(week of 2024-02-19)"),
            ("We signed the lease for our flat in Ghent yesterday.", "(2024-03-03)"),
            ("My daughter Ada starts school in Bergen next month.", "(2024-04)"),
            ("I finished my master's degree in Lyon last year.", "(2023)"),
        ],
    )
    def test_so_do_weeks_months_and_years(self, said: str, day: str):
        assert day in texts(said)[0]

    def test_a_pronoun_becomes_the_one_person_it_can_mean(self):
        found = texts(
            "My sister Ines moved to Ghent in May 2023.", "She works as a vet at a clinic in Bruges since June."
        )
        assert "My sister Ines works as a vet at a clinic in Bruges since June." in found

    def test_a_pronoun_that_may_mean_two_people_is_not_remembered(self):
        found = texts(
            "My sister Ines and my brother Tom moved to Ghent in May 2023.",
            "She works as a vet at a clinic in Bruges since June.",
        )
        assert not any("vet" in text for text in found)

    def test_a_pronoun_inside_becomes_the_one_thing_it_can_mean(self):
        found = texts("I bought a cello in Cremona last year.", "My uncle Piet repaired it for $400 in March 2023.")
        assert "My uncle Piet repaired the cello for $400 in March 2023." in found

    def test_mine_becomes_my_and_the_one_thing_that_was_asked_about(self):
        found = texts("Where do I renew a boat license from abroad? Mine ends on 14 March 2027 and I moved to Oslo.")
        assert found == ["My boat license ends on 14 March 2027 and I moved to Oslo."]

    @pytest.mark.parametrize("asked", ["What does a good tent cost?", "Which tent or stove is best?", ""])
    def test_mine_that_may_be_anything_is_not_remembered(self, asked: str):
        assert not texts(f"{asked} Mine is from May 2019 and weighs 4 kg.".strip())

    def test_an_abbreviation_ends_no_statement(self):
        assert texts("Our rent is 1,820 euros incl. service costs.") == ["Our rent is 1,820 euros incl. service costs."]

    def test_what_refers_to_the_sentence_before_is_remembered_with_it(self):
        found = texts("My aunt Rosa and my uncle Piet run a vineyard. My brother Tom works for them since May 2023.")
        assert found == ["My aunt Rosa and my uncle Piet run a vineyard; my brother Tom works for them since May 2023."]

    @pytest.mark.parametrize(
        "said",
        [
            "My brother Tom finished it in Leeds in May 2023.",
            "My brother Tom met them in Leeds in May 2023.",
            "I painted this in Leeds in May 2023 with my brother Tom.",
            "My sister Ines moved there in May 2023 for her job at Siemens.",
        ],
    )
    def test_what_refers_to_nothing_that_was_said_is_not_remembered(self, said: str):
        assert texts(said) == []

    @pytest.mark.parametrize(
        "said",
        [
            "My brother Tom bought a boat in Leeds in May 2023 and sold it in June.",
            "It takes my brother Tom two hours to get to his job in Leeds.",
            "My brother Tom said that he moved to Leeds in May 2023.",
            "My brother Tom moves to Leeds this month for his job at Siemens.",
            "There are three dogs at my brother Tom's house in Leeds.",
        ],
    )
    def test_what_a_statement_names_itself_may_be_referred_to(self, said: str):
        assert texts(said) != []

    def test_a_greeting_is_no_part_of_a_memory(self):
        assert texts("Hey Ana, my daughter Mia was born in Ghent on March 1.") == [
            "My daughter Mia was born in Ghent on March 1."
        ]

    def test_nobody_s_sister_is_given_to_another_speaker(self):
        items = [
            turn("My sister Ines moved to Ghent in May 2023.", seq=0, speaker="Ada"),
            turn("She works as a vet at a clinic in Bruges since June.", seq=1, speaker="Bo"),
        ]
        assert not any("Ines works" in each.text for each in statements.candidates(items))

    def test_the_name_before_a_turn_is_no_part_of_it(self):
        found = kept("Ada: My daughter Mia was born in Ghent on March 1.", speaker="Ada")
        assert [each.text for each in found] == ["My daughter Mia was born in Ghent on March 1."]
        assert [each.subject for each in found] == ["Ada"]


class TestRules:
    def test_an_instruction_is_kept_whole_whatever_it_scores(self):
        found = kept("Always answer in metric units when I ask about recipes.")
        assert [(each.kind, each.text) for each in found] == [
            (Kind.RULE, "Always answer in metric units when I ask about recipes.")
        ]

    def test_the_condition_of_an_instruction_is_its_topic(self):
        assert [each.topic for each in kept("When I ask about recipes, always give metric units.")] == ["recipes"]

    def test_what_the_user_asks_to_be_remembered_is_kept(self):
        assert [each.text for each in kept("Please remember that the spare key is under the blue pot.")]


def test_statements_are_read_from_own_prose_alone():
    text = 'My boss wrote "I live in Oslo and my budget is $5,000" in the mail.'
    own = prose.own_prose(text)
    found, _ = statements.read(turn(text))
    assert all("Oslo" not in own[each.start : each.end] for each in found)


class TestSlots:
    def slot(self, said: str) -> tuple[str, str]:
        found = kept(said)
        return (found[0].attribute, found[0].value) if found else ("", "")

    def test_a_number_is_whole_or_fills_no_slot(self):
        assert self.slot("My car fund is at $1,350 now.")[1] in {"", "$1,350"}
        assert self.slot("The emergency fund has reached $2,500.") == ("amount", "$2,500")

    def test_two_things_have_two_slots(self):
        car, emergency = kept("The car fund has reached $2,500."), kept("The emergency fund has reached $900.")
        assert car[0].subject != emergency[0].subject

    def test_a_word_is_never_cut(self):
        assert self.slot("We moved to Dublin last month.") == ("home city", "Dublin")

    def test_a_share_is_no_age(self):
        assert self.slot("I'm 45% done with my thesis.")[0] != "age"

    def test_a_denied_value_fills_no_slot(self):
        assert "Tuesday" not in self.slot("The deadline for Atlas is not Tuesday but Wednesday.")[1]

    @pytest.mark.parametrize("said", ["If I won the lottery I'd move to Lisbon.", "I'd move to Oslo if I got the job."])
    def test_what_is_only_supposed_is_not_remembered(self, said: str):
        assert kept(said) == []

    def test_a_pronoun_is_no_name(self):
        assert all(each.subject.casefold() not in {"it", "this"} for each in kept("It is called Atlas in our team."))


@pytest.mark.parametrize("text", ["I live in Rome.", "My name is Anna.", "I work at Siemens."])
def test_a_slot_that_is_all_a_statement_says_is_kept_whatever_its_meaning_scores(text: str):
    """X7: who somebody is may come in a message about anything"""
    weights = worth.weights(worth.WorthScale.STATEMENT)
    assert weights.vector is not None
    unlikely = -weights.vector / np.linalg.norm(weights.vector)
    found = statements.candidates([turn(text)], lambda said: [unlikely] * len(said))
    assert [(each.text, each.confidence >= 0.5, each.importance >= 0.5) for each in found] == [(text, True, True)]


class TestWhatAStatementPointsAt:
    @pytest.mark.parametrize(
        ("text", "before", "stands"),
        [
            ("I spoke for ten minutes at the event.", (), False),
            ("I want a home for those kids.", (), False),
            ("Their love helped me accept myself.", (), False),
            ("I've been one, because I lost my job.", (), False),
            ("I painted it in June and made it to remind me of Rome.", (), False),
            ("I spoke at the event of the chess club.", (), True),
            ("Rachael shared her fears with me on May 3.", (), True),
        ],
    )
    def test_what_only_the_talk_explains_does_not_stand_alone(
        self, text: str, before: tuple[str, ...], stands: bool
    ) -> None:
        assert (standalone.resolved(text, before, REFERENCES) is not None) == stands

    def test_we_takes_along_the_statement_that_names_the_others(self) -> None:
        lead, text = "I took my kids to a pottery workshop.", "We all made our own pots."
        assert standalone.joins(lead, text, REFERENCES)
        assert not standalone.joins("I went to a pottery workshop.", text, REFERENCES)
        whole = "I took my kids to a pottery workshop; we all made our own pots."
        assert standalone.led(lead, text, REFERENCES) == whole

    def test_a_sentence_that_only_adds_to_the_one_before_is_told_from_whole_ones(self) -> None:
        """The patterns were chosen on most of the sentences; those of the held part were written afterwards (E11)."""
        faults: dict[str, list[str]] = {"chosen": [], "held": []}
        rows = [line.split("\t") for line in FRAGMENTS.read_text(encoding="utf-8").splitlines()]
        for half, what, sentence in rows:
            if standalone.is_fragment(sentence, REFERENCES) != (what == "adds"):
                faults[half].append(f"{what}: {sentence}")
        assert len(faults["chosen"]) <= 5, faults["chosen"]
        assert len(faults["held"]) <= 2, faults["held"]
        assert not [each for each in faults["held"] if each.startswith("states")]

    @pytest.mark.parametrize(
        ("said", "kept_texts"),
        [
            ("I live in Graz. With two cats. On a hill.", ["I live in Graz. With two cats. On a hill."]),
            ("The build fails on the second run. Only on Windows.", []),
            ("Mostly in Frankfurt, on ECS.", []),
        ],
    )
    def test_what_only_adds_to_a_statement_is_remembered_with_it_or_not_at_all(
        self, said: str, kept_texts: list[str]
    ) -> None:
        assert texts(said) == kept_texts

    @pytest.mark.parametrize(
        ("said", "kept_texts"),
        [
            (
                "my plumber Dagny cant do the 3rd. its the 9th now",
                ["My plumber Dagny cant do the 3rd. its the 9th now"],
            ),
            (
                "I keep ducks, six of them. 90 eggs last month",
                ["I keep ducks, six of them. 90 eggs last month (2024-02)"],
            ),
            ("I booked the ferry for june 4. $180 with the car", ["I booked the ferry for june 4. $180 with the car"]),
        ],
    )
    def test_what_goes_on_in_a_brief_message_is_remembered_with_what_it_leans_on(
        self, said: str, kept_texts: list[str]
    ) -> None:
        assert texts(said) == kept_texts

    @pytest.mark.parametrize(
        "said",
        [
            "My sister moved to Bergen in May. "
            + "She has a boat that needs a lot of work and a dog that hates it. " * 3,
            "My sister moved to Bergen in May. Her flat is where? ",
            "I moved to Bergen in May. At most five lines from now on, please.",
        ],
    )
    def test_long_messages_questions_and_orders_do_not_go_on_with_what_was_said(self, said: str) -> None:
        assert not any(each.is_joined for each in statements.read(turn(said))[0])

    def test_between_people_every_sentence_is_read_by_itself(self) -> None:
        said = turn("Dagny cant do the 3rd. its the 9th now", speaker="Ana")
        assert not any(each.is_joined for each in statements.read(said, listener="Ben")[0])

    def test_what_adds_to_an_order_may_be_an_instruction(self) -> None:
        judged = {each.text for each in statements.read(turn("Write the notes. Only in metric units."))[0]}
        assert "Only in metric units." in judged
        judged = {each.text for each in statements.read(turn("The build fails again. Only on Windows."))[0]}
        assert "Only on Windows." not in judged

    def test_between_two_people_you_has_a_name(self) -> None:
        said = "I bought 3 of your lamps last Fri."
        assert standalone.addressed(said, "Ana", REFERENCES) == "I bought 3 of your (Ana's) lamps last Fri."
        assert standalone.addressed(said, "", REFERENCES) == said

    @pytest.mark.parametrize(
        ("text", "dated"),
        [
            ("I ran last Fri.", "I ran last Fri (2024-03-01)."),
            ("We camped two weekends ago.", "We camped two weekends ago (weekend of 2024-02-24)."),
        ],
    )
    def test_short_weekdays_and_weekends_get_a_date(self, text: str, dated: str) -> None:
        assert standalone.dated(text, MONDAY, REFERENCES) == dated


def test_who_listens_is_known_between_two_people_and_with_an_assistant() -> None:
    pair = [turn("a", speaker="Ana"), turn("b", speaker="Ben")]
    assert audience.listeners(pair) == ["Ben", "Ana"]
    assert audience.listeners([*pair, turn("c", speaker="Cem")]) == ["", "", ""]
    assert audience.listeners([turn("a", speaker="Ana"), turn("b", role=Role.ASSISTANT)]) == [None, None]


class TestValuesInQuestions:
    """Read to compare them with what is remembered; by themselves they are no memories."""

    @pytest.mark.parametrize(
        ("said", "value"),
        [
            ("How can I plan the trip with my budget now at $450?", "My budget now at $450"),
            ("What does my current test coverage of 78% mean for the release?", "My current test coverage of 78%"),
            (
                "I've already glazed 15 bowls, so I'm looking for a way to pack them that can help me save time.",
                "I've already glazed 15 bowls",
            ),
        ],
    )
    def test_a_question_gives_the_value_it_names_provisionally(self, said: str, value: str):
        """X14"""
        found = statements.candidates([turn(said)], provisional=True)
        assert [each.provisional for each in found if each.text.startswith(value)] == [True]
        assert not [each for each in kept(said) if each.text == value]

    @pytest.mark.parametrize(
        "said",
        [
            "How do I reach my goal of 90% coverage?",
            "Can you suggest a laptop for under $900?",
            "If my rent went up to $1,500, could I pay it?",
            "How do I reach $450?",
        ],
    )
    def test_a_goal_a_limit_or_a_supposition_gives_none(self, said: str):
        assert statements.candidates([turn(said)], provisional=True) == []

    def test_a_market_correction_corrects_nobody(self):
        (found,) = kept("I lost 4% of my savings in the market correction in August.")
        assert not found.corrects
