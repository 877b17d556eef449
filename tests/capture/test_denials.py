"""What a sentence denies, supposes or makes conditional, in all ten languages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from cortex.capture import rules, statements
from cortex.capture.candidate import Candidate
from cortex.domain.identity import TraceId
from cortex.domain.memory import Kind
from cortex.domain.turn import Turn
from cortex.languages import EXTRACTED
from sweeps import for_each

CORRECTED = """
en The team meeting is not on Tuesday but on Wednesday. | Wednesday
en The meeting isn't on Tuesday, it's on Wednesday. | Wednesday
en The team meeting is on Wednesday, not Tuesday. | Wednesday
en I don't live in Berlin, I live in Potsdam. | Potsdam
en I live not in Berlin but in Potsdam. | Potsdam
en My name is not Ana but Eva. | Eva
en The budget is not $500 but $800. | $800
en I'm not 41, I'm 42. | 42
en I don't work at Corvid, I work at Larkspur. | Larkspur
en My birthday isn't on May 3 but on May 4. | May 4
de Das Treffen ist nicht am Dienstag, sondern am Mittwoch. | Mittwoch
de Das Treffen ist am Mittwoch, nicht am Dienstag. | Mittwoch
de Ich wohne nicht in Berlin, sondern in Potsdam. | Potsdam
de Ich wohne nicht in Berlin, ich wohne in Potsdam. | Potsdam
de Ich heiße nicht Anna, sondern Eva. | Eva
de Ich bin nicht 41, sondern 42 Jahre alt. | 42
es La reunión no es el martes sino el miércoles. | miércoles
es La reunión no es el martes, es el miércoles. | miércoles
es La reunión es el miércoles, no el martes. | miércoles
es No vivo en Madrid, vivo en Toledo. | Toledo
es No vivo en Madrid sino en Toledo. | Toledo
es No me llamo Ana, me llamo Eva. | Eva
es No tengo 41 años, sino 42. | 42
fr La réunion n'est pas mardi mais mercredi. | mercredi
fr La réunion n'est pas mardi, c'est mercredi. | mercredi
fr La réunion est mercredi, pas mardi. | mercredi
fr Je n'habite pas à Lyon mais à Lille. | Lille
fr Je n'habite pas à Lyon, j'habite à Lille. | Lille
fr J'habite pas à Lyon, mais à Lille. | Lille
fr Je ne m'appelle pas Anne mais Solène. | Solène
fr Je n'ai pas 41 ans mais 42 ans. | 42
pt A reunião não é terça mas quarta. | quarta
pt A reunião não é na terça, é na quarta. | quarta
pt Não moro em Lisboa, moro em Braga. | Braga
pt Não moro em Lisboa, mas em Braga. | Braga
pt Não vivo em Lisboa mas sim em Braga. | Braga
pt Não me chamo Ana, me chamo Eva. | Eva
pt Não tenho 41 anos, tenho 42 anos. | 42
it La riunione non è martedì ma mercoledì. | mercoledì
it La riunione non è martedì, è mercoledì. | mercoledì
it Non abito a Roma ma a Trento. | Trento
it Non abito a Roma, abito a Trento. | Trento
it Non mi chiamo Anna ma Ottavia. | Ottavia
it Non ho 41 anni ma 42 anni. | 42
ru Встреча не во вторник, а в среду. | среду
ru Я живу не в Москве, а в Туле. | Туле
ru Я не живу в Москве, я живу в Туле. | Туле
ru Меня зовут не Анна, а Арина. | Арина
ru Мне не 41, а 42 года. | 42
ko 회의는 화요일이 아니라 수요일이에요. | 수요일
ko 저는 서울에 살지 않고 부산에 살아요. | 부산
ko 저는 서울에 안 살아요, 부산에 살아요. | 부산
ko 제 이름은 한서연이 아니라 한서윤이에요. | 한서윤
ja 会議は火曜日ではなく水曜日です。 | 水曜日
ja 会議は火曜日じゃなくて水曜日です。 | 水曜日
ja 東京ではなく大阪に住んでいます。 | 大阪
ja 東京には住んでいません、大阪に住んでいます。 | 大阪
ja 私の名前は鈴木ではなく佐藤です。 | 佐藤
zh 会议不是周二而是周三。 | 周三
zh 会议不是周二，是周三。 | 周三
zh 会议是周三，不是周二。 | 周三
zh 我不住在北京，我住在上海。 | 上海
zh 我不是住在北京，而是住在上海。 | 上海
zh 我住的不是北京，而是上海。 | 上海
zh 我不叫王芳，我叫王敏。 | 王敏
zh 我不是41岁，是42岁。 | 42
ru Я живу в Туле, а не в Москве. | Туле
pt Moro em Braga, não em Lisboa. | Braga
it Abito a Trento, non a Roma. | Trento
es Vivo en Toledo, no en Madrid. | Toledo
fr J'habite à Lille, pas à Lyon. | Lille
de Ich wohne in Potsdam, nicht in Berlin. | Potsdam
en I live in Potsdam, not in Berlin. | Potsdam
zh 我住在上海，不是北京。 | 上海
ja 大阪に住んでいます、東京ではありません。 | 大阪
ko 서울이 아니라 부산에 살아요. | 부산
ja 42歳です、41歳ではありません。 | 42
"""

DENIED = """
en The meeting is not on Tuesday.
en I don't live in Berlin.
en I have never lived in Berlin.
de Das Treffen ist nicht am Dienstag.
de Ich wohne nicht in Berlin.
de Ich heiße nicht Anna.
es La reunión no es el martes.
es No vivo en Madrid.
es Nunca me mudé a Madrid.
es No me llamo Ana.
fr La réunion n'est pas mardi.
fr Je n'habite pas à Lyon.
fr Je ne m'appelle pas Anne.
pt A reunião não é terça.
pt Não moro em Lisboa.
pt Não me chamo Ana.
it La riunione non è martedì.
it Non abito a Roma.
it Non mi chiamo Anna.
ru Встреча не во вторник.
ru Я не живу в Москве.
ru Меня зовут не Анна.
ko 회의는 화요일이 아니에요.
ko 저는 서울에 살지 않아요.
ko 저는 서울에 안 살아요.
ko 제 이름은 한서연이 아니에요.
ja 会議は火曜日ではありません。
ja 東京には住んでいません。
ja 私の名前は鈴木ではありません。
zh 会议不是周二。
zh 我不住在北京。
zh 我没有搬到北京。
zh 我不叫王芳。
"""

ENDED = """
en I no longer live in Berlin.
en I don't live in Berlin anymore.
de Ich wohne nicht mehr in Berlin.
es Ya no vivo en Madrid.
fr Je n'habite plus à Lyon.
pt Não moro mais em Lisboa.
it Non abito più a Roma.
ru Я больше не живу в Москве.
ko 이제 서울에 안 살아요.
ja もう東京には住んでいません。
zh 我不再住在北京了。
"""

SUPPOSED = """
en If I won the lottery I'd move to Hull.
en If I sell my house, I'm buying a boat.
en In case I get the job at Corvid, I'll move to Hull.
en I'd buy a Tesla once I have $50,000.
en I'll move to Hull if I get the job at Corvid.
en Suppose I live in Rome.
en Suppose my budget is $500.
en Once I finish my degree, I'll move to Hull.
en I would move to Hull if I could.
en Should I get the job, I'll move to Hull.
en Unless I find a flat, I'm moving to Hull.
en Let's say my rent is $900.
en Assuming I get the job, my salary is $90,000.
de Wenn ich im Lotto gewinne, ziehe ich nach Kiel.
de Wenn ich nach Kiel ziehe, kaufe ich ein Boot.
de Falls ich den Job bekomme, ziehe ich nach Kiel.
de Ich ziehe nach Kiel, wenn ich den Job bekomme.
de Ich würde nach Kiel ziehen, wenn ich könnte.
de Sobald ich 50.000 Euro habe, kaufe ich einen Tesla.
de Angenommen, ich wohne in Rom.
de Angenommen, mein Budget ist 500 Euro.
de Hätte ich Geld, würde ich nach Kiel ziehen.
es Si vendo mi casa, compro un barco.
es Si me mudo a Cádiz, compro un barco.
es Si compro un coche, vendo la moto.
es Si me mudo a Madrid, busco piso.
es Si me toca la lotería, me mudo a Cádiz.
es Me mudo a Cádiz si consigo el trabajo.
es Si consigo el trabajo, me mudo a Cádiz.
es Supongamos que vivo en Roma.
es Supongamos que mi presupuesto es de 500 euros.
es En caso de que consiga el trabajo, me mudo a Cádiz.
es Compraría un Tesla cuando tenga 50.000 euros.
fr Si je vends ma maison, j'achète un bateau.
fr Si je déménage à Lille, je cherche un appartement.
fr Je déménage à Lille si j'obtiens le poste.
fr Au cas où j'aurais le poste, je déménage à Lille.
fr Supposons que j'habite à Rome.
fr Supposons que mon budget est de 500 euros.
fr Dès que j'ai 50 000 euros, j'achète une Tesla.
pt Se vendo minha casa, compro um barco.
pt Se eu vender a minha casa, compro um barco.
pt Se eu me mudar para Braga, compro um carro.
pt Caso eu consiga o emprego, me mudo para Braga.
pt Mudo-me para Braga se conseguir o emprego.
pt Suponhamos que moro em Roma.
pt Suponha que meu orçamento é de 500 euros.
pt Assim que eu tiver 50 mil euros, compro um Tesla.
it Se vendo casa, compro una barca.
it Se vendo la mia casa, mi compro una barca.
it Se mi trasferisco a Trento, cerco casa.
it Mi trasferisco a Trento se ottengo il lavoro.
it Nel caso ottenessi il lavoro, mi trasferisco a Trento.
it Supponiamo che abito a Roma.
it Supponiamo che il mio budget è di 500 euro.
it Appena ho 50.000 euro, compro una Tesla.
ru Если я перееду в Тулу, куплю лодку.
ru Если продам дом, куплю лодку.
ru Я перееду в Тулу, если получу работу.
ru Допустим, я живу в Риме.
ru Предположим, мой бюджет 500 евро.
ru В случае если получу работу, перееду в Тулу.
ru Как только накоплю 50 000 рублей, куплю лодку.
ko 만약 집을 팔면 배를 살 거예요.
ko 집을 팔면 배를 살 거예요.
ko 부산으로 이사하면 차를 사요.
ko 만약 제가 로마에 산다면 좋겠어요.
ko 제가 로마에 산다고 가정해 봐요.
ko 예산이 500만 원이라고 가정하면 어때요.
ko 취직하면 부산으로 이사할 거예요.
ja もし家を売ったら、船を買います。
ja 家を売ったら、船を買います。
ja 大阪に引っ越したら、車を買います。
ja 仮に私がローマに住んでいるとします。
ja もし私がローマに住んでいたら楽しいです。
ja 予算が500万円だとしたら、どうなりますか。
ja 就職できれば大阪に引っ越します。
ja 就職が決まったら大阪に引っ越します。
zh 假设我住在罗马。
zh 假设我的预算是500元。
zh 如果我卖了房子，我就买船。
zh 要是我搬到上海，我就买车。
zh 假如我中了彩票，我就搬到上海。
zh 我会搬到上海，如果拿到那份工作。
zh 等我有了50万，我就买特斯拉。
zh 万一我拿到工作，我就搬到上海。
zh 设想我住在罗马。
"""

ORDERED = """
en When I ask about recipes, give grams.
en If I ask about recipes, give grams.
de Wenn ich nach Rezepten frage, gib Gramm an.
de Wenn ich dich um eine Zusammenfassung bitte, schreib fünf Zeilen.
de Falls ich nach dem Wetter frage, antworte kurz.
es Si te pregunto por recetas, dame gramos.
es Cuando te pida un resumen, haz cinco líneas.
es Si pregunto por recetas, usa gramos.
fr Si je te demande une recette, donne des grammes.
fr Quand je te demande un résumé, fais cinq lignes.
pt Se eu pedir uma receita, use gramas.
pt Quando eu pedir um resumo, faça cinco linhas.
it Se ti chiedo una ricetta, usa i grammi.
it Quando ti chiedo un riassunto, fai cinque righe.
ru Если я спрошу рецепт, пиши в граммах.
ru Когда я прошу пересказ, пиши пять строк.
ko 레시피를 물어보면 그램으로 알려 줘.
ko 만약 요약을 부탁하면 다섯 줄로 해 줘.
ja レシピを聞いたら、グラムで答えてください。
ja もし要約を頼んだら、5行で書いてください。
zh 如果我问菜谱，请用克。
zh 当我问菜谱时，请用克。
zh 如果我让你总结，就写五行。
"""

ANOTHER_CLAUSE = [
    ("I don't live in Rome but my sister does.", []),
    ("My budget isn't fixed but the deadline is Friday.", ["Friday"]),
    ("Ich wohne nicht nur in Berlin, sondern auch in Potsdam.", []),
    ("No vivo en Madrid pero trabajo en Cuenca.", []),
    ("Je n'habite pas à Lyon mais ma sœur habite à Lille.", []),
    ("Não moro em Lisboa, mas a minha irmã mora em Braga.", []),
    ("Non abito a Roma ma lavoro a Trento.", []),
    ("Я не живу в Москве, а работаю в Туле.", []),
    ("大阪だけではなく東京にも住んでいます。", []),
    ("No, I live in Rome.", ["Rome"]),
    ("No, vivo en Toledo.", ["Toledo"]),
    ("Não, moro em Braga.", ["Braga"]),
]

STILL_STATED = [
    "In case you forgot, I live in Rome.",
    "I moved to Hull once my contract ended.",
    "Once I had a dog called Rex.",
    "Ich ziehe im Mai nach Kiel.",
    "Soy alérgico a las nueces, si te sirve.",
    "Le riunioni si tengono il martedì.",
    "病院に行ったら、糖尿病と診断されました。",
    "薬を飲まなければなりません。",
]


def turn_of(text: str) -> Turn:
    return Turn(id=TraceId("t1"), text=text, session="s", seq=0, created_at=datetime(2026, 1, 5, tzinfo=UTC))


def found(text: str) -> list[Candidate]:
    """What the rules of the languages find."""
    return rules.candidates(turn_of(text))


def kept(text: str) -> list[Candidate]:
    """What is kept, where English statements are judged whole."""
    return statements.candidates([turn_of(text)])


def values(candidates: list[Candidate]) -> list[str]:
    return [each.value for each in candidates if each.attribute and not each.negated]


def lines(table: str) -> list[str]:
    return table.strip().splitlines()


@pytest.mark.parametrize("table", [CORRECTED, DENIED, ENDED, SUPPOSED, ORDERED])
def test_every_language_has_cases(table: str):
    assert {line[:2] for line in lines(table)} == set(EXTRACTED)


@for_each("line", lines(CORRECTED))
def test_the_right_value_of_a_sentence_fills_the_slot(line: str):
    """X14"""
    lang, (text, value) = line[:2], line[3:].split(" | ")
    for candidates in (found(text), kept(text)):
        assert candidates
        assert {each.lang for each in candidates} == {lang}
        assert [value in each for each in values(candidates)] == [True]


@for_each("line", lines(DENIED))
def test_a_denied_value_fills_no_slot(line: str):
    """X14"""
    assert values(found(line[3:])) == values(kept(line[3:])) == []


@pytest.mark.parametrize("line", lines(ENDED))
def test_what_is_no_longer_so_is_a_retraction(line: str):
    """X14"""
    assert any(each.negated for each in found(line[3:]))


@for_each(("text", "expected"), ANOTHER_CLAUSE)
def test_a_clause_of_its_own_is_no_correction(text: str, expected: list[str]):
    """X14"""
    assert values(found(text)) == values(kept(text)) == expected


@for_each("line", lines(SUPPOSED))
def test_a_condition_or_supposition_is_neither_fact_nor_rule(line: str):
    """E11"""
    assert found(line[3:]) == kept(line[3:]) == []


@for_each("line", lines(ORDERED))
def test_an_order_with_a_condition_is_a_rule(line: str):
    """E11"""
    assert [(each.lang, each.kind) for each in found(line[3:])] == [(line[:2], Kind.RULE)]


@pytest.mark.parametrize("text", STILL_STATED)
def test_what_only_looks_like_a_condition_is_kept(text: str):
    """E11"""
    assert kept(text)


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("es", "Si vendo mi casa, compro un barco."),
        ("es", "Si compro un coche, vendo la moto."),
        ("it", "Si chiama Baffo."),
        ("it", "Si vedono ogni martedì."),
        ("it", "Se vendo casa, compro una barca."),
        ("pt", "Se vendo minha casa, compro um barco."),
    ],
)
def test_conditions_of_neighboring_languages_are_told_apart(lang: str, text: str):
    pack = rules.language(text)
    assert pack is not None
    assert pack.lang == lang


def test_the_statement_is_the_whole_sentence_with_what_it_denies():
    """DESIGN 1: every memory can be traced to what was said"""
    text = "By the way, I don't live in Berlin, I live in Potsdam."
    (candidate,) = found(text)
    assert candidate.text == "I don't live in Berlin, I live in Potsdam."
    assert text[slice(*candidate.span or ())] == candidate.text


OF_OTHERS = """
en She works at Siemens.
de Sie arbeitet bei Siemens.
de Sie wohnt in Leipzig.
de Er fährt jeden Montag nach Hamburg.
de Sie ist nach Leipzig gezogen.
de Sie mag lieber Tee.
es Vive en Madrid.
es Él trabaja en Iberia.
es Tiene dos hijos.
fr Il a deux enfants.
fr Elle a déménagé à Lyon.
fr Il est né en 1990.
it Abita a Roma.
it Ha due figli.
it Lei preferisce il tè.
ja 彼は銀行で働いています。
ja 彼女はナッツアレルギーです。
ko 그녀는 서울에 살아요.
ko 그는 삼성에서 일해요.
ko 그녀는 땅콩 알레르기가 있어요.
pt Mora em Lisboa.
pt Trabalha na Galp.
pt Ela não bebe café.
ru Она живёт в Москве.
ru Работает в Яндексе.
ru У неё двое детей.
zh 她住在北京。
zh 他在百度工作。
"""

OF_ONESELF = """
de Ich arbeite bei Siemens.
de Sie haben mir im Mai gekündigt.
es Vivo en Madrid.
fr J'ai déménagé à Lyon.
it Abito a Roma.
ja 私は銀行で働いています。
ko 저는 서울에 살아요.
pt A gente mora em Lisboa.
ru Я живу в Москве.
zh 我住在北京。
"""


def sentences(lines: str) -> list[tuple[str, str]]:
    return [(line[:2], line[3:]) for line in lines.strip().splitlines()]


@for_each(("lang", "text"), sentences(OF_OTHERS))
def test_what_is_said_of_somebody_who_is_not_named_is_not_said_of_the_user(lang: str, text: str) -> None:
    assert [each for each in found(text) if each.subject == "user"] == []


@for_each(("lang", "text"), sentences(OF_ONESELF))
def test_what_is_said_of_oneself_is_kept_in_every_language(lang: str, text: str) -> None:
    (one,) = found(text)
    assert (one.subject, one.lang) == ("user", lang)
