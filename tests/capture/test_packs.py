"""The language packs: the same families of statements, each in the words of its language."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from cortex.capture.candidate import Candidate
from cortex.capture.rules import candidates
from cortex.domain.identity import TraceId
from cortex.domain.memory import Kind
from cortex.domain.turn import Turn
from cortex.languages.en.slots import property_of, singular, thing
from cortex.languages.pack import Pack, Rule, about_me
from cortex.languages.packs import DEFAULT_PACKS
from cortex.languages.signs import any_of, weigher, word_of
from sweeps import for_each


def found(text: str, packs: tuple[Pack, ...] = DEFAULT_PACKS) -> list[Candidate]:
    turn = Turn(id=TraceId("t1"), text=text, session="s", seq=0, created_at=datetime(2026, 1, 5, tzinfo=UTC))
    return candidates(turn, packs=packs)


ENGLISH = """
rule: never schedule meetings before ten
rule: please stop using emojis in commit messages
rule: Every migration must have a rollback script.
rule: No new dependencies without asking me first.
rule: When you write SQL, use upper-case keywords.
rule: Keep your answers under 100 words.
rule: We never deploy on Fridays.
rule: The house rule is shoes off at the door.
preference: I really don't like meetings before 10am.
preference: not a fan of dark mode tbh
preference: I'd rather read a transcript than watch a video.
preference: I like my coffee black, no sugar
preference: I'm obsessed with true crime podcasts
preference: I don't eat pork.
preference: We usually go for small hotels rather than chains.
preference: My favourite season is autumn.
decision: We decided to go with Postgres.
decision: We've settled on weekly releases.
decision: I ended up choosing the blue Volvo.
decision: We switched from Slack to Zulip last month.
decision: The board agreed to postpone the launch.
decision: We'll be using feature flags instead of branches.
fact: my name is Tobias btw
fact: I'm based in Kaunas these days
fact: I work as a paediatric nurse
fact: I'm a second-year law student
fact: I am 52 years old
fact: My birthday is on 9 May.
fact: I was diagnosed with type 2 diabetes in 2019
fact: My son is allergic to tree nuts.
fact: I take levothyroxine every morning
fact: I'm left-handed
fact: I speak Arabic fluently
fact: My time zone is CET.
fact: I drive a 2014 Skoda Octavia
fact: I wear size 44 shoes
fact: I've got two kids, Nora and Emil
fact: Our server is a Synology NAS running DSM 7.
fact: The staging database is on port 5433
fact: We're on Python 3.12 across all services
fact: The nightly import takes 42 minutes these days.
fact: My thesis defence is scheduled for September 22.
fact: Our CI only has 2 GB of memory.
fact: My wifi router sits in the attic.
fact: There are four of us at home.
fact: We've signed up 140 beta users already.
fact: I've never been to Japan.
fact: I keep my recipes in Paprika.
entity: Rosalind is our new UX researcher
entity: Atlas is our billing service.
entity: My boss is Swati Rao.
entity: Our service is called Heron.
entity: Bartek owns the payments service.
procedure: To release, we bump the version, tag it, then run make publish.
procedure: Our hotfix process is: branch from the tag, fix, cherry-pick back.
procedure: If the printer jams, open tray 2 and power-cycle it.
fact: We adopted a greyhound in August.
episode: I lost my job at the harbour in May.
fact: Note to self: the guarantee runs out in 2027
fact: don't forget we owe Clara 60 euros
fact: Keep in mind that the Lisbon office closes at 4 on Fridays
"""

CHINESE = """
rule: 以后回答都用简体中文。
rule: 每次改完代码都要先跑测试。
rule: 不要再用表情符號了
rule: 從現在起，每封信都要附上分機號碼。
rule: 所有接口都必须返回 JSON。
preference: 我比较喜欢靠窗的座位
preference: 我最喜歡的季節是秋天
preference: 我不喝酒
preference: 我讨厌早起
decision: 我们决定用 Vue 重写后台
decision: 我們團隊最後選了 AWS
fact: 我叫陈雨桐
fact: 我住在台中
fact: 我对花生过敏
fact: 我在一家物流公司做数据分析
fact: 我今年38岁
fact: 我的生日是8月3日
fact: 項目的截止日期是6月15日
fact: 查询时间从3秒降到了400毫秒
fact: 我女儿上小学三年级
fact: 我會說日語
fact: 我的手機是 Pixel 8
fact: 我已經不在銀行上班了
fact: 请记得仓库的钥匙在总机那边
entity: 我太太叫林佳
procedure: 部署流程是：先构建，再上传，最后重启
"""

JAPANESE = """
rule: これからは敬語なしで話してください。
rule: 毎回コードを書いたら必ずテストも付けてね
rule: 絵文字は使わないでください
preference: コーヒーより紅茶のほうが好きです
preference: 納豆は苦手なんだよね
preference: 好きな色は青です
decision: バックエンドはGoに統一することにしました。
fact: 私は大阪に住んでいます。
fact: 名前は田中です。
fact: エビアレルギーがあります
fact: 出版社で働いています
fact: リリース日は7月10日に決まりました。
fact: 私の誕生日は4月12日です
fact: 猫を二匹飼っています
fact: もうタバコは吸っていません
fact: 覚えておいて、駐車場の番号は27番だよ
fact: 弟は銀行員です
entity: 妹の名前は美咲です
procedure: リリースの手順は、ビルドしてタグを付けて公開する
"""

SPANISH = """
rule: A partir de ahora contéstame siempre en español.
rule: Nunca borres mis notas sin preguntar.
rule: Cuando me mandes listas, sepáralas siempre por pasillos
preference: Prefiero los trenes nocturnos a los vuelos tempranos.
preference: No me gusta el picante.
preference: Mi color favorito es el verde.
decision: Hemos decidido alojar la web en un servidor propio.
fact: Me llamo Begoña.
fact: Vivo en Granada.
fact: Trabajo de arquitecta en Bilbao.
fact: Soy intolerante a la lactosa
fact: La reunión con el notario es el 8 de marzo.
fact: Ya no fumo.
fact: Tengo dos gatos.
fact: Hablo alemán.
fact: Nuestro servidor corre en Debian.
fact: Recuerda que la llave está en la caseta.
entity: Mi jefa se llama Pilar.
procedure: Para publicar, primero ejecuta los tests y luego haz push.
"""

GERMAN = """
rule: Bitte duze mich ab jetzt immer.
rule: Ab sofort keine Emojis mehr.
rule: Kein Deployment ohne Code-Review.
preference: Am liebsten fahre ich mit dem Nachtzug
preference: Ich trinke keinen Alkohol
preference: Mein Lieblingsessen ist Käsespätzle.
decision: Wir haben uns für die Wärmepumpe entschieden.
fact: Ich heiße Anneke.
fact: Ich wohne seit 2018 in Leipzig.
fact: Ich arbeite bei der Post.
fact: Ich bin allergisch gegen Nüsse.
fact: Ich bin Linkshänderin
fact: Die Abgabe wurde auf den 14. April verschoben
fact: Ich rauche nicht mehr.
fact: Wir haben zwei Hunde.
fact: Unser Server läuft auf Debian 12.
fact: Merk dir bitte: der Müll wird dienstags abgeholt.
entity: Mein Chef heißt Herr Lindqvist.
procedure: Zuerst den Stecker ziehen, dann zehn Sekunden warten.
"""

WEIGHED = """
zh fact: 过敏：花粉
zh fact: 顺便说一下，我妈去年做了白内障手术。
zh fact: 房租涨到三千八了
zh rule: 给我写的文案一律不要用感叹号
zh preference: 比起咖啡，茶我更爱喝
zh decision: 商量好了，寒假去哈尔滨
zh entity: 负责场地的是老郑
ja fact: 締め切り：6/12
ja fact: 念のため、膝の手術をしたばかりで正座ができません。
ja fact: 定例は水曜の10時に変わりました。
ja preference: どちらかというと朝型です。
ja rule: 金額の表記はすべて税抜で統一です。
ja fact: 実家は和歌山のみかん農家です。
es fact: Alergia: polen
es fact: Por cierto, mi suegra lleva audífono.
es fact: La cuota del gimnasio ha subido a 42 euros.
es preference: El hígado, ni en pintura, no me gusta.
es rule: De hoy en adelante, las fechas siempre con el mes en letra.
es fact: Los jueves teletrabajo.
de fact: Allergie: Pollen
de fact: Nur zur Info: ich trage ein Hörgerät.
de fact: Der Mitgliedsbeitrag wurde auf 18 Euro erhöht.
de preference: Mit Horrorfilmen kann man mich jagen.
de rule: Beträge gibst du mir künftig immer netto.
de fact: Donnerstags bin ich im Homeoffice.
"""

POSITIVE = [
    (lang, *line.split(": ", 1))
    for lang, lines in (("en", ENGLISH), ("zh", CHINESE), ("ja", JAPANESE), ("es", SPANISH), ("de", GERMAN))
    for line in lines.strip().splitlines()
] + [(line[:2], *line[3:].split(": ", 1)) for line in WEIGHED.strip().splitlines()]

NEGATIVE = [
    ("zh", "今天天气真好"),
    ("zh", "帮我订一张去上海的票"),
    ("zh", "如果我住在北京，要买加湿器吗？"),
    ("zh", "你喜欢什么音乐？"),
    ("zh", "把这句话翻译成英文：“我最喜欢秋天。”"),
    ("zh", "谢谢，太好了！"),
    ("zh", "好累，想睡覺"),
    ("zh", "请把第二段缩短。"),
    ("ja", "明日の天気は？"),
    ("ja", "もし京都に住んでいたら、どこで働きますか？"),
    ("ja", "ありがとうございます"),
    ("ja", "このコードを直してください"),
    ("ja", "「私は毎朝走ります」を英語に訳してください。"),
    ("ja", "今日は暑いね"),
    ("es", "¿Cuál es la capital de Australia?"),
    ("es", "Si viviera en Chile, viajaría más."),
    ("es", "Resérvame una mesa para cuatro."),
    ("es", "jajaja qué bueno"),
    ("es", "Me gusta, gracias"),
    ("es", "Él dijo que vive en Madrid"),
    ("de", "Wie spät ist es in Tokio?"),
    ("de", "Was wäre, wenn wir das Projekt absagen würden?"),
    ("de", "Danke dir, schönen Abend!"),
    ("de", "Stell bitte einen Wecker auf halb sieben"),
    ("de", "Übersetze ins Englische: „Ich wohne in Köln.“"),
    ("de", "Ich bin müde"),
    ("zh", "听说公司附近的房租又涨了"),
    ("zh", "我在电梯里，等会儿说"),
    ("zh", "太阳系有八大行星"),
    ("ja", "同僚によると家賃が上がるらしい"),
    ("ja", "今電車の中なのであとで"),
    ("ja", "太陽系には八つの惑星があります"),
    ("es", "Dicen que el alquiler va a subir"),
    ("es", "Estoy en el metro, luego te digo"),
    ("es", "El sistema solar tiene ocho planetas"),
    ("de", "Angeblich steigt die Miete"),
    ("de", "Steh gerade im Aufzug, kein Empfang"),
    ("de", "Das Sonnensystem hat acht Planeten"),
]


@for_each(("lang", "kind", "text"), POSITIVE)
def test_a_lasting_statement_is_found_in_every_language(lang: str, kind: str, text: str):
    """E11, X5"""
    (candidate,) = found(text)
    assert (candidate.lang, candidate.kind) == (lang, Kind(kind))
    assert candidate.found_by.startswith(f"{lang}/")
    assert candidate.text in text


@for_each(("lang", "text"), NEGATIVE)
def test_questions_tasks_suppositions_and_quotes_give_nothing_in_any_language(lang: str, text: str):
    """E11"""
    assert found(text) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("项目的截止日期是6月15日。", "截止日期改到6月30日了"),
        ("我住在北京", "我們搬到台南了"),
        ("リリース日は7月10日に決まりました。", "すみません、リリース日は7月24日に変更になりました。"),
        ("La reunión con el notario es el 8 de marzo.", "La reunión con el notario se pasó al 15 de marzo."),
        ("Vivo en Bilbao.", "Nos mudamos a Granada."),
        ("Ich wohne in Bonn.", "Wir sind nach Kiel gezogen."),
    ],
)
def test_a_newer_value_has_the_slot_of_the_older_in_every_language(before: str, after: str):
    """DESIGN 9"""
    (old,), (new,) = found(before), found(after)
    assert (old.subject, old.attribute) == (new.subject, new.attribute)
    assert old.attribute
    assert old.value
    assert new.value
    assert old.value != new.value


def test_traditional_and_simplified_are_read_alike():
    (traditional,), (simplified,) = found("我對花生過敏"), found("我对花生过敏")
    assert traditional.found_by == simplified.found_by
    assert traditional.text == "我對花生過敏"


@pytest.mark.parametrize("pack", DEFAULT_PACKS, ids=lambda pack: pack.lang)
def test_every_pattern_of_a_pack_compiles_and_every_rule_is_named_by_family(pack: Pack):
    for rule in pack.rules:
        re.compile(rule.pattern)
        re.compile(rule.veto)
        assert re.fullmatch(r"[a-z]+(\.[a-z_]+)?", rule.name)
        assert 0.5 <= rule.importance <= 0.9
        assert 0.5 <= rule.confidence <= 1.0


@pytest.mark.parametrize("pack", DEFAULT_PACKS, ids=lambda pack: pack.lang)
def test_every_pack_covers_the_families(pack: Pack):
    """E11"""
    kinds = {rule.kind for rule in pack.rules}
    assert kinds >= {Kind.RULE, Kind.PREFERENCE, Kind.DECISION, Kind.FACT, Kind.ENTITY, Kind.PROCEDURE}
    assert any(rule.negated for rule in pack.rules)
    assert pack.explicit
    assert pack.cues or pack.script


def test_a_statement_is_weighed_by_the_signs_it_shows():
    """E11: one strong sign is enough, a weak one is not, and what speaks against it counts"""
    weigh = weigher({"mine": r"\bmy\b", "number": r"\d", "taste": r"\blove\b", "hearsay": r"\bthey say\b"})
    assert weigh("my shoes are 42") is None
    assert weigh("they say my neighbours love 42") is None
    taste = weigh("all 42 of us love it")
    assert taste is not None
    assert taste.kind is Kind.PREFERENCE


def test_what_is_asked_for_every_time_is_a_rule_and_not_a_request():
    """E11"""
    weigh = weigher({"norm": "always", "request": "^send"})
    assert weigh("send me the figures") is None
    rule = weigh("send me the figures in euros, always")
    assert rule is not None
    assert rule.kind is Kind.RULE


def test_the_words_of_a_block_stand_apart_by_commas_and_may_be_patterns():
    assert any_of("a b,\n   c{1,3}") == "(?:a b|c{1,3})"
    assert re.fullmatch(word_of("coche", endings="|s"), "coches")


def test_a_pack_of_ones_own_can_be_given():
    """the docstring of `packs.pack` says how"""
    dutch = Pack(
        lang="nl",
        rules=(Rule("fact.home", Kind.FACT, 0.6, fill=about_me("home city")).worded(r"ik woon in (?P<value>\w+)"),),
        breaks=r",\s+",
        asks=r"(?:wat|hoe|waar)\b",
        supposes=r"als\b",
        leads=r"(?:trouwens|dus),?\s+",
        corrections=r"nee,\s+",
        cues=frozenset("ik woon in een de het".split()),
    )  # fmt: skip
    (candidate,) = found("Trouwens, ik woon in Utrecht", packs=(dutch,))
    assert (candidate.text, candidate.attribute, candidate.value) == ("ik woon in Utrecht", "home city", "Utrecht")
    assert found("Als ik woon in Utrecht", packs=(dutch,)) == []


@pytest.mark.parametrize(
    ("phrase", "owned"),
    [
        ("the deadline", ("project", "deadline")),
        ("the Atlas deadline", ("atlas", "deadline")),
        ("the deadline for the Atlas project", ("project atlas", "deadline")),
        ("the deadline of project Atlas", ("project atlas", "deadline")),
        ("Atlas's due date", ("atlas", "deadline")),
        ("our API response time", ("api", "response time")),
        ("my Zotero library", ("zotero library", "value")),
    ],
)
def test_the_ways_to_name_a_property_come_to_one(phrase: str, owned: tuple[str, str]):
    assert property_of(phrase) == owned


def test_nouns_are_counted_in_the_singular():
    assert [singular(noun) for noun in ("sources", "entries", "people", "classes", "boxes", "glass")] == [
        "source", "entry", "person", "class", "box", "glass"
    ]  # fmt: skip
    assert thing("My new Falcon project") == "project falcon"
