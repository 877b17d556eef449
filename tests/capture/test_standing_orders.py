"""Standing orders to the assistant, as capture keeps them without vectors, and what only sounds like one (X5)."""

from __future__ import annotations

from datetime import UTC, datetime

from cortex.capture import statements, worth
from cortex.capture.candidate import Candidate
from cortex.capture.worth import WorthScale
from cortex.domain import instructions
from cortex.domain.identity import TraceId
from cortex.domain.memory import Kind
from cortex.domain.turn import Role, Turn
from sweeps import for_each


def kept(text: str) -> list[Candidate]:
    day = datetime(2024, 3, 4, 9, 0, tzinfo=UTC)
    return statements.candidates([Turn(id=TraceId("t"), text=text, session="s", seq=0, created_at=day, role=Role.USER)])


def rules_of(text: str) -> list[str]:
    return [each.text for each in kept(text) if each.kind is Kind.RULE]


@for_each(
    "text",
    [
        "From now on, put the deadline in every status report.",
        "When I send you a contract, list the notice periods first.",
        "Every answer should fit on one screen.",
        "I'd rather you didn't guess my budget.",
        "My hearing is bad, so always turn the subtitles on.",
        "Never forward my mail without asking me.",
        "Stick to plain words in your replies.",
        "Zeig mir bei Flügen nur Direktverbindungen.",
        "Wenn du etwas nicht weißt, sag es ohne Umschweife.",
        "No me sugieras películas de terror.",
        "Antes de pagar algo, pregúntame.",
        "Demande-moi toujours avant de payer.",
        "Dans les recettes, donne les quantités en grammes.",
        "推荐酒店的时候，只推荐带早餐的。",
        "付款之前先问我。",
        "ホテルを勧めるときは、朝食付きだけにして。",
        "支払いの前に確認して。",
        "Quando ti mando un contratto, elenca prima le scadenze.",
        "Quando eu mandar um contrato, liste primeiro os prazos.",
        "Когда я присылаю договор, сначала перечисли сроки.",
        "레시피를 물어보면 항상 그램으로 알려 줘.",
    ],
)
def test_an_order_that_is_meant_to_last_is_a_rule(text):
    assert rules_of(text)


@for_each(
    "text",
    [
        "Put the deadline in the status report for Anna.",
        "Make this paragraph shorter.",
        "I always take the night train.",
        "My boss says always cc him.",
        "Never stop dreaming!",
        "The teacher told us to always cite our sources.",
        "Should I always back up before an update?",
        "The battery must be charged before first use.",
        "When I was little, I always asked before I took a cookie.",
        "Zeig mir die Flüge nach Rom.",
        "Immer wieder gern!",
        "Siempre llego tarde los lunes.",
        "Avísame cuando llegues.",
        "Toujours un plaisir !",
        "永远支持你！",
        "下雨的时候我们就待在家里。",
        "絶対にあきらめないで！",
        "雨のときは家にいます。",
    ],
)
def test_what_is_wanted_once_and_what_people_do_or_say_is_none(text):
    assert not rules_of(text)


@for_each(
    "text",
    [
        "Could you go over my cover sheet and tell me whether anything is missing?",
        "I'd appreciate a few ideas for my mother's garden.",
        "hm, so what do I do about the leaking tap?",
        "I'll keep my lunch breaks short and go for a walk every evening.",
        "Setting the alarm earlier should help me catch the first bus.",
        "Let's stick with the green curtains.",
        "The rows aren't sorted, because the index was never built.",
        "**Monthly**: clean the filter on the first weekend",
        "I just want to be sure that I'm not forgetting anything.",
    ],
)
def test_what_people_say_in_passing_to_an_assistant_is_no_rule(text):
    assert not rules_of(text)


@for_each(
    "text",
    [
        "and from now on please keep your replies to one paragraph",
        "whenever I send you an error log, name the likely cause first",
        "Could you always put the sources at the end of your answers?",
        "I'd appreciate it if you asked me before you changed any file.",
        "When I ask for recipes, leave out anything with nuts.",
        "Always warn me before you run a command when I ask for help with the server.",
    ],
)
def test_a_standing_order_in_passing_is_a_rule(text):
    assert rules_of(text)


@for_each(
    "text",
    [
        "Don't ever push to main directly.",
        "Never ever merge without a green build.",
        "Please never deploy on a Friday.",
        "Always rebase before merging.",
        "Do not ever commit secrets.",
    ],
)
def test_what_is_always_or_never_done_to_a_repository_is_an_order_however_little_it_says(text):
    assert instructions.is_plain_order(text)


@for_each("text", ["Never push the button!", "Never publish it.", "I never deploy on Fridays.", "Never give up."])
def test_what_is_done_once_or_said_to_people_is_no_plain_order(text):
    assert not instructions.is_plain_order(text)


@for_each(
    "text",
    [
        "Keine Smileys.",
        "Uhrzeiten bitte im 24-Stunden-Format.",
        "Könntest du mir in Zukunft immer zuerst das Ergebnis nennen?",
        "Mir wäre lieber, dass du nachfragst, statt zu raten.",
        "Nada de emoticonos.",
        "Los precios, siempre en euros.",
        "¿Podrías darme siempre las fuentes al final?",
        "Quiero que me avises antes de borrar nada.",
        "Plus jamais de listes à puces.",
        "Vouvoie-moi.",
        "Pourrais-tu toujours citer tes sources ?",
        "Je préfère que tu me demandes avant d'envoyer un mail.",
        "日期一律写成年月日。",
        "别用感叹号。",
        "以后能不能先说结论？",
        "我希望你每次都附上来源。",
        "敬語は使わないで。",
        "金額は税込みで統一。",
        "次からは出典も付けてもらえますか。",
        "答えは箇条書きじゃなくて文章にしてほしい。",
        "Niente punti esclamativi.",
        "Potresti sempre indicarmi la fonte alla fine?",
        "Voglio che tu mi avvisi prima di inviare qualcosa.",
        "Gli importi sempre in franchi.",
        "Nada de pontos de exclamação.",
        "Pode sempre indicar a fonte no fim?",
        "Quero que você me avise antes de enviar qualquer coisa.",
        "Os valores sempre em reais.",
        "Никаких восклицательных знаков.",
        "Можешь всегда указывать источник в конце?",
        "Хочу, чтобы ты предупреждал меня перед отправкой.",
        "Суммы всегда в евро.",
        "느낌표 금지.",
        "앞으로 출처를 마지막에 적어 줄 수 있어?",
        "보내기 전에 나한테 알려 줬으면 해.",
        "금액은 항상 유로로.",
    ],
)
def test_other_languages_order_by_bans_wishes_requests_and_noun_phrases_too(text):
    assert rules_of(text) == [text]


@for_each(
    "text",
    [
        "Ab morgen laufe ich immer vor der Arbeit.",
        "Den Reis nie umrühren, solange er kocht.",
        "Antworte diesmal auf Englisch.",
        "Warum muss man Nudelwasser immer salzen?",
        "Sag meiner Kollegin bitte, dass sie künftig pünktlich sein soll.",
        "A partir de mañana siempre desayuno en casa.",
        "Mi vecino dice que nunca hay que regar de noche.",
        "Por esta vez contéstame en inglés.",
        "Désormais je marche jusqu'au bureau.",
        "Ma grand-mère répétait qu'il ne faut jamais mentir.",
        "Pour cette fois, réponds en anglais.",
        "我每天都先喝一杯茶。",
        "这次用英文回答。",
        "我妈总说饭后别马上躺下。",
        "毎朝かならず散歩をします。",
        "今回だけ英語で答えて。",
        "祖母はいつも急ぐなと言っていました。",
        "Da domani vado sempre a piedi al lavoro.",
        "Perché la pasta va sempre salata?",
        "Per questa volta rispondimi in tedesco.",
        "Mio nonno ripeteva che non bisogna mai avere fretta.",
        "A partir de amanhã vou sempre a pé para o trabalho.",
        "Porque é que a massa leva sempre sal?",
        "Desta vez responde em alemão.",
        "O meu avô repetia que nunca se deve ter pressa.",
        "С завтрашнего дня всегда хожу на работу пешком.",
        "Почему воду для макарон всегда солят?",
        "На этот раз ответь по-немецки.",
        "Дедушка повторял, что никогда не надо спешить.",
        "내일부터는 항상 걸어서 출근해요.",
        "왜 파스타 물에는 항상 소금을 넣어?",
        "이번에는 독일어로 대답해 줘.",
        "할아버지는 늘 서두르지 말라고 하셨어요.",
    ],
)
def test_a_habit_hearsay_a_recipe_and_what_is_wanted_once_are_no_rules_in_any_language(text):
    assert rules_of(text) == []


@for_each(
    "text",
    [
        "No bullet points. Ever.",
        "Antworte in ganzen Sätzen. Das gilt generell.",
        "No uses emojis. Nunca.",
        "Cite tes sources. À chaque fois.",
        "回答用中文。每次都这样。",
        "絵文字は使わないで。ずっと。",
        "Niente elenchi puntati. Mai.",
        "Cite as fontes. Sempre.",
        "Указывай источники. Каждый раз.",
        "이모티콘은 쓰지 마. 절대로.",
    ],
)
def test_what_only_says_how_long_belongs_to_the_order_before_it(text):
    assert rules_of(text) == [text]


@for_each(
    "text",
    ["Always.", "Für immer.", "Siempre.", "Toujours.", "每次。", "ずっと。", "Sempre.", "Mai.", "Всегда.", "매번."],
)
def test_how_long_is_no_order_by_itself(text):
    assert rules_of(text) == []


def test_a_habit_that_sounds_like_an_order_is_a_statement():
    assert [(each.text, each.kind) for each in kept("Cada mes meto 200 euros en una hucha.")] == [
        ("Cada mes meto 200 euros en una hucha.", Kind.FACT)
    ]


def test_a_known_wording_is_a_sign_of_a_rule_and_does_not_decide_alone():
    signs = {"known as a rule", "known by rule.instruction"}
    scale = worth.weights(WorthScale.RULE)
    assert 0 < scale.score(signs) - scale.score(set()) < 3
    assert scale.score(signs) < scale.threshold


def test_what_is_to_be_remembered_is_a_rule_where_it_gives_an_order():
    (order,) = kept("Keep in mind that I can't open PDFs, so always send me plain text instead.")
    (fact,) = kept("Keep in mind that my sister lives in Graz.")
    assert (order.kind, fact.kind) == (Kind.RULE, Kind.FACT)


def test_a_rule_is_sure_enough_for_the_policies_from_the_threshold_on():
    assert all(each.confidence >= 0.5 for each in kept("Every answer should fit on one screen."))


def test_the_role_a_host_puts_before_a_message_is_no_part_of_an_order():
    assert rules_of("User: From now on, put the deadline in every status report.") == [
        "From now on, put the deadline in every status report."
    ]
