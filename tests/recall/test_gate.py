"""Which messages are not worth a recall (E10)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.recall.gate import skip_reason
from sweeps import for_each

QUESTIONS = [
    "when does the deploy key rotate?",
    "what did we decide about the API?",
    "Good morning! What is on today?",
    "ok, and which port was it?",
    "thanks — but who owns the billing service?",
    "hi, remind me of the wifi password",
    "部署密钥什么时候轮换？",
    "好的，那么端口是多少？",
    "你好，我们上次决定了什么？",
    "デプロイキーはいつ変わりますか？",
    "はい、ポートは何番ですか",
    "배포 키는 언제 바뀌나요?",
    "Wann wird der Schlüssel gewechselt?",
    "¿Cuándo rota la clave?",
    "Когда меняется ключ?",
    "متى يتغير المفتاح؟",
    "कुंजी कब बदलती है?",
    "κλειδί πότε αλλάζει;",
    "/etc/hosts: what did we add there?",
    "why is the build red 😡",
    "🎂 whose birthday is it?",
    "42",
    "PR #1234",
    "a1b2c3d",
]


@pytest.mark.parametrize(
    "message",
    ["good morning, how's it going?", "hello there, how are you", "ok great, talk later", "thanks for the help!"],
)
def test_several_phrases_of_small_talk_are_small_talk(message):
    """E10"""
    assert skip_reason(message) == "trivial"


@pytest.mark.parametrize("message", ["good morning! which room am I in?", "how is it going with the roof?"])
def test_what_is_asked_beside_small_talk_is_not(message):
    """E10"""
    assert skip_reason(message) is None


@pytest.mark.parametrize("message", ["hm", "Hmm…", "Oh no", "uh, ok", "yes please!", "Will do 👍"])
def test_an_interjection_or_a_short_assent_is_not_worth_a_recall(message: str):
    """E10"""
    assert skip_reason(message) == "trivial"


@pytest.mark.parametrize("message", ["好的👌", "ok👍", "hi～", "收到!!"])
def test_the_documents_own_examples_are_skipped(message: str):
    """E10: robust to trailing emoji and punctuation"""
    assert skip_reason(message) == "trivial"


@for_each("message", ["？", "…", "?!", "...", "。。。", "👍", "👍🏽", "🙏🙏", "❤️", "—", "👨‍👩‍👧", "!?!?", "~"])
def test_punctuation_and_emoji_alone_are_skipped(message: str):
    """E10"""
    assert skip_reason(message) == "no_words"


@for_each(
    "message",
    [
        "hi",
        "Hello!",
        "hey there",
        "HEY",
        "good morning",
        "ok",
        "OK.",
        "okay :)",
        "k",
        "yes",
        "yep!",
        "thanks",
        "Thank you!!",
        "thx 🙏",
        "got it",
        "sounds good 👍",
        "sure, thanks",
        "cool cool",
        "lol",
        "bye",
        "你好",
        "您好！",
        "嗨",
        "好",
        "嗯嗯",
        "谢谢",
        "謝謝!",
        "明白",
        "知道了。",
        "晚安🌙",
        "是的",
        "没问题",
        "はい",
        "ありがとう！",
        "了解です",
        "おはよう☀️",
        "네",
        "감사합니다~",
        "안녕하세요",
    ],
)
def test_greetings_and_acknowledgements_are_skipped_in_english_and_cjk(message: str):
    """E10"""
    assert skip_reason(message) == "trivial"


@pytest.mark.parametrize(
    "message", ["HEARTBEAT", "heartbeat", "HEARTBEAT_OK", " HEARTBEAT ", "Read HEARTBEAT.md if it exists"]
)
def test_heartbeats_are_skipped(message: str):
    """E10, C12"""
    assert skip_reason(message) == "heartbeat"


@pytest.mark.parametrize("message", ["/new", "/reset", "/status", "/model gpt-5", "  /think high", "/Compact now"])
def test_slash_commands_are_skipped(message: str):
    """E10"""
    assert skip_reason(message) == "command"


@pytest.mark.parametrize("message", ["", "   ", "\n\t"])
def test_an_empty_message_is_skipped(message: str):
    """E10"""
    assert skip_reason(message) == "empty"


@for_each("message", QUESTIONS)
def test_a_real_question_is_never_skipped(message: str):
    """E10, in many languages"""
    assert skip_reason(message) is None


@given(
    st.sampled_from(QUESTIONS[:2] + QUESTIONS[6:8]),
    st.sampled_from(["ok ", "thanks! ", "👍", "- ", "=", "…", "好的，", "\n"]),
    st.integers(0, 600),
)
def test_a_real_question_is_not_skipped_for_what_stands_before_it(question: str, before: str, times: int):
    """E10: however long the greeting, the rule of dashes or the empty lines above it"""
    assert skip_reason(before * times + "\n" + question) is None


@given(st.sampled_from(QUESTIONS), st.text(alphabet="!?.… 👍🙏～。！", max_size=500))
def test_a_real_question_is_not_skipped_for_what_stands_after_it(question: str, after: str):
    """E10"""
    assert skip_reason(question + after) is None


@pytest.mark.parametrize("message", ["Heartbeat monitoring: which port did we choose?", "heartbeats every 30 s, why?"])
def test_a_question_about_heartbeats_is_not_a_heartbeat(message: str):
    """E10"""
    assert skip_reason(message) is None


@given(st.text(max_size=2_000))
def test_any_message_is_judged_without_an_error(message: str):
    """E10"""
    assert skip_reason(message) in {None, "empty", "heartbeat", "command", "no_words", "trivial"}
