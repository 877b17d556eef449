"""Extraction without a model: what of a turn is worth remembering, and what is not."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cortex.capture import prose
from cortex.capture.candidate import Candidate
from cortex.capture.rules import candidates, language, standing
from cortex.domain.cues import standing_kind
from cortex.domain.identity import TraceId
from cortex.domain.memory import Kind, Retention, slot_of
from cortex.domain.turn import Role, Turn
from cortex.languages.packs import DEFAULT_PACKS
from sweeps import for_each, sweep


def said(text: str, *, speaker: str = "", role: Role = Role.USER) -> Turn:
    return Turn(
        id=TraceId("t1"), text=text, session="s", seq=0, created_at=datetime(2026, 1, 5, tzinfo=UTC),
        speaker=speaker, role=role,
    )  # fmt: skip


def found(text: str, **how: object) -> list[Candidate]:
    return candidates(said(text, **how))  # type: ignore[arg-type]


def only(text: str, **how: object) -> Candidate:
    (candidate,) = found(text, **how)
    return candidate


def slot(text: str, **how: object) -> tuple[str | None, str]:
    candidate = only(text, **how)
    return slot_of(candidate.subject, candidate.attribute), candidate.value


class TestTheStatement:
    def test_it_is_the_words_of_the_turn_and_says_where_they_stand(self):
        """E11, DESIGN 1: every memory can be traced to what was said"""
        text = "By the way, I live in Utrecht. Can you recommend a dentist?"
        candidate = only(text)
        assert candidate.text == "I live in Utrecht."
        assert candidate.span is not None
        assert text[slice(*candidate.span)] == candidate.text
        assert candidate.source_turns == ("t1",)
        assert candidate.found_by == "en/fact.home"
        assert candidate.lang == "en"

    def test_the_fact_is_taken_out_of_the_request_around_it(self):
        """E11"""
        text = "I'm trying to get better at chess, and I've solved 120 puzzles so far, can you suggest an opening?"
        assert only(text).text == "I've solved 120 puzzles so far"

    @pytest.mark.parametrize(
        ("text", "statement"),
        [
            ("So, I'm allergic to shellfish, can you help me plan a menu?", "I'm allergic to shellfish"),
            ("What should I cook given that I'm vegan?", "I'm vegan?"),
            ("Remember that the spare key is with Ola.", "the spare key is with Ola."),
            ("- fix the header\n- all dates must be ISO 8601\n- thanks", "all dates must be ISO 8601"),
            ("Well, I moved to Turku because he works there.", "I moved to Turku because he works there."),
        ],
    )  # fmt: skip
    def test_fillers_and_questions_at_its_edges_are_left_out(self, text: str, statement: str):
        """E11"""
        assert only(text).text == statement

    def test_a_turn_gives_at_most_three_and_keeps_the_weightiest(self):
        """E11"""
        text = (
            "We have 40 clients. I have two cats. I'm allergic to penicillin. I prefer tea over coffee. "
            "Never call me before nine."
        )
        kept = found(text)
        assert [each.kind for each in kept] == [Kind.FACT, Kind.PREFERENCE, Kind.RULE]
        assert "penicillin" in kept[0].text

    def test_saying_it_twice_gives_it_once(self):
        """E11: near-identical items once"""
        assert len(found("I'm vegan. So, I'm vegan.")) == 1

    def test_names_in_it_are_its_entities(self):
        assert only("We decided to host the Falcon API on Hetzner.").entities == ("Falcon API", "Hetzner")


class TestKindAndWeight:
    @pytest.mark.parametrize(
        ("text", "kind", "at_least"),
        [
            ("Always answer in British English.", Kind.RULE, 0.8),
            ("Remember that the boiler was serviced in May.", Kind.FACT, 0.9),
            ("I'm allergic to nickel.", Kind.FACT, 0.8),
            ("I prefer trains over planes.", Kind.PREFERENCE, 0.7),
            ("I prefer Rust for systems programming.", Kind.PREFERENCE, 0.7),
            ("We decided to drop Windows support.", Kind.DECISION, 0.7),
            ("I live in Porto.", Kind.FACT, 0.6),
            ("We now have 12 clients.", Kind.FACT, 0.5),
            ("Jonas is my brother.", Kind.ENTITY, 0.5),
            ("To deploy, run make build, then push the tag.", Kind.PROCEDURE, 0.6),
        ],
    )
    def test_what_is_to_be_held_to_weighs_more_than_what_merely_is(self, text: str, kind: Kind, at_least: float):
        """E6, X5"""
        candidate = only(text)
        assert candidate.kind is kind
        assert at_least <= candidate.importance <= 1.0
        assert 0.5 <= candidate.confidence <= 1.0

    def test_a_list_below_a_procedure_is_part_of_it(self):
        text = "Here's how we cut a release:\n1. bump the version\n2. tag it\n3. run make publish\n\nThanks!"
        assert only(text).text.endswith("3. run make publish")


class TestSlots:
    """A subject and an attribute make a slot: the old and the new way of saying it name the same one."""

    @for_each(
        ("before", "after"),
        [
            ("I live in Oslo.", "We moved to Bergen last week."),
            ("I work at Meridian.", "I started a new job at Halden."),
            ("My name is Alexander.", "I go by Sasha."),
            ("My sister's name is Mei.", "Lan is my sister."),
            ("My manager is Swati Rao.", "After the reorg my manager is Jens Okafor."),
            ("The deadline is May 3.", "The deadline moved to May 17."),
            ("The deadline for Atlas is May 3.", "The Atlas deadline was pushed to June 1."),
            ("My Zotero library has 45 sources.", "My Zotero library has grown to 52 sources."),
            ("Our test coverage is at 61%.", "Test coverage has gone up to 74%."),
            ("The API answers in 250 ms.", "The API is down to 180 ms."),
            ("My favourite tea is oolong.", "My favorite tea is now sencha."),
            ("I weigh 84 kg.", "I'm down to 81 kg."),
            ("I've completed 12 exercises.", "I've now completed 15 exercises."),
            ("The kickoff meeting is on May 3.", "The kickoff meeting was rescheduled to May 9."),
            ("Our billing service runs on three nodes.", "Our billing service is hosted on Hetzner."),
        ],
    )
    def test_a_newer_value_has_the_slot_of_the_older(self, before: str, after: str):
        """DESIGN 9: for facts that change"""
        old, new = slot(before), slot(after)
        assert old[0] == new[0]
        assert old[0] is not None
        assert old[1] != new[1]

    @pytest.mark.parametrize(
        "text",
        ["I enjoy hiking.", "I'm allergic to cats.", "I speak Finnish.", "I have two cats.", "I hate cilantro.",
         "I own a kayak.", "My friend Ada is a nurse."],
    )  # fmt: skip
    def test_what_one_can_have_many_of_fills_no_slot(self, text: str):
        """or the second would erase the first"""
        assert slot(text)[0] is None

    def test_a_value_is_what_was_said_and_no_more(self):
        assert slot("I live in Porto, so keep Portuguese holidays in mind.") == (slot_of("user", "home city"), "Porto")
        assert slot("We had to raise the kitchen budget to £22,500, alas.")[1] == "£22,500"
        assert slot("I've improved the API response time to 220ms after caching.")[1] == "220ms"

    def test_who_speaks_is_the_subject(self):
        """C1: in a conversation of several people, what each says is about them"""
        assert only("I live in Utrecht.", speaker="Mei").subject == "Mei"
        assert only("My sister is called Lan.", speaker="Mei").subject == "Mei's sister"
        assert only("I live in Utrecht.").subject == "user"


class TestChanges:
    @pytest.mark.parametrize(
        "text",
        [
            "I no longer work at Meridian.",
            "We don't use Jenkins any more.",
            "I stopped eating meat.",
            "I'm not on Instagram anymore.",
            "We cancelled our gym membership.",
        ],
    )
    def test_what_is_no_longer_so_is_remembered_as_denied(self, text: str):
        assert only(text).negated

    def test_leaving_an_employer_denies_the_value_of_the_slot(self):
        candidate = only("I no longer work at Meridian.")
        assert (candidate.attribute, candidate.value) == ("employer", "Meridian")

    @pytest.mark.parametrize(
        "text",
        [
            "Actually, I live in Ghent.",
            "No, my name is Tobias.",
            "Sorry, the deadline is May 4.",
            "Correction: the demo is on Tuesday.",
            "I said March, but I meant May 9.",
            "The meeting room isn't 4.12, it's 4.21.",
        ],
    )
    def test_a_correction_says_that_it_is_one(self, text: str):
        assert only(text).corrects

    def test_an_ordinary_statement_corrects_nothing(self):
        assert not only("I live in Ghent.").corrects


class TestRetention:
    def test_most_is_kept_until_told_otherwise(self):
        assert only("I work as a nurse.").retention is Retention.PERMANENT

    def test_what_holds_for_today_lives_for_a_day_however_often_it_is_used(self):
        """X6"""
        candidate = only("My daughter is with her grandparents today.")
        assert (candidate.retention, candidate.ttl) == (Retention.TTL, timedelta(days=1))

    def test_what_holds_for_a_week_has_a_time_to_live(self):
        candidate = only("My sister is visiting Porto this week.")
        assert (candidate.retention, candidate.ttl) == (Retention.TTL, timedelta(days=7))

    def test_a_rule_is_meant_to_last(self):
        assert only("From now on, sum up the news I missed today.").retention is Retention.PERMANENT


class TestNothing:
    @pytest.mark.parametrize(
        "text",
        [
            "I want a table for 2 at 7 pm.",
            "Book me a flight on March 8th.",
            "I'd like to find an Italian restaurant.",
            "I need a one-way ticket to LA.",
            "Make the second paragraph shorter.",
            "I prefer the second option.",
            "I prefer Delta for the flight.",
            "I prefer Doctor Brown for Monday next week.",
            "Let's go with the first one.",
            "Set a timer for 12 minutes.",
        ],
    )
    def test_a_step_of_the_present_task_is_not_remembered(self, text: str):
        """E11"""
        assert found(text) == []

    @pytest.mark.parametrize(
        "text",
        [
            "What did I tell you about my allergies?",
            "Do I prefer tea or coffee?",
            "Should I move to Berlin?",
            "Is it better to always prefer composition?",
            "I live in Paris?",
        ],
    )
    def test_a_question_states_nothing(self, text: str):
        assert found(text) == []

    @pytest.mark.parametrize(
        "text",
        [
            "If I lived in Paris, I'd cycle everywhere.",
            "Suppose I'm vegan and I work at a bakery.",
            "Imagine my name is Bob and I live on Mars.",
            "Let's role-play. I'm the customer. My name is Bob.",
            "In the novel, my favourite character is the aunt.",
            "Maybe I'll move to Oslo.",
            "I might switch to Vim.",
        ],
    )
    def test_what_is_supposed_played_or_doubted_is_not_so(self, text: str):
        assert found(text) == []

    @pytest.mark.parametrize(
        "text",
        ["Thanks, that's perfect!", "I love it!", "Never mind.", "I'm so tired", "lol ok", "My build fails again.",
         "I guess so", "You always know what to say", "I have a question", "👍", "..."],
    )  # fmt: skip
    def test_small_talk_and_passing_states_give_nothing(self, text: str):
        """E10, E11"""
        assert found(text) == []

    @pytest.mark.parametrize(
        "text",
        [
            '```\n# I live in Oslo\nname = "always"\n```\nwhy does it fail?',
            "> I prefer tabs over spaces\n> Never push to main.\nDo you agree?",
            'She said "I live in Paris and I never eat meat".',
            'Translate to German: "I have two dogs." and I live in Madrid.',
            "Please proofread: I works at Acme. I lives in Berlin.",
            "From: Ops\nTo: all\nSubject: Rules\n\nAlways lock the door. I live in Bonn.",
            "-----Original Message-----\nI moved to Rome.",
            "2026-03-02 11:02:17 INFO I prefer this host\n2026-03-02 11:02:19 WARN never mind",
            "Anna said, I live in Berlin now.",
            "My colleague says 'always use spaces'.",
        ],
    )
    def test_what_others_wrote_is_not_what_the_speaker_says(self, text: str):
        """E7, E11: code, quotes, mails, logs and texts to work on"""
        assert found(text) == []

    @pytest.mark.parametrize("role", [Role.ASSISTANT, Role.SYSTEM, Role.TOOL])
    def test_only_users_are_listened_to(self, role: Role):
        """E7, E11: no tool output"""
        assert found("I live in Oslo. Always answer in Dutch.", role=role) == []

    @pytest.mark.parametrize("text", ["Paris has two million inhabitants.", "Water boils at 100 degrees.",
                                      "The Eiffel Tower is 330 metres tall."])  # fmt: skip
    def test_knowledge_of_the_world_is_not_the_speakers(self, text: str):
        assert found(text) == []


class TestStanding:
    @pytest.mark.parametrize(
        "text",
        ["Always answer in German.", "From now on, call me Sam.", "please never use emojis",
         "Ok. Don't ever push on Fridays.", "Whenever I ask about code, show types.",
         "When I mention dates, use ISO format.", "I want you to always cite sources", "Never deploy on Fridays"],
    )  # fmt: skip
    def test_it_agrees_with_the_cues_of_turns(self, text: str):
        """DESIGN 9"""
        assert standing(text)
        assert standing_kind(text, Role.USER) is Kind.RULE

    @pytest.mark.parametrize(
        "text",
        [
            "以后都用中文回答。",
            "今後は日本語で答えてください。",
            "Desde ahora contéstame en español.",
            "Antworte bitte immer auf Deutsch.",
        ],
    )
    def test_it_knows_the_other_languages(self, text: str):
        assert standing(text)

    @pytest.mark.parametrize("text", ["I went to the market", "It was always raining there", "She never came",
                                      "What time is it?", "我昨天去了市场", ""])  # fmt: skip
    def test_most_is_not_standing(self, text: str):
        assert not standing(text)


class TestBounds:
    @settings(max_examples=50, deadline=None)
    @given(st.text(max_size=400))
    def test_any_text_is_survived(self, text: str):
        """bad input never crashes"""
        assert len(candidates(said(text))) <= 3

    _WORDS = st.sampled_from(
        "I my we our live in Oslo prefer tabs over spaces . , ! ? \n ; — because and but never always remember that "
        "the deadline is May 3 我 喜欢 茶 。 ， 私は 東京 に 住んで います ich wohne in Bonn vivo en ' \" “ ” ``` >"
        .split(" ")
    )  # fmt: skip

    @settings(max_examples=50, deadline=None)
    @given(st.lists(_WORDS, max_size=40).map(" ".join))
    def test_a_candidate_is_always_exactly_what_stands_at_its_span(self, text: str):
        """DESIGN 1"""
        for candidate in candidates(said(text)):
            assert candidate.span is not None
            start, end = candidate.span
            assert text[start:end] == candidate.text != ""
            assert candidate.text.strip() == candidate.text
            assert candidate.draft(scope="x", source_kind=said("x").source_kind, said_at=said("x").created_at).checked()

    @settings(max_examples=50, deadline=None)
    @given(st.text(max_size=400))
    def test_what_is_blanked_leaves_every_position_where_it_was(self, text: str):
        own = prose.own_prose(text)
        assert len(own) == len(text)
        assert all(0 <= start < end <= len(text) for start, end in prose.sentences(own))

    @pytest.mark.parametrize(
        "unit",
        sweep(
            ["I, ", "a", " ", "'", "' a", "see ", "please fix ", "I am really ", "my my ", "1,", ". ", "Anna Bob ",
             "when I ask about x, ", "I\n", "我喜欢", "我，", "私は", "yo no ya ", "ich bin nicht ", "```\n", "> ",
             "; ", "(", "always never ", "to do, ", "remember that ", "From: a\n", "so, ", "our thing is ",
             "I, " * 300 + ". "],
            default=["I, ", "please fix "],
        ),
    )  # fmt: skip
    def test_no_text_takes_long(self, unit: str):
        """DESIGN 8: patterns take time in proportion to the text, and a long text is looked at in part"""
        candidates(said("I live in Oslo. 我叫李。"))
        text = (unit * (100_000 // len(unit) + 1))[:100_000]
        started = time.process_time()
        candidates(said(text))
        assert time.process_time() - started < 5.0

    def test_what_is_said_around_a_long_paste_is_found(self):
        paste = "\n".join(f"line {number} of something pasted" for number in range(4_000))
        assert only(f"I live in Oslo.\n{paste}").value == "Oslo"
        assert only(f"{paste}\nI live in Oslo.").value == "Oslo"


class TestLanguage:
    @pytest.mark.parametrize(
        ("text", "lang"),
        [
            ("I live here and my dog too", "en"),
            ("我住在台北", "zh"),
            ("私は東京に住んでいます", "ja"),
            ("yo vivo en la costa", "es"),
            ("ich wohne in der Stadt", "de"),
        ],
    )
    def test_a_sentence_is_read_by_the_pack_of_its_language(self, text: str, lang: str):
        pack = language(text)
        assert pack is not None
        assert pack.lang == lang

    def test_each_sentence_of_a_mixed_turn_is_read_in_its_own(self):
        assert [each.lang for each in found("I live in Oslo. 我不吃香菜。 Ich bin allergisch gegen Nüsse.")] == [
            "en",
            "zh",
            "de",
        ]

    @pytest.mark.parametrize("text", ["", "12345", "🙂🙂", "Mieszkam w Krakowie", "Μένω στην Αθήνα"])
    def test_where_no_pack_reads_it_nothing_is_found(self, text: str):
        assert found(text) == []

    def test_packs_can_be_chosen(self):
        english = tuple(pack for pack in DEFAULT_PACKS if pack.lang == "en")
        assert candidates(said("我不吃香菜。"), packs=english) == []


def test_a_taste_told_to_get_something_that_suits_it_is_part_of_the_request():
    """E11: small talk of a search leaves nothing behind"""
    assert [each.text for each in found("I love jazz on Sundays.")] == ["I love jazz on Sundays."]
    assert found("Can you find me some concerts? I love jazz.") == []


class TestAbbreviationsAndValues:
    """A full stop in an abbreviation ends no sentence, and a value is read whole."""

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("At work, call me Dr. Lang.", "Dr. Lang"),
            ("My doctor is Dr. Hahn.", "Dr. Hahn"),
            ("I moved to Porto in January and work at Brisa as a nurse.", "Porto"),
            ("I moved to Washington, D.C. in May for a job at Corvid Inc. and I love it.", "Washington, D.C"),
        ],
    )
    def test_titles_months_and_initials(self, text: str, value: str):
        assert value in {candidate.value for candidate in found(text)}

    def test_a_measured_value_is_no_date(self):
        assert "date" not in {candidate.attribute for candidate in found("My cholesterol is 5.6 mmol/L.")}
