"""Which statements are one: restatements are found, and what changes a value, a name or a sign is kept apart."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cortex.domain.text_similarity import (
    ALIKE,
    alike,
    covers,
    denies,
    denies_ever,
    is_duplicate,
    read,
    same_value,
    stands_for,
)
from sweeps import for_each

# --- labelled pairs ---------------------------------------------------------------------------------------------------

RESTATED = [
    ("I prefer dark mode", "I prefer dark mode in all apps!"),
    ("I prefer dark mode", "i really prefer dark mode"),
    ("I prefer dark mode", "I prefer dark mode."),
    ("I prefer dark mode", "Dark mode is what I prefer"),
    ("I prefer dark mode", "The user prefers dark mode"),
    ("I like dark mode", "I prefer dark mode"),
    ("I live in Berlin", "I'm living in Berlin"),
    ("I live in Berlin", "i live in berlin"),
    ("I live in Berlin", "I still live in Berlin"),
    ("I live in Berlin", "I am based in Berlin"),
    ("I live in Berlin", "The user lives in Berlin."),
    ("My favourite colour is blue", "My favorite color is blue"),
    ("My favorite color is blue", "Blue is my favorite color"),
    ("I have two cats", "I have 2 cats"),
    ("I have 2 cats", "I've got two cats"),
    ("We have 12 servers in Frankfurt", "We have twelve servers in Frankfurt"),
    ("The budget is 1,200 euros", "The budget is 1200 €"),
    ("The budget is twelve hundred euros", "The budget is €1,200"),
    ("The meeting is at 9am", "The meeting is at 9:00 am"),
    ("The stand-up is at 3 pm", "The stand-up is at 15:00"),
    ("My birthday is on March 5", "My birthday is on the 5th of March"),
    ("My birthday is 5 March 1988", "My birthday is March 5, 1988"),
    ("The release is on 2026-04-01", "The release is on April 1, 2026"),
    ("I'm allergic to peanuts", "I am allergic to peanuts"),
    ("I'm allergic to peanuts", "I have a peanut allergy"),
    ("I'm allergic to peanuts", "Remember that I'm allergic to peanuts"),
    ("I work as a nurse", "I'm working as a nurse"),
    ("I work at Acme", "i work at acme"),
    ("I work at Acme", "I am employed at Acme"),
    ("My dog is called Rex", "My dog's name is Rex"),
    ("My dog Rex loves the beach", "My dog Rex really loves the beach"),
    ("Always answer in English", "Please always answer in English"),
    ("Always answer in English", "Answer in English, please"),
    ("Never deploy on Fridays", "Please never deploy on Fridays"),
    ("Never deploy on Fridays", "Don't deploy on Friday"),
    ("I don't like fish", "I do not like fish"),
    ("I don't like fish", "I dislike fish"),
    ("I hate fish", "I don't like fish"),
    ("I don't drink coffee anymore", "I no longer drink coffee"),
    ("I stopped drinking coffee", "I no longer drink coffee"),
    ("I never eat meat", "I don't eat meat"),
    ("I use Postgres for the billing service", "We use Postgres for the billing service"),
    ("The billing service runs on Postgres", "the billing service is running on postgres"),
    ("The API key rotates every 30 days", "The API key is rotated every 30 days"),
    ("Our office is on the third floor of the mill", "By the way, our office is on the third floor of the mill"),
    ("My sister Anna lives in Lisbon", "My sister Anna still lives in Lisbon"),
    ("My sister Anna lives in Lisbon", "My sister, Anna, lives in Lisbon right now"),
    ("I run five kilometers every morning", "I run 5 km every morning"),
    ("I weigh 70 kg", "I weigh 70 kilograms"),
    ("I use tabs instead of spaces", "I always use tabs instead of spaces"),
    ("I prefer tea over coffee", "I definitely prefer tea over coffee"),
    ("I'm learning Japanese", "I am currently learning Japanese"),
    ("I'm a vegetarian", "I am vegetarian"),
    ("Write short answers", "Please write short answers"),
    ("The config lives in settings.toml", "The config is in settings.toml"),
    ("The server runs version v4.2.1", "The server is running version 4.2.1"),
    ("I bought a new car", "I purchased a new car"),
    ("I usually wake up at six", "I usually wake up at 6"),
    ("My daughter plays the violin", "My daughter plays violin"),
    ("My son is 7 years old", "My son is seven years old"),
    ("The customer wants invoices as PDF", "the customer wants its invoices as PDF"),
    ("I speak German and Dutch", "I speak German and also Dutch"),
    ("We decided to use Rust for the parser", "We decided to use Rust for the parser, as I said"),
    # German, Spanish, Chinese, Japanese
    ("Ich wohne in Hamburg", "Ich wohne jetzt in Hamburg"),
    ("Ich mag keinen Fisch", "Ich mag wirklich keinen Fisch"),
    ("Ich habe zwei Katzen", "Ich habe 2 Katzen"),
    ("Mein Hund heißt Bello", "Mein Hund heißt Bello."),
    ("Ich trinke keinen Kaffee mehr", "Ich trinke nicht mehr Kaffee"),
    ("Ich arbeite als Lehrer in Köln", "Ich arbeite gerade als Lehrer in Köln"),
    ("Das Treffen ist am Montag", "Das Treffen ist montags"),
    ("Vivo en Madrid", "Yo vivo en Madrid"),
    ("Vivo en Madrid", "Ahora vivo en Madrid"),
    ("Tengo dos gatos", "Tengo 2 gatos"),
    ("No me gusta el pescado", "No me gusta el pescado, de verdad"),
    ("Ya no fumo", "No fumo"),
    ("Mi color favorito es el azul", "Mi color favorito es azul"),
    ("Trabajo como enfermera en Sevilla", "Actualmente trabajo como enfermera en Sevilla"),
    ("我住在柏林", "我现在住在柏林"),
    ("我喜欢喝咖啡", "我非常喜欢喝咖啡"),
    ("我有两只猫", "我有2只猫"),
    ("我不吃肉", "我真的不吃肉"),
    ("我的狗叫旺财", "我的狗叫旺财。"),
    ("猫が好きです", "猫がとても好きです"),
    # longer, and as people write
    ("I'm originally from Porto but grew up in Lyon", "Originally I'm from Porto, but I grew up in Lyon"),
    ("Our CI pipeline takes about 20 minutes", "our CI pipeline takes around twenty minutes"),
    ("My team uses Linear for issue tracking", "We use Linear for issue tracking on my team"),
    ("The staging database password is stored in Vault", "Staging database password is stored in Vault"),
    ("I have a meeting with Dr. Patel every Thursday", "Every Thursday I have a meeting with Dr. Patel"),
    ("I'm trying to learn the cello", "I'm learning the cello"),
    ("My partner is lactose intolerant", "My partner's lactose intolerant, by the way"),
    ("Please write commit messages in the imperative mood", "Commit messages should be in the imperative mood"),
    ("Don't add comments to generated code", "Please do not add comments to generated code"),
    ("I take my coffee with oat milk", "I always take my coffee with oat milk"),
    ("We ship on the last Friday of each month", "we ship on the last friday of each month"),
    ("I usually go climbing on weekends", "I go climbing on weekends"),
    ("My mom turns 60 in October", "My mother turns 60 in October"),
    ("The repo is at github.com/acme/rocket", "repo: github.com/acme/rocket"),
    ("I'm in the CET time zone", "My time zone is CET"),
    ("My grandmother's recipe uses a pinch of nutmeg", "My grandmother's recipe always uses a pinch of nutmeg"),
    ("I graduated from MIT in 2012", "I graduated from MIT back in 2012"),
    ("I quit smoking in 2019", "I stopped smoking in 2019"),
    ("The client approved the second design", "The client has approved the second design"),
    ("I've been vegan for three years", "I have been vegan for 3 years"),
    ("I want replies in bullet points", "I'd like replies in bullet points"),
    ("My new laptop is a ThinkPad X1", "My laptop is a ThinkPad X1"),
    ("Ich bin allergisch gegen Nüsse", "Ich bin leider allergisch gegen Nüsse"),
    ("Meine Tochter geht in die dritte Klasse", "meine Tochter geht jetzt in die dritte Klasse"),
    ("Soy alérgica a las nueces", "Yo soy alérgica a las nueces"),
    ("Mi perro se llama Toby", "Mi perro se llama Toby, por cierto"),
    ("我每天早上跑步", "我每天早上都跑步"),
    ("我对花生过敏", "其实我对花生过敏"),
    ("東京に住んでいます", "今は東京に住んでいます"),
    ("The wifi password is in the drawer", "Wifi password is in the drawer"),
    # reworded further: only meaning can tell
    ("I like the dark theme best", "I prefer dark mode"),
    ("We deploy on Fridays", "Deployments happen on Fridays"),
    ("I usually wake up at six", "I usually get up at six"),
    ("I work as a nurse at the city hospital", "I'm a nurse at the city hospital"),
    ("Please keep your answers brief", "Give me concise answers"),
    ("My flight leaves at 7:30", "My flight takes off at 7:30"),
    ("I grew up in Oslo", "Oslo is where I grew up"),
    ("My wife's name is Carla", "Carla is my wife"),
    ("I play the guitar in a band", "I'm a guitarist in a band"),
    ("I can't eat gluten", "I can't have any gluten"),
]

CHANGED = [
    # values
    ("I have 2 cats", "I have 3 cats"),
    ("I have two cats", "I have three cats"),
    ("I have 2 cats and 3 dogs", "I have 3 cats and 2 dogs"),
    ("The budget is 1,200 euros", "The budget is 1,500 euros"),
    ("The budget is 1,200 euros", "The budget is 1,200 dollars"),
    ("The budget is twelve hundred euros", "The budget is twelve thousand euros"),
    ("The meeting is at 9am", "The meeting is at 9pm"),
    ("The meeting is at 9:00", "The meeting is at 9:30"),
    ("The meeting is on Monday", "The meeting is on Tuesday"),
    ("My birthday is on March 5", "My birthday is on March 6"),
    ("My birthday is on March 5", "My birthday is on May 5"),
    ("The release is on 2026-04-01", "The release is on 2026-04-02"),
    ("The release is planned for April", "The release is planned for June"),
    ("The server runs version 4.2.1", "The server runs version 4.2.2"),
    ("We use Python 3.11 in production", "We use Python 3.12 in production"),
    ("I run 5 km every morning", "I run 5 miles every morning"),
    ("The tablet has 64 GB", "The tablet has 64 MB"),
    ("I take 5 mg of it daily", "I take 5 g of it daily"),
    ("Interest is 3 percent", "Interest is 3.5 percent"),
    ("My son is 7 years old", "My son is 8 years old"),
    ("I live in Berlin", "I live in Munich"),
    ("I live in berlin", "I live in munich"),
    ("I work at Acme", "I work at Globex"),
    ("My favorite color is blue", "My favorite color is green"),
    ("I'm allergic to peanuts", "I'm allergic to shellfish"),
    ("My dog is called Rex", "My dog is called Max"),
    ("I drink my coffee black", "I drink my coffee with milk"),
    ("The config lives in settings.toml", "The config lives in config.toml"),
    ("The main file is app.py", "The main file is main.py"),
    ("The bug is tracked as #412", "The bug is tracked as #413"),
    ("Send reports to anna@example.org", "Send reports to boris@example.org"),
    ("I want the report in English", "I want the report in French"),
    ("The walls of the house by the lake are painted in a dark blue",
     "The walls of the house by the lake are painted in a dark green"),
    ("We meet the whole team in the small room each day", "We meet the whole team in the large room each day"),
    ("I take the early train to the office on most days", "I take the late train to the office on most days"),
    ("I prefer tea", "I prefer coffee"),
    ("My car is red", "My car is white"),
    ("Use four spaces for indentation", "Use two spaces for indentation"),
    # negations
    ("I like fish", "I don't like fish"),
    ("I like fish", "I dislike fish"),
    ("I like fish", "I hate fish"),
    ("I eat meat", "I never eat meat"),
    ("I eat meat", "I do not eat meat"),
    ("I drink coffee", "I no longer drink coffee"),
    ("I drink coffee", "I stopped drinking coffee"),
    ("I live in Berlin", "I used to live in Berlin"),
    ("I live in Berlin", "I don't live in Berlin anymore"),
    ("Always deploy on Fridays", "Never deploy on Fridays"),
    ("I can swim", "I can't swim"),
    ("I take coffee with sugar", "I take coffee without sugar"),
    ("Notifications should be enabled", "Notifications should be disabled"),
    ("Turn the alarm on at night", "Turn the alarm off at night"),
    ("The door is locked", "The door is not locked"),
    ("I have a driving licence", "I have no driving licence"),
    ("Comments are allowed in the code", "Comments are forbidden in the code"),
    # another subject, another role
    ("My sister lives in Lisbon", "My brother lives in Lisbon"),
    ("My sister plays the violin", "My sister's friend plays the violin"),
    ("My sister plays the violin in the city orchestra", "My sister's friend plays the violin in the city orchestra"),
    ("I live in Berlin", "She lives in Berlin"),
    ("I love my dog", "I love her dog"),
    ("My sister lives in Rome", "Her sister lives in Rome"),
    ("Anna has a dog", "Tom has a dog"),
    ("Anna is Tom's manager", "Tom is Anna's manager"),
    ("Anna manages Tom", "Tom manages Anna"),
    ("Anna reports to Tom", "Tom reports to Anna"),
    ("I prefer tea over coffee", "I prefer coffee over tea"),
    ("We moved from Berlin to Paris", "We moved from Paris to Berlin"),
    ("We migrated from MySQL to Postgres", "We migrated from Postgres to MySQL"),
    ("Rust is faster than Go", "Go is faster than Rust"),
    ("Tests run before the build", "The build runs before the tests"),
    ("My boss prefers email", "My colleague prefers email"),
    ("The staging server is down", "The production server is down"),
    ("My wife is a doctor", "My wife's sister is a doctor"),
    # alike but more, or other
    ("I like fish", "I like fish tacos"),
    ("I like fishing", "I like fish tanks"),
    ("I prefer tea", "I prefer green tea at work"),
    ("I work at Acme", "I work at Acme as a designer"),
    ("I use vim", "I use vim for notes on trains"),
    ("I am learning the piano", "I am teaching the piano"),
    ("I bought a bike", "I sold a bike"),
    ("My flight leaves at 7:30", "My flight arrives at 7:30"),
    ("I live in Berlin", "I work in Berlin"),
    ("I was born in Oslo", "I live in Oslo"),
    ("I play the guitar", "I play tennis"),
    ("Always use tabs", "Use spaces from now on"),
    ("My father was a carpenter", "My father was a teacher"),
    ("The invoice is due on Monday", "The invoice was paid on Monday"),
    ("The login page is slow", "The login page is broken"),
    ("I have a cat", "I had a cat allergy as a child"),
    # longer, and as people write
    ("I'm originally from Porto but grew up in Lyon", "I'm originally from Lyon but grew up in Porto"),
    ('Our CI pipeline takes about 20 minutes', 'Our CI pipeline takes about 20 seconds'),
    ('My team uses Linear for issue tracking', 'My team uses Jira for issue tracking'),
    ('The staging database password is stored in Vault', 'The production database password is stored in Vault'),
    ('I have a meeting with Dr. Patel every Thursday', 'I have a meeting with Dr. Patel every second Thursday'),
    ('I take my coffee with oat milk', 'I take my coffee with almond milk'),
    ('We ship on the last Friday of each month', 'We ship on the first Friday of each month'),
    ('My mom turns 60 in October', 'My mom turned 60 in November'),
    ('The repo is at github.com/acme/rocket', 'The repo is at github.com/acme/rocket-ui'),
    ("I'm in the CET time zone", "I'm in the EST time zone"),
    ('I graduated from MIT in 2012', 'I graduated from MIT in 2013'),
    ('The client approved the second design', 'The client rejected the second design'),
    ('The client approved the second design', 'The client approved the third design'),
    ("I've been vegan for three years", "I've been vegetarian for three years"),
    ('I want replies in bullet points', "I don't want replies in bullet points"),
    ('I want replies in bullet points', 'I want replies in full sentences'),
    ('My new laptop is a ThinkPad X1', 'My new laptop is a ThinkPad T14'),
    ('My laptop is a ThinkPad', 'My old laptop was a ThinkPad'),
    ('I enjoy hiking in the Alps', 'I enjoy skiing in the Alps'),
    ('My daughter Mia started school', 'My daughter Lea started school'),
    ('My daughter started school', 'My daughter finished school'),
    ('The deadline is end of March', 'The deadline is end of April'),
    ('The deadline is next Friday', 'The deadline was last Friday'),
    ('Use pytest for the backend tests', 'Use jest for the frontend tests'),
    ('Use pytest for the backend tests', 'Use unittest for the backend tests'),
    ('The API returns JSON', 'The API returns XML'),
    ('The API accepts JSON', 'The API returns JSON'),
    ('I take the bus to work', 'I take the train to work'),
    ('I am left-handed', 'I am right-handed'),
    ('I agree with the proposal', 'I disagree with the proposal'),
    ('The service is available in Europe', 'The service is unavailable in Europe'),
    ("I'm happy with my job", "I'm unhappy with my job"),
    ('The tests pass', 'The tests fail'),
    ('Retry up to five times', 'Retry up to ten times'),
    ('I sleep well', 'I sleep badly'),
    ('My manager is Laura', "My manager is Laura's brother"),
    ('Laura is my manager', 'Laura was my manager'),
    ('I can meet on Monday or Tuesday', 'I can meet on Monday'),
    ('I like all vegetables', 'I like all vegetables except broccoli'),
    ('I eat fish', 'I only eat fish'),
    ('Ask before deleting files', 'Delete files before asking'),
    ('The cat sleeps on the sofa', 'The dog sleeps on the sofa'),
    ('I weigh 70 kg', 'I want to weigh 70 kg'),
    ('I have a dog', 'I want a dog'),
    ('I speak French', 'I am learning French'),
    ('Ich bin allergisch gegen Nüsse', 'Ich bin allergisch gegen Milch'),
    ('Meine Tochter geht in die dritte Klasse', 'Meine Tochter geht in die vierte Klasse'),
    ('Ich arbeite bei Siemens', 'Ich arbeite nicht bei Siemens'),
    ('Soy alérgica a las nueces', 'Soy alérgica al marisco'),
    ('Mi perro se llama Toby', 'Mi gato se llama Toby'),
    ('Me levanto a las seis', 'Me levanto a las siete'),
    ('我每天早上跑步', '我每天晚上跑步'),
    ('我对花生过敏', '我对牛奶过敏'),
    ('我没有车', '我有车'),
    ('コーヒーが好きです', '紅茶が好きです'),
    ('コーヒーを飲みます', 'コーヒーを飲みません'),
    ('나는 서울에 산다', '나는 부산에 산다'),
    ('나는 고기를 먹는다', '나는 고기를 안 먹는다'),
    # German, Spanish, Chinese, Japanese
    ("Ich wohne in Hamburg", "Ich wohne in Bremen"),
    ("Ich mag Fisch", "Ich mag keinen Fisch"),
    ("Ich habe zwei Katzen", "Ich habe drei Katzen"),
    ("Ich trinke Kaffee", "Ich trinke keinen Kaffee mehr"),
    ("Mein Bruder wohnt in Köln", "Meine Schwester wohnt in Köln"),
    ("Das Treffen ist am Montag", "Das Treffen ist am Dienstag"),
    ("Ich esse nie Fleisch", "Ich esse Fleisch"),
    ("Ich mag Tee lieber als Kaffee", "Ich mag Kaffee lieber als Tee"),
    ("Vivo en Madrid", "Vivo en Sevilla"),
    ("Me gusta el pescado", "No me gusta el pescado"),
    ("Tengo dos gatos", "Tengo tres gatos"),
    ("Fumo", "Ya no fumo"),
    ("Mi hermana vive en Lima", "Mi hermano vive en Lima"),
    ("La reunión es el lunes", "La reunión es el martes"),
    ("Mi color favorito es el azul", "Mi color favorito es el rojo"),
    ("我住在柏林", "我住在巴黎"),
    ("我喜欢喝咖啡", "我不喜欢喝咖啡"),
    ("我喜欢猫", "我喜欢狗"),
    ("我有两只猫", "我有三只猫"),
    ("我吃肉", "我不吃肉"),
    ("他住在柏林", "她住在柏林"),
    ("我的会议在星期一", "我的会议在星期二"),
    ("我喜欢猫", "我讨厌猫"),
    ("猫が好きです", "猫が嫌いです"),
    ("肉を食べます", "肉を食べません"),
    ("東京に住んでいます", "大阪に住んでいます"),
    # another time, condition, quantity or degree
    ("I live in Rome", "I lived in Rome"),
    ("I use Vim at work", "I used Vim at work"),
    ("I did eat there", "I eat there"),
    ("I will buy a house", "I might buy a house"),
    ("I would buy that house", "I buy that house"),
    ("Restart the service", "Restart the service if it hangs"),
    ("Restart the service", "Restart the service only if it hangs"),
    ("I eat meat", "I rarely eat meat"),
    ("I eat some nuts", "I eat all nuts"),
    ("Most tests pass on the build server", "All tests pass on the build server"),
    ("Heating costs more in summer", "Heating costs less in summer"),
    ("Turn the heating up in the morning", "Turn the heating down in the morning"),
    ("I drink coffee", "I drink coffee with milk"),
    ("I took the train to Lyon", "I took the train from Lyon"),
    ("I have cats", "I have 2 cats"),
    ("Deploy release 4.2.1", "Deploy release 4.2.10"),
    ("Anna's favourite colour is green", "Favourite colour is green"),
    ("The backup runs at night on server alpha", "The backup runs at night on server beta"),
    # one letter is a word, and two denials may be one
    ("我喜欢茶", "我喜欢绿茶"),
    ("차를 좋아한다", "녹차를 좋아한다"),
    ("Je mange de la viande", "Je ne mange pas de la viande"),
    ("Como carne", "No como nunca carne"),
    ("Я ем мясо", "Я никогда не ем мясо"),
    ("أنا أشرب القهوة", "أنا لا أشرب القهوة"),
    ("मैं मांस खाता हूँ", "मैं मांस नहीं खाता हूँ"),
]  # fmt: skip


@dataclass(frozen=True)
class Score:
    precision: float
    recall: float
    wrong: list[tuple[str, str]]
    missed: list[tuple[str, str]]


def judged(cosines: dict[tuple[str, str], float] | None = None, at: float = 0.92) -> Score:
    """How well the labelled pairs are told apart."""
    near = cosines or {}
    found = [pair for pair in RESTATED if is_duplicate(*pair, near.get(pair), at)]
    wrong = [pair for pair in CHANGED if is_duplicate(*pair, near.get(pair), at)]
    missed = [pair for pair in RESTATED if pair not in found]
    return Score(len(found) / (len(found) + len(wrong)), len(found) / len(RESTATED), wrong, missed)


# --- precision and recall ---------------------------------------------------------------------------------------------


def test_the_labelled_pairs_are_many_and_each_stands_once() -> None:
    assert len(RESTATED) + len(CHANGED) >= 150
    assert len({frozenset(pair) for pair in RESTATED + CHANGED}) == len(RESTATED) + len(CHANGED)


def test_restatements_are_found_by_words_alone_and_nothing_else_is_taken_for_one() -> None:
    """X13: without any embedder"""
    score = judged()
    assert score.precision >= 0.97, score.wrong
    assert score.recall >= 0.90, score.missed


def test_a_lower_threshold_would_take_additions_for_restatements() -> None:
    """Why ALIKE is what it is."""
    narrowed = [
        alike(*pair) for pair in [("I like fish", "I like fish tacos"), ("My car is red", "My red car is fast")]
    ]
    assert all(ALIKE - 0.06 < likeness.score < ALIKE for likeness in narrowed)


@pytest.fixture(scope="module")
def cosines() -> dict[tuple[str, str], float]:
    """How near the pairs are by the real local model, calibrated."""
    home = Path(os.environ["CORTEX_MODELS"])
    if not (home / "e5-small-v2-int8").is_dir():
        pytest.skip("the models are not here")
    from cortex.providers.embedders import local

    embedder = local.create({}, home)
    readable = [pair for pair in RESTATED + CHANGED if all(map(embedder.space.reads, pair))]
    texts = sorted({text for pair in readable for text in pair})
    vectors = dict(zip(texts, embedder.embed_documents(texts), strict=True))
    calibrate = embedder.space.calibration.apply
    return {(a, b): calibrate(float(np.dot(vectors[a], vectors[b]))) for a, b in readable}


@pytest.mark.parametrize("at", [0.92, 0.95])
def test_meaning_finds_more_restatements_and_takes_no_changed_value_for_one(
    cosines: dict[tuple[str, str], float], at: float
) -> None:
    """X13 (0.92), L4 (0.95)"""
    score = judged(cosines, at)
    assert score.precision >= 0.97, score.wrong
    assert score.recall >= judged().recall


def test_meaning_alone_would_take_a_third_of_its_finds_wrongly(cosines: dict[tuple[str, str], float]) -> None:
    """X13: why cosine ≥ 0.92 is not enough"""
    near = {pair for pair, cosine in cosines.items() if cosine >= 0.92}
    assert len(near.intersection(CHANGED)) > 0.25 * len(near)


# --- single claims ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I have 2 cats", "I have 3 cats"),
        ("I like fish", "I don't like fish"),
        ("Anna manages Tom", "Tom manages Anna"),
    ],
)
def test_no_nearness_makes_a_changed_value_sign_or_role_a_duplicate(a: str, b: str) -> None:
    """X13"""
    assert not is_duplicate(a, b, cosine=1.0)


def test_nearness_below_the_threshold_is_no_evidence() -> None:
    """X13, L4: the threshold is the caller's"""
    pair = ("I'm trying to learn the cello", "I'm learning the cello")
    assert is_duplicate(*pair, cosine=0.93, at=0.92)
    assert not is_duplicate(*pair, cosine=0.93, at=0.95)
    assert not is_duplicate(*pair, cosine=None)


def test_a_reversal_is_the_same_statement_denied() -> None:
    assert alike("Always deploy on Fridays", "Never deploy on Fridays").is_reversal
    assert not alike("Always use tabs", "Use spaces from now on").is_reversal
    assert not alike("I like fish", "I don't like cheese").is_reversal


@pytest.mark.parametrize(
    ("affirmed", "denied"),
    [
        ("我对花生过敏。", "我对花生不过敏。"),
        ("ピーナッツアレルギーがあります。", "ピーナッツアレルギーはありません。"),
        ("저는 땅콩 알레르기가 있어요.", "저는 땅콩 알레르기가 없어요."),
    ],
)
def test_a_reversal_is_known_in_scripts_without_spaces(affirmed: str, denied: str) -> None:
    assert alike(affirmed, denied).is_reversal


@pytest.mark.parametrize(
    ("denial", "text"),
    [
        ("Ich war noch nie in Japan.", "Ich war schon zweimal in Japan."),
        ("Nunca he estado en Japón.", "He estado en Japón dos veces."),
        ("Je ne suis jamais allée au Japon.", "Je suis allée au Japon deux fois."),
        ("Non sono mai stato in Giappone.", "Sono stato in Giappone due volte."),
        ("Nunca fui a Paris.", "Fui a Paris duas vezes."),
        ("Я никогда не был в Японии.", "Я был в Японии два раза."),
        ("我从来没去过日本。", "我去过日本两次。"),
    ],
)
def test_never_is_met_by_any_telling_that_it_was_so(denial: str, text: str) -> None:
    assert denies_ever(denial, text)
    assert not denies_ever(text, denial)


@pytest.mark.parametrize(
    ("denial", "text"),
    [
        ("Ich war noch nie in Japan.", "Ich möchte in Japan leben."),
        ("Ich war noch nie in Japan.", "Mein Bruder war schon zweimal in Japan."),
        ("Ich war nicht in Japan.", "Ich war schon zweimal in Japan."),
        ("Nunca he estado en Japón.", "Mi hermano ha estado en Japón dos veces."),
        ("我从来没去过日本。", "我弟弟去过韩国。"),
    ],
)
def test_never_is_not_met_by_a_wish_or_by_somebody_else(denial: str, text: str) -> None:
    assert not denies_ever(denial, text)


def test_a_month_is_no_denial() -> None:
    """ "mai" is "ever" in Italian and May in German"""
    assert not denies("Ich war im Mai in Rom.")


def test_a_statement_covers_what_it_says_more_closely() -> None:
    assert covers("I no longer use Vim", "I use Vim for notes")
    assert not covers("I no longer use Vim for email", "I use Vim")
    assert not covers("I no longer use Vim", "I use Emacs for notes")


def test_the_fuller_of_two_stands_for_the_other_and_not_the_other_way_round() -> None:
    """X16"""
    fuller, shorter = "User prefers dark mode in editors", "User prefers dark mode"
    assert stands_for(fuller, shorter, cosine=0.95)
    assert not stands_for(shorter, fuller, cosine=0.95)


def test_words_in_another_order_do_not_stand_for_each_other() -> None:
    """X16: who does what to whom may be told by nothing else"""
    assert not stands_for("The dog bites the man", "The man bites the dog", cosine=1.0)
    assert not stands_for("The old dog bites the man", "The man bites the dog", cosine=1.0)


def test_one_that_names_nobody_does_not_stand_for_what_is_said_of_someone() -> None:
    """X16: or it would bring together what he likes and what she likes"""
    assert stands_for("He likes green tea", "Likes green tea", cosine=0.95)
    assert not stands_for("Likes green tea", "He likes green tea", cosine=0.95)


def test_the_fuller_stands_for_the_other_only_where_a_model_that_is_there_agrees() -> None:
    """X13, X16"""
    fuller, shorter = "User prefers dark mode in editors", "User prefers dark mode"
    assert stands_for(fuller, shorter, cosine=0.92)
    assert not stands_for(fuller, shorter, cosine=0.91)
    assert stands_for(fuller, shorter, cosine=None)
    assert not stands_for("User prefers dark mode in code editors", shorter, cosine=None)


@for_each(
    ("a", "b"),
    [
        ("I have 2 cats", "I have 2 cats."),
        ("The user likes green tea", "User likes green tea"),
        ("I really like green tea", "i like green tea!"),
        ("Our standup is at 9:30", "our standup is at 9:30"),
        ("我喜欢绿茶", "我喜欢绿茶。"),
        ("Мы живём в Риме", "мы живем в Риме"),
    ],
)
@for_each("cosine", [None, 0.0, 0.99])
def test_the_same_words_stand_for_each_other_whatever_a_model_says(a: str, b: str, cosine: float | None) -> None:
    """X16"""
    assert stands_for(a, b, cosine)
    assert stands_for(b, a, cosine)


@for_each(("a", "b"), CHANGED)
def test_what_differs_in_a_value_a_name_a_time_or_a_sign_never_stands_for_the_other_by_its_words(
    a: str, b: str
) -> None:
    """X16"""
    assert not stands_for(a, b, None)
    assert not stands_for(b, a, None)


@for_each(
    ("a", "b"),
    [
        ("Berlin", "berlin"), ("The Hague", "hague"), ("a dog", "dog"), ("1,200", "1200"), ("1.200", "1200"),
        ("twelve hundred", "1200"), ("2 cats", "two cats"), ("9 am", "9:00am"), ("Dark mode.", "dark mode"),
        ("March 5, 2024", "2024-03-05"), ("５", "5"), ("$5", "5 dollars"), ("3,5", "3.5"), ("柏林。", "柏林"),
    ],
)  # fmt: skip
def test_a_value_is_the_same_however_it_is_written(a: str, b: str) -> None:
    """X14"""
    assert same_value(a, b)


@for_each(
    ("a", "b"),
    [
        ("Berlin", "Bern"), ("1,200", "1,201"), ("5 km", "5 miles"), ("C", "C++"), ("C++", "C#"), ("", "Berlin"),
        ("Monday", "Tuesday"), ("4.2.1", "4.2.10"), ("not Berlin", "Berlin"), ("柏林", "巴黎"), ("-", "+"),
        ("the", "a"),
    ],
)  # fmt: skip
def test_different_values_are_told_apart(a: str, b: str) -> None:
    """X14"""
    assert not same_value(a, b)


@given(st.text(max_size=80))
def test_a_text_is_like_itself(text: str) -> None:
    likeness = alike(text, text)
    assert likeness.is_restatement
    assert same_value(text, text)


@given(st.text(max_size=60), st.text(max_size=60))
def test_likeness_looks_the_same_from_both_sides(a: str, b: str) -> None:
    assert alike(a, b) == alike(b, a)
    assert 0.0 <= alike(a, b).score <= 1.0
    assert is_duplicate(a, b, 0.95) == is_duplicate(b, a, 0.95)


words = st.lists(
    st.sampled_from("tea coffee not 2 3 never rome milan like the in was lived green 茶 不 чай".split()), max_size=8
).map(" ".join)


@given(words)
def test_a_statement_stands_for_itself(said: str) -> None:
    assert stands_for(said, said, None)
    assert stands_for(read(said), said, 0.0)


@given(words, words)
def test_two_that_stand_for_each_other_have_the_same_words_and_values(a: str, b: str) -> None:
    """Or the run after a run could find more to merge"""
    if stands_for(a, b, 0.99) and stands_for(b, a, 0.99):
        assert read(a).order == read(b).order
    if stands_for(a, b, 0.99):
        assert read(a).fixed == read(b).fixed


@pytest.mark.parametrize(
    ("affirmed", "denied"),
    [
        ("I'm allergic to peanuts", "Actually I'm not allergic to peanuts"),
        ("I'm allergic to peanuts.", "Turns out I'm not allergic to peanuts after all."),
        ("Ich bin allergisch gegen Erdnüsse", "Ich bin doch nicht allergisch gegen Erdnüsse"),
        ("Je suis allergique aux arachides", "En fait je ne suis pas allergique aux arachides"),
        ("Soy alérgico a los cacahuetes", "En realidad no soy alérgico a los cacahuetes"),
        ("Sono allergico alle arachidi", "In realtà non sono allergico alle arachidi"),
        ("Sou alérgico a amendoim", "Na verdade não sou alérgico a amendoim"),
        ("私はピーナッツアレルギーです", "実は私はピーナッツアレルギーではありません"),
    ],
)
def test_a_word_of_surprise_does_not_hide_a_reversal(affirmed: str, denied: str) -> None:
    """X14"""
    assert alike(affirmed, denied).is_reversal
